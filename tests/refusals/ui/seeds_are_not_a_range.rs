//! Seeds are a range of literals, whose second number is above the first.

#[wsrt::test(seeds = 1000)]
async fn one_number() {}

#[wsrt::test(seeds = 9..3)]
async fn backwards() {}

fn main() {}
