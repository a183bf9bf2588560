//! Measures the effect on other tasks of a poll that does not return, on wsrt and on tokio.
//!
//! ```text
//! cargo run --release -p wsrt-benches --bin stalls
//! cargo run --release -p wsrt-benches --bin stalls -- ticker
//! cargo run --release -p wsrt-benches --bin stalls -- --waits --stalls 1000 --only sleeps/timer
//! ```
//!
//! The word, if there is one, picks the cases whose names contain it. With `--waits` it is the
//! distribution of waits over many stalls at random moments.

use std::process::ExitCode;

fn main() -> ExitCode {
    wsrt_benches::stalls::PROGRAM.main()
}
