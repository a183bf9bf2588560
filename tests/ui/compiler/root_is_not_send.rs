//! The root of a multi-thread runtime runs on a processor: the error names the value that cannot go there.

use std::rc::Rc;

#[wsrt::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let visits = Rc::new(1);
    std::future::ready(()).await;
    println!("{visits}");
    Ok(())
}
