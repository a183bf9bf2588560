//! The known flavors are listed.

#[wsrt::main(flavor = "threadpool")]
async fn main() {}
