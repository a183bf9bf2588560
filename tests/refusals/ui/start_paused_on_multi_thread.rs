//! The clock of a multi-thread runtime cannot be paused.

#[wsrt::test(flavor = "multi_thread", start_paused = true)]
async fn waits() {}

fn main() {}
