//! Nothing could run.

#[wsrt::main(worker_threads = 0)]
async fn main() {}
