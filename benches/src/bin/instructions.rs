//! The check on instruction counts: wsrt's instructions per spawn, wake, yield and join beside the
//! recorded ones.
//!
//! ```text
//! cargo run --release -p wsrt-benches --bin instructions
//! cargo run --release -p wsrt-benches --bin instructions -- --record
//! ```

use std::process::ExitCode;

fn main() -> ExitCode {
    wsrt_benches::instructions::PROGRAM.main()
}
