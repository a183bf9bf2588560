//! Fork-join and parallel loops: wsrt beside rayon, OpenMP, oneTBB and a shared queue of threads.
//!
//! ```text
//! cargo run --release -p wsrt-benches --bin parallel
//! cargo run --release -p wsrt-benches --bin parallel -- --only loops --cases zipf_512,zipf_100 --repeats 5
//! ```

use std::process::ExitCode;

use wsrt_benches::parallel;

fn main() -> ExitCode {
    match parallel::run(std::env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("parallel: {failure}");
            ExitCode::FAILURE
        }
    }
}
