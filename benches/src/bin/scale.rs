//! wsrt's scheduler with 4 to 1,024 simulated processors, and the measured costs of its work.
//!
//! ```text
//! cargo run --release -p wsrt-benches --features scale --bin scale
//! ```

use std::process::ExitCode;

fn main() -> ExitCode {
    wsrt_benches::scale::PROGRAM.main()
}
