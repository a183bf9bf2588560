//! What others notice of a poll that does not return: the table of issue 3, on wsrt and on tokio.
//!
//! ```text
//! cargo run --release -p wsrt-benches --bin stalls
//! cargo run --release -p wsrt-benches --bin stalls -- ticker
//! ```
//!
//! The word, if there is one, picks the cases whose names contain it.

use std::process::ExitCode;

use wsrt_benches::stalls;

fn main() -> ExitCode {
    match stalls::run(&std::env::args().nth(1).unwrap_or_default()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("stalls: {failure}");
            ExitCode::FAILURE
        }
    }
}
