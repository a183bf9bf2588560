//! `#[wsrt::main]` has several processors unless told otherwise, and their clock goes on.

#[wsrt::main(start_paused = true)]
async fn main() {}
