//! The check on instruction counts: wsrt's instructions per spawn, wake, yield and join beside the recorded ones.
//!
//! ```text
//! cargo run --release -p wsrt-benches --bin instructions
//! cargo run --release -p wsrt-benches --bin instructions -- --record
//! ```

use std::process::ExitCode;

use wsrt_benches::cli::{self, Command};
use wsrt_benches::{Failure, child, instructions};

fn main() -> ExitCode {
    let words: Vec<_> = std::env::args().skip(1).collect();
    // Under valgrind it is its own child, so that one build is all that has to be there.
    let is_child = words.first().is_some_and(|word| word == "--child");
    let outcome = if is_child { serve(words) } else { instructions::run(words.into_iter()) };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("instructions: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn serve(words: Vec<String>) -> Result<(), Failure> {
    match cli::parse(words.into_iter())? {
        Command::Child(request) => child::serve(&request),
        other => Err(format!("--child asked for {other:?}").into()),
    }
}
