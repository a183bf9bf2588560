//! The string has to hold a path.

#[wsrt::main(crate = "my wsrt")]
async fn main() {}
