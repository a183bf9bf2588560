//! The output of a function that is not `main` comes back from the processor.

use std::rc::Rc;

#[wsrt::main]
async fn start() -> Rc<u8> {
    Rc::new(1)
}

fn main() {
    println!("{}", start());
}
