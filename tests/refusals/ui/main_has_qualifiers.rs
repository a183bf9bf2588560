//! A root is a plain async fn.

#[wsrt::main]
async unsafe extern "C" fn main() {}
