//! Measures the effect of background tasks on a server beside them, and how much of the time that
//! the server leaves they get.
//!
//! ```text
//! cargo run --release -p wsrt-benches --bin background
//! cargo run --release -p wsrt-benches --bin background -- --work 200 --poll 100 --load 60 --rounds 9
//! ```

use std::process::ExitCode;

fn main() -> ExitCode {
    wsrt_benches::background::PROGRAM.main()
}
