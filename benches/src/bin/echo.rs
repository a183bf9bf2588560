//! Echo servers on wsrt, its rivals and a bare epoll loop: processor time by connections, latency
//! by load.
//!
//! ```text
//! cargo run --release -p wsrt-benches --bin echo -- --install-go
//! ```

use std::process::ExitCode;

fn main() -> ExitCode {
    wsrt_benches::echo::PROGRAM.main()
}
