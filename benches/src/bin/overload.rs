//! `wsrt_hyper::serve` below its capacity and beyond, with and without shedding load.
//!
//! ```text
//! cargo run --release -p wsrt-benches --bin overload
//! cargo run --release -p wsrt-benches --bin overload -- --work-us 100 --limit-us 1000 --repeats 3
//! ```

use std::process::ExitCode;

fn main() -> ExitCode {
    wsrt_benches::overload::PROGRAM.main()
}
