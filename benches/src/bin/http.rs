//! hyper on wsrt and on tokio, under wrk and h2load.
//!
//! ```text
//! cargo run --release -p wsrt-benches --bin http
//! cargo run --release -p wsrt-benches --bin http -- --only http1 --processors 1 --repeats 3
//! ```

use std::process::ExitCode;

fn main() -> ExitCode {
    wsrt_benches::http::PROGRAM.main()
}
