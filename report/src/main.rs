//! The program `wsrt-report`, which turns a trace of the scheduler into an HTML page: `wsrt-report
//! TRACE [-o FILE]`.

use std::process::ExitCode;

use wsrt_report::cli::{self, Refusal};

fn main() -> ExitCode {
    match cli::run(std::env::args_os().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Refusal::Usage(wrong)) => {
            eprintln!("wsrt-report: {wrong}; --help lists the options");
            ExitCode::from(2)
        }
        Err(Refusal::Failure(failure)) => {
            eprintln!("wsrt-report: {failure}");
            ExitCode::FAILURE
        }
    }
}
