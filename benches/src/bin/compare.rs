//! The one command of this package: compares the runtimes, or, started by itself, is one child of such a comparison.

use std::process::ExitCode;

use wsrt_benches::cli::{self, Command};
use wsrt_benches::{Failure, child, compare, load};

fn main() -> ExitCode {
    match cli::parse(std::env::args().skip(1)).and_then(execute) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("compare: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn execute(command: Command) -> Result<(), Failure> {
    match command {
        Command::Help => {
            print!("{}", cli::help());
            Ok(())
        }
        Command::Compare(options) => compare::run(&options),
        Command::Child(request) => child::serve(&request),
        Command::Load(plan) => load::serve(&plan),
    }
}
