//! Instructions per operation, counted by callgrind, beside the recorded ones: figures that no busy
//! machine can blur.
//!
//! Each operation is a workload on one processor, run twice with different numbers of rounds; the
//! difference, divided by the operations in it, leaves out start and end. The count is that of the
//! processor and of the thread that waits for it, the workload's own part included. Times are not
//! in it, nor caches: a count that stays is no proof that nothing became slower, but one that grows
//! is work that was not there before. The program's clock goes by its readings, so that a slow
//! machine does no more by the clock than a fast one.
//!
//! Counts depend on the compiler and on the C library (its allocator is in them), so they are
//! compared only with those of the same toolchain.

use std::path::{Path, PathBuf};

use crate::Failure;
use crate::child::{self, Request};
use crate::harness::{Arguments, Job, Program, align};
use crate::measure::Summary;
use crate::plan::Plan;
use crate::runtimes::{self, SUBJECT};
use crate::sync;

mod callgrind;
mod recorded;
mod toolchain;

use recorded::{Recorded, Verdict};

/// Stands where there is no count.
const NONE: &str = "–";
/// How often each operation is counted; the median stands.
const REPEATS: usize = 3;
/// The most by which counts of one operation may differ, as a share, to be recorded.
const REPEATABLE: f64 = 0.01;

/// An operation, and the workload that is made of it.
struct Operation {
    name: &'static str,
    work: Work,
    size: usize,
    /// Operations in a round of this size.
    in_round: usize,
    rounds: [u32; 2],
}

impl Operation {
    /// True if it can be counted on `runtime`: of the runtimes, tokio and wsrt have channels and
    /// locks of their own.
    fn is_on(&self, runtime: &str) -> bool {
        match self.work {
            Work::Workload(_) => true,
            Work::Row(row) => sync::has(runtime, row),
        }
    }
}

/// The work of an operation, by its name.
enum Work {
    /// A workload of `compare`.
    Workload(&'static str),
    /// A row of `sync`, of wsrt's own channels and locks.
    Row(&'static str),
}

/// So few tasks at once that they fit into a processor's ring and the allocator's caches: the
/// number of tasks that go on to the injector, and of bytes that the allocator gives back, differs
/// from run to run by some per cent.
const OPERATIONS: [Operation; 11] = [
    scheduling("spawn", "spawn_inside", 100, 100, [50, 250]),
    scheduling("wake", "wake", 10_000, 10_000, [2, 10]),
    scheduling("yield", "yield", 20, 20_000, [2, 4]),
    scheduling("join", "spawn_await", 2_000, 2_000, [5, 15]),
    // By two tasks.
    scheduling("arm_and_drop_a_timer", "timer_drop", 2_000, 4_000, [5, 15]),
    fast_path("mpsc_send_and_receive", "send_recv"),
    fast_path("oneshot_make_send_and_receive", "oneshot"),
    fast_path("mutex_lock_and_unlock", "lock"),
    fast_path("rwlock_read_and_unlock", "read"),
    fast_path("semaphore_acquire_and_release", "acquire"),
    fast_path("notify_and_take_the_permit", "notify_kept"),
];

const fn scheduling(
    name: &'static str,
    workload: &'static str,
    size: usize,
    in_round: usize,
    rounds: [u32; 2],
) -> Operation {
    Operation { name, work: Work::Workload(workload), size, in_round, rounds }
}

/// An operation on a channel or a lock for which nothing has to be waited for.
const fn fast_path(name: &'static str, row: &'static str) -> Operation {
    Operation { name, work: Work::Row(row), size: 10_000, in_round: 10_000, rounds: [5, 25] }
}

/// The choices of the command line.
#[derive(Debug)]
struct Options {
    record: bool,
    file: PathBuf,
    rivals: Vec<String>,
}

/// Returns the text of `--help`.
fn help() -> String {
    let operations: String = OPERATIONS
        .iter()
        .map(|Operation { name, work, .. }| match work {
            Work::Workload(workload) => format!("  {name:<29} an operation of compare's workload {workload}\n"),
            Work::Row(row) => format!("  {name:<29} an operation of sync's row {row}\n"),
        })
        .collect();
    format!(
        "\
Counts wsrt's instructions per operation with valgrind's callgrind, and fails where one has grown by more than {:.0} %.

  cargo run --release -p wsrt-benches --bin instructions -- [OPTIONS]

  --record        rewrites the recorded counts in place of comparing
  --file FILE     where they are (benches/instructions.toml)
  --rivals NAME,… counts these runtimes' instructions, too; they are compared with nothing

{operations}",
        recorded::TOLERANCE * 100.0
    )
}

/// The program `instructions`. Under valgrind it is its own child, so that one build is enough.
pub const PROGRAM: Program = Program {
    name: "instructions",
    help,
    roles: &[("--child", child::role), (sync::ROLE, sync::role)],
    compare: |arguments| {
        let options = Options::take(arguments)?;
        Ok(Box::new(move || run(&options)) as Job)
    },
};

/// Counts and compares, or counts and records.
///
/// Without valgrind, and where the counts are another toolchain's, it says so and checks nothing.
fn run(options: &Options) -> Result<(), Failure> {
    if cfg!(debug_assertions) {
        return Err("counts of a build without optimisation mean nothing: run it with --release".into());
    }
    let Some(valgrind) = callgrind::version()? else {
        let message = "there is no valgrind here (Debian's package is called valgrind)";
        return if options.record { Err(message.into()) } else { skip(message) };
    };
    let toolchain = toolchain::describe()?;
    println!("{valgrind}, {toolchain}");
    if options.record { record(options, toolchain) } else { compare(options, &toolchain) }
}

impl Options {
    fn take(arguments: &mut Arguments) -> Result<Self, Failure> {
        Ok(Self {
            record: arguments.flag("--record"),
            file: arguments.value("--file")?.map_or_else(usual_file, Into::into),
            rivals: arguments.list("--rivals", runtimes::find)?.unwrap_or_default(),
        })
    }
}

fn usual_file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("instructions.toml")
}

fn skip(why: &str) -> Result<(), Failure> {
    println!("NOT CHECKED: {why}");
    Ok(())
}

fn record(options: &Options, toolchain: String) -> Result<(), Failure> {
    let mut counts = Vec::new();
    for operation in &OPERATIONS {
        let summary = count(SUBJECT, operation)?;
        let spread = spread(summary);
        if spread > REPEATABLE {
            let (name, percent) = (operation.name, spread * 100.0);
            return Err(format!("counts of {name} differ by {percent:.1} %: nothing is recorded").into());
        }
        println!("{}: {:.1}, within {:.2} %", operation.name, summary.median, spread * 100.0);
        counts.push((operation.name.to_owned(), summary.median));
    }
    Recorded { toolchain, counts }.write(&options.file)?;
    println!("saved {}", options.file.display());
    Ok(())
}

fn compare(options: &Options, toolchain: &str) -> Result<(), Failure> {
    let recorded = Recorded::read(&options.file)?;
    if recorded.toolchain != toolchain {
        return skip(&format!(
            "the recorded counts are those of {}; `--record` makes them those of this toolchain",
            recorded.toolchain
        ));
    }
    let mut headings = ["operation", "verdict", "spread", "recorded", SUBJECT].map(str::to_owned).to_vec();
    headings.extend(options.rivals.iter().cloned());
    let mut rows = vec![headings];
    let mut grown = Vec::new();
    for operation in &OPERATIONS {
        let summary = count(SUBJECT, operation)?;
        let now = summary.median;
        let verdict = recorded.verdict(operation.name, now)?;
        if let Verdict::Grown(_) = verdict {
            grown.push(operation.name);
        }
        let before = recorded.count(operation.name)?;
        let mut row = vec![
            operation.name.to_owned(),
            verdict.to_string(),
            format!("{:.2} %", spread(summary) * 100.0),
            whole(before),
            whole(now),
        ];
        for rival in &options.rivals {
            row.push(if operation.is_on(rival) { whole(count(rival, operation)?.median) } else { NONE.to_owned() });
        }
        rows.push(row);
    }
    println!("\nInstructions per operation, the median of {REPEATS}:\n\n{}", align(&rows));
    if grown.is_empty() {
        return Ok(());
    }
    let advice = "if that is meant, record it with --record and say why in the commit";
    Err(format!("more instructions than recorded: {}; {advice}", grown.join(", ")).into())
}

/// How far counts of the same thing lie apart, as a share.
fn spread(counts: Summary) -> f64 {
    (counts.maximum - counts.minimum) / counts.median
}

fn whole(count: f64) -> String {
    format!("{count:.0}")
}

/// Counts the instructions of one operation on `runtime`, a few times.
fn count(runtime: &str, operation: &Operation) -> Result<Summary, Failure> {
    let [few, many] = operation.rounds;
    let operations = f64::from(many - few) * operation.in_round as f64;
    let mut counts = Vec::with_capacity(REPEATS);
    for _ in 0..REPEATS {
        let (less, more) = (run_once(runtime, operation, few)?, run_once(runtime, operation, many)?);
        let difference = more.checked_sub(less).ok_or_else(|| {
            format!("{} on {runtime}: {less} instructions in {few} rounds, {more} in {many}", operation.name)
        })?;
        counts.push(difference as f64 / operations);
    }
    Summary::of(&counts).ok_or_else(|| format!("{}: no count", operation.name).into())
}

fn run_once(runtime: &str, operation: &Operation, rounds: u32) -> Result<u64, Failure> {
    let program = std::env::current_exe()?;
    let plan =
        Plan { workers: 1, iterations: Some(rounds), size: Some(operation.size), ..Plan::usual(program.clone()) };
    let words = match operation.work {
        Work::Workload(workload) => {
            let (runtime, workload) = (runtime.to_owned(), workload.to_owned());
            Request { runtime, workload, plan, time_limit: None }.words()
        }
        Work::Row(row) => {
            let (library, row) = (runtime.to_owned(), row.to_owned());
            sync::Request { library, row, plan, time_limit: None }.words()
        }
    };
    callgrind::count(&program, words).map_err(|failure| format!("{} on {runtime}: {failure}", operation.name).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workloads;

    #[test]
    fn every_operation_has_its_workload_and_its_recorded_count() {
        let recorded = Recorded::read(&usual_file()).unwrap();
        for operation in &OPERATIONS {
            match operation.work {
                Work::Workload(name) => assert!(workloads::find(name).is_ok(), "{name}"),
                Work::Row(name) => assert!(sync::find(name).is_ok(), "{name}"),
            }
            assert!(recorded.count(operation.name).is_ok(), "{}", operation.name);
            assert!(operation.rounds[0] < operation.rounds[1], "{}", operation.name);
        }
    }

    #[test]
    fn a_bad_argument_is_named() {
        PROGRAM.assert_refuses(&[("--rivals nobody", "nobody"), ("--recrod", "--recrod")]);
    }
}
