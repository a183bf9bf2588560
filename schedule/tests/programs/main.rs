//! Programs of the runtime's, each under thousands of schedules.
//!
//! ```sh
//! RUSTFLAGS="--cfg wsrt_schedule" cargo test --release -p wsrt-schedule --features programs
//! ```
//!
//! runs them all, 2,000 schedules each; names after `--` choose. The environment:
//!
//! * `WSRT_SCHEDULES`: how many schedules a program has.
//! * `WSRT_SCHEDULE_SEED`: one seed to replay; its panics are printed as they come.
//! * `WSRT_SCHEDULE_FIRST`: the first seed, 0 by default.
//!
//! Each program runs in a process of its own, on one core, four at a time. A process that is
//! aborted, or does not end, is reported with the seed that it was at.

mod affinity;
mod background;
mod behind;
mod catalogue;
mod channels;
mod child;
mod computing;
mod ending;
mod hooks;
mod locks;
mod long_polls;
mod panics;
mod parent;
mod places;
mod quiet;
mod roots;
mod scopes;
mod sizes;
mod sockets;
mod spawning;
mod support;
mod teams;
mod timers;

use std::process::ExitCode;

fn main() -> ExitCode {
    if !wsrt_schedule::IS_CONTROLLED {
        eprintln!("built without RUSTFLAGS=\"--cfg wsrt_schedule\": nothing to run");
        return ExitCode::FAILURE;
    }
    match std::env::var("WSRT_SCHEDULE_PROGRAM") {
        Ok(name) => child::run(&name),
        Err(_) => parent::run(),
    }
}
