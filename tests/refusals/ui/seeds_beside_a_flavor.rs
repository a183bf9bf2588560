//! A simulation has no flavor, and its clock is virtual anyway.

#[wsrt::test(seeds = 0..1000, flavor = "multi_thread", longest_poll = "5ms")]
async fn simulated() {}

fn main() {}
