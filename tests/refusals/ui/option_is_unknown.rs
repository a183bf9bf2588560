//! The known options are listed.

#[wsrt::main(start_paused = true)]
async fn main() {}
