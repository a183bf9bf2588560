//! hyper on wsrt and on tokio, under wrk and h2load.
//!
//! ```text
//! cargo run --release -p wsrt-benches --bin http
//! cargo run --release -p wsrt-benches --bin http -- --only http1 --processors 1 --repeats 3
//! ```

use std::process::ExitCode;

use wsrt_benches::http;

fn main() -> ExitCode {
    match http::run(std::env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("http: {failure}");
            ExitCode::FAILURE
        }
    }
}
