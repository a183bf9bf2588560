//! Measures the time of a dump of many tasks, and its cost to a server beside it.
//!
//! ```text
//! cargo run --release -p wsrt-benches --bin dumps -- [TASKS]
//! ```

use std::process::ExitCode;

fn main() -> ExitCode {
    wsrt_benches::dumps::PROGRAM.main()
}
