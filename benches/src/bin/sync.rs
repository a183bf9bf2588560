//! Compares wsrt's channels and locks with those of tokio, other crates and Go, or, started by
//! itself, is one process of such a comparison.

use std::process::ExitCode;

fn main() -> ExitCode {
    wsrt_benches::sync::PROGRAM.main()
}
