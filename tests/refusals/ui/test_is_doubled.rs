//! The attribute makes a test already; a second one would run it twice.

#[wsrt::test]
#[test]
async fn works() {}

#[wsrt::test]
#[wsrt::test]
async fn works_too() {}

fn main() {}
