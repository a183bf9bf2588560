//! One program, in the process that runs its schedules.

use std::env;
use std::io::Write;
use std::process::ExitCode;

use crate::affinity::stay_on_one;
use crate::catalogue::PROGRAMS;
use wsrt_schedule::replay;

/// The number in the environment's variable of this name.
pub(crate) fn number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} is no whole number: {text}")))
}

/// Runs the schedules, and prints each seed before it begins.
pub(crate) fn run(name: &str) -> ExitCode {
    stay_on_one();
    let program = PROGRAMS.iter().find(|program| program.name == name).expect("the parent knows the names");
    let (first, count) = match number("WSRT_SCHEDULE_SEED") {
        Some(seed) => (seed, 1),
        None => (number("WSRT_SCHEDULE_FIRST").unwrap_or(0), number("WSRT_SCHEDULES").unwrap_or(2_000)),
    };
    let (mut steps, mut threads, mut trace) = (0, 0, 0_u64);
    for seed in first..first + count {
        println!("seed {seed}");
        let _ = std::io::stdout().flush();
        match replay(seed, program.main) {
            Ok(explored) => {
                steps += explored.steps;
                threads += explored.threads as u64;
                trace = trace.rotate_left(1) ^ explored.trace;
            }
            Err(failure) => {
                println!("{failure}");
                return ExitCode::FAILURE;
            }
        }
    }
    println!("{count} schedules, {} steps and {} threads each, trace {trace:016x}", steps / count, threads / count);
    ExitCode::SUCCESS
}
