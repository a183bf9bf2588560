//! A test is current-thread unless told otherwise.

#[wsrt::test(worker_threads = 2)]
async fn works() {}

fn main() {}
