//! A value alone says nothing.

#[wsrt::main("multi_thread")]
async fn main() {}
