//! Each option says what it takes.

#[wsrt::main(flavor = multi_thread, worker_threads = "4", crate = wsrt)]
async fn main() {}
