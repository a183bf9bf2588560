//! The function has to be async.

#[wsrt::main]
fn main() {
    println!("nothing to run");
}
