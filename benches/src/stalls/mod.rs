//! Stuck polls, and their effect on other tasks: each case on wsrt and on tokio, with two
//! processors and with one.
//!
//! The cases run one after the other, each for a second or two, so that the whole takes about a
//! minute. [`cases`] has those that are a wait of tasks, [`load`] the two under load, [`crowd`] the
//! one that counts threads. [`waits`] are many stalls instead, and the distribution of the waits.

use crate::Failure;
use crate::harness::{Job, Program};
use crate::measure::quantile;
use crate::runtimes::{Runtime, Tokio, Wsrt};

mod cases;
mod crowd;
mod load;
mod waits;

/// The outcome of a case: its figures in milliseconds, or why it has none.
enum Outcome {
    Figures(Vec<(&'static str, f64)>),
    Words(String),
}

impl Outcome {
    fn quantiles(mut millis: Vec<f64>, wanted: &[(&'static str, f64)]) -> Self {
        millis.sort_by(f64::total_cmp);
        Self::Figures(wanted.iter().map(|&(name, q)| (name, quantile(&millis, q))).collect())
    }

    fn greatest(millis: Vec<f64>) -> Self {
        Self::quantiles(millis, &[("median", 0.5), ("max", 1.0)])
    }

    /// The figures, with those marked that are over their limit.
    fn show(&self, limits: &[(&str, f64)]) -> String {
        match self {
            Self::Words(words) => words.clone(),
            Self::Figures(figures) => {
                let shown = figures.iter().map(|&(name, millis)| {
                    let is_over = limits.iter().any(|&(limited, limit)| limited == name && millis > limit);
                    format!("{name} {millis:.2}{}", if is_over { " (over)" } else { "" })
                });
                shown.collect::<Vec<_>>().join(", ")
            }
        }
    }
}

type Run = fn(usize) -> Result<Outcome, Failure>;

/// One line of the table, for each number of processors.
struct Case {
    name: &'static str,
    processors: &'static [usize],
    /// The limits in milliseconds, by the names of the figures.
    limits: &'static [(&'static str, f64)],
    wsrt: Run,
    tokio: Run,
}

const BOTH: &[usize] = &[2, 1];

fn all() -> [Case; 7] {
    [
        Case {
            name: "1 ms ticker beside N tasks that block 50 ms each: lateness",
            processors: BOTH,
            limits: &[("p50", 1.2), ("p99", 3.0)],
            wsrt: cases::ticker::<Wsrt>,
            tokio: cases::ticker::<Tokio>,
        },
        Case {
            name: "task readied by one that then spins 100 ms, another processor idle",
            processors: &[2],
            limits: &[("max", 2.0)],
            wsrt: |processors| cases::readied::<Wsrt>(processors, 0),
            tokio: |processors| cases::readied::<Tokio>(processors, 0),
        },
        Case {
            name: "the same, all processors spinning",
            processors: BOTH,
            limits: &[("max", 25.0)],
            wsrt: |processors| cases::readied::<Wsrt>(processors, processors - 1),
            tokio: |processors| cases::readied::<Tokio>(processors, processors - 1),
        },
        Case {
            name: "std-channel wedge, the food arriving 20 ms later",
            processors: BOTH,
            limits: &[("max", 25.0)],
            wsrt: cases::wedge::<Wsrt>,
            tokio: cases::wedge::<Tokio>,
        },
        Case {
            name: "TCP echo beside a task that burns 10 ms a poll",
            processors: BOTH,
            limits: &[("p99.9", 15.0)],
            wsrt: load::echo::<Wsrt>,
            tokio: load::echo::<Tokio>,
        },
        Case {
            name: "10 µs requests beside 1 % of 5 ms ones at 60 % load",
            processors: BOTH,
            limits: &[("p99", 2.5)],
            wsrt: load::short_requests::<Wsrt>,
            tokio: load::short_requests::<Tokio>,
        },
        Case {
            name: "200 tasks that block 1 s at once",
            processors: BOTH,
            limits: &[],
            wsrt: crowd::wsrt,
            tokio: crowd::tokio,
        },
    ]
}

/// The program `stalls`.
pub const PROGRAM: Program = Program {
    name: "stalls",
    help: || {
        format!("stalls [WORD]: measures the cases whose names contain the word, or all of them\n\n{}", waits::help())
    },
    roles: &[(waits::ROLE, waits::role)],
    compare: |arguments| {
        if arguments.flag("--waits") {
            return waits::job(arguments);
        }
        let wanted = arguments.free().unwrap_or_default();
        Ok(Box::new(move || run(&wanted)) as Job)
    },
};

/// Runs every case whose name contains `wanted`, one after the other, and prints the table. Figures
/// are milliseconds.
fn run(wanted: &str) -> Result<(), Failure> {
    println!("| case (figures in ms) | processors | limit | wsrt | tokio |");
    println!("|---|---|---|---|---|");
    for case in all().into_iter().filter(|case| case.name.contains(wanted)) {
        for &processors in case.processors {
            let wsrt = (case.wsrt)(processors)?.show(case.limits);
            let tokio = (case.tokio)(processors)?.show(&[]);
            println!("| {} | {processors} | {} | {wsrt} | {tokio} |", case.name, show_limits(case.limits));
        }
    }
    Ok(())
}

fn show_limits(limits: &[(&str, f64)]) -> String {
    if limits.is_empty() {
        return "back to N threads".to_owned();
    }
    limits.iter().map(|(name, limit)| format!("{name} {limit}")).collect::<Vec<_>>().join(", ")
}

/// Builds a runtime for one case.
fn build<R: Runtime>(processors: usize) -> Result<R, Failure> {
    R::build(processors).map_err(|error| format!("no runtime with {processors} processors: {error}").into())
}
