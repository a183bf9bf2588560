//! A count starts at 1.

#[wsrt::main(worker_threads = -1)]
async fn main() {}
