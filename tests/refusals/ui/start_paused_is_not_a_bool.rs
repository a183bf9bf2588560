//! `start_paused` is true or false.

#[wsrt::test(start_paused = "yes")]
async fn waits() {}

fn main() {}
