//! The process that starts one for each program, and reports their fates.

use std::env;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::Instant;

use crate::affinity;
use crate::catalogue::{PROGRAMS, Program};
use crate::child::number;

/// Processes at a time.
const AT_ONCE: usize = 4;

/// Runs the programs whose names contain one of the arguments; all, if there is none.
pub(crate) fn run() -> ExitCode {
    let filters: Vec<String> = env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let is_chosen =
        |program: &&Program| filters.is_empty() || filters.iter().any(|filter| program.name.contains(filter.as_str()));
    let chosen: Vec<&Program> = PROGRAMS.iter().filter(is_chosen).collect();
    let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        for slot in 0..AT_ONCE {
            let (chosen, next, failed) = (&chosen, &next, &failed);
            scope.spawn(move || {
                while let Some(program) = chosen.get(next.fetch_add(1, Relaxed)) {
                    failed.fetch_add(usize::from(!passes(program, slot)), Relaxed);
                }
            });
        }
    });
    println!("{} programs, {} failed", chosen.len(), failed.load(Relaxed));
    if failed.load(Relaxed) == 0 && !chosen.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs one program in a process of its own, and prints how that went.
fn passes(program: &Program, slot: usize) -> bool {
    let began = Instant::now();
    let fate = fate(start(program, slot, None));
    let took = began.elapsed().as_secs_f64();
    match fate {
        Ok(summary) => {
            println!("{} ... ok: {summary}, {took:.1} s", program.name);
            true
        }
        Err(Fault { seed, text }) => {
            println!("{} ... FAILED under seed {seed}, {took:.1} s\n{text}", program.name);
            let again = self::fate(start(program, slot, Some(seed)));
            let is_again = if again.is_err() { "fails again" } else { "PASSES: the program is not deterministic" };
            println!("{} under WSRT_SCHEDULE_SEED={seed}: {is_again}", program.name);
            false
        }
    }
}

/// How a program failed.
struct Fault {
    seed: u64,
    text: String,
}

fn start(program: &Program, slot: usize, seed: Option<u64>) -> Child {
    let mut command = Command::new(env::current_exe().expect("this program has a path"));
    command.env("WSRT_SCHEDULE_PROGRAM", program.name).env("WSRT_STALL_MS", "0").stdout(Stdio::piped());
    command.env(affinity::SLOT, slot.to_string());
    if let Some(seed) = seed {
        command.env("WSRT_SCHEDULE_SEED", seed.to_string()).stdout(Stdio::piped());
    }
    let is_replay = seed.is_some() || number("WSRT_SCHEDULE_SEED").is_some();
    command.stderr(if is_replay { Stdio::inherit() } else { Stdio::null() });
    command.spawn().expect("the system starts a process")
}

/// Reads the process's lines to the end: the summary, or the fault.
fn fate(mut child: Child) -> Result<String, Fault> {
    let (mut seed, mut lines) = (0, Vec::new());
    for line in BufReader::new(child.stdout.take().expect("it is piped")).lines().map_while(Result::ok) {
        match line.strip_prefix("seed ").and_then(|number| number.parse().ok()) {
            Some(number) => seed = number,
            None => lines.push(line),
        }
    }
    let status = child.wait().expect("the process was started");
    if status.success() {
        return Ok(lines.pop().unwrap_or_default());
    }
    lines.push(status.to_string());
    Err(Fault { seed, text: lines.join("\n") })
}
