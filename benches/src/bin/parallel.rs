//! Fork-join and parallel loops: wsrt beside rayon, OpenMP, oneTBB and a shared queue of threads.
//!
//! ```text
//! cargo run --release -p wsrt-benches --bin parallel
//! cargo run --release -p wsrt-benches --bin parallel -- --only loops --repeats 5
//! ```

use std::process::ExitCode;

fn main() -> ExitCode {
    wsrt_benches::parallel::PROGRAM.main()
}
