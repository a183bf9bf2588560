//! `Runtime::run` puts its future on a processor, whatever the attributes do with theirs: the error
//! names the value that cannot go there.

use std::rc::Rc;

async fn count() {
    let visits = Rc::new(1);
    std::future::ready(()).await;
    println!("{visits}");
}

fn main() {
    let runtime = wsrt::runtime::Runtime::new().unwrap();
    runtime.run(count());
}
