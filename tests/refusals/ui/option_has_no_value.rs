//! Each option takes a value after `=`.

#[wsrt::main(flavor, worker_threads(4))]
async fn main() {}
