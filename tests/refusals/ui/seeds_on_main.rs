//! A program runs once, and is watched by other means.

#[wsrt::main(seeds = 0..1000)]
async fn main() {}
