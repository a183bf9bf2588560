//! The scheduler with more processors than there are: simulated ones, whose work takes the virtual
//! time that it was measured to take.
//!
//! Every workload runs on each number of processors, in a simulation with costs and by one seed, so
//! that the same command prints the same figures on every computer; `--measure` prints the costs of
//! this one instead.

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use wsrt::sim::Costs;

use crate::Failure;
use crate::harness::{Arguments, Job, Program};
use crate::usage::allow_open_files;

mod charts;
mod figures;
mod measured;
mod workloads;

use figures::Figures;
use workloads::WORKLOADS;

/// The program `scale`.
pub const PROGRAM: Program = Program {
    name: "scale",
    help: || HELP.to_owned(),
    roles: &[],
    compare: |arguments| {
        if arguments.flag("--measure") {
            return Ok(Box::new(measured::print) as Job);
        }
        let options = Options::take(arguments)?;
        Ok(Box::new(move || run(&options)) as Job)
    },
};

const HELP: &str = "\
scale: wsrt's scheduler on simulated processors

  --processors LIST   numbers of processors (4,16,64,256,1024)
  --only LIST         of fork_join, server, bursts, storm
  --seed NUMBER       of the simulation (7)
  --wake NANOS        from the call that wakes a thread until the thread runs
  --save FILE         where to save the chart
  --measure           print the costs of this computer instead
";

const USUAL_PROCESSORS: [usize; 5] = [4, 16, 64, 256, 1_024];
/// Beside the sockets of a workload.
const OTHER_FILES: u64 = 64;

#[derive(Clone, Debug)]
struct Options {
    processors: Vec<usize>,
    only: Vec<String>,
    seed: u64,
    wake: Option<u64>,
    save: Option<PathBuf>,
}

impl Options {
    fn take(arguments: &mut Arguments) -> Result<Self, Failure> {
        Ok(Self {
            processors: arguments.positives("--processors")?.unwrap_or_else(|| USUAL_PROCESSORS.to_vec()),
            only: arguments.list("--only", check_workload)?.unwrap_or_default(),
            seed: arguments.number("--seed")?.unwrap_or(7),
            wake: arguments.positive("--wake")?,
            save: arguments.value("--save")?.map(PathBuf::from),
        })
    }
}

fn check_workload(name: &str) -> Result<(), Failure> {
    match WORKLOADS.iter().any(|workload| workload.name == name) {
        true => Ok(()),
        false => Err(format!("--only: {name:?} is no workload").into()),
    }
}

fn run(options: &Options) -> Result<(), Failure> {
    let most = options.processors.iter().copied().max().unwrap_or(1);
    allow_open_files(workloads::sockets(most) as u64 + OTHER_FILES)?;
    let mut costs = Costs::default();
    costs.wake_latency = options.wake.unwrap_or(costs.wake_latency);
    println!("{costs:?}\n\n{}", Figures::HEAD);
    let is_wanted = |name: &str| options.only.is_empty() || options.only.iter().any(|only| only == name);
    let mut rows = Vec::new();
    for workload in WORKLOADS.iter().filter(|workload| is_wanted(workload.name)) {
        for &processors in &options.processors {
            let began = Instant::now();
            let figures = Figures::of(workload, processors, options.seed, costs);
            println!("{}", figures.row(workload.name, processors));
            eprintln!("{} on {processors}: {:.1} s", workload.name, began.elapsed().as_secs_f64());
            rows.push((workload.name, processors, figures));
        }
    }
    let Some(path) = &options.save else { return Ok(()) };
    fs::write(path, charts::draw(&rows, &options.processors))
        .map_err(|error| format!("{}: {error}", path.display()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_options_are_refused() {
        PROGRAM.assert_refuses(&[("--only fork", "fork"), ("--processors 0", "--processors"), ("--seed x", "--seed")]);
    }

    #[test]
    fn one_seed_gives_the_same_figures_twice() {
        for workload in &WORKLOADS {
            let row = || Figures::of(workload, 4, 7, Costs::default()).row(workload.name, 4);
            assert_eq!(row(), row());
        }
    }
}
