//! A test has to be async as well.

#[wsrt::test]
fn works() {}

fn main() {}
