//! A duration has a unit.

#[wsrt::test(longest_poll = 5)]
async fn a_number() {}

#[wsrt::test(longest_poll = "5 minutes")]
async fn another_unit() {}

#[wsrt::test(longest_poll = "10us")]
async fn too_short() {}

fn main() {}
