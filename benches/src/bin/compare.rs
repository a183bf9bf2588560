//! Compares wsrt with tokio, smol and Go, or, started by itself, is one process of such a
//! comparison.

use std::process::ExitCode;

fn main() -> ExitCode {
    wsrt_benches::compare::PROGRAM.main()
}
