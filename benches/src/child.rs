//! One measurement in a process of its own: the request on its command line, the results in its output.

use std::io::Write;
use std::path::Path;
use std::process::{self, Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::metric::Measurement;
use crate::plan::Plan;
use crate::{Failure, cli, cores, runtimes, workloads};

/// Stands for a runtime's name where a workload runs without one.
pub const BARE: &str = "bare";

/// The exit status of a child that took too long, as timeout(1) has it.
const TOO_LONG: i32 = 124;

/// What one child is to measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The runtime's name, or [`BARE`].
    pub runtime: String,
    /// The workload's name.
    pub workload: String,
    /// How much of it.
    pub plan: Plan,
    /// The process ends itself after this long: a lost wake-up must not stop the comparison.
    pub time_limit: Option<Duration>,
}

/// Is the child: measures and prints one line for each figure.
///
/// # Errors
///
/// Returns an error if there is no such runtime or workload, or if the system fails it.
///
/// # Panics
///
/// Panics if the runtime got the workload wrong.
pub fn serve(request: &Request) -> Result<(), Failure> {
    if let Some(limit) = request.time_limit {
        end_after(limit, format!("compare: {} on {}", request.workload, request.runtime));
    }
    if let Some(cores) = &request.plan.apart {
        cores::stay_on(&cores.measured)?;
    }
    let measurements = if request.runtime == BARE {
        workloads::run_bare(&request.workload, &request.plan)?
    } else {
        (runtimes::find(&request.runtime)?.run)(&request.workload, &request.plan)?
    };
    let mut output = std::io::stdout().lock();
    for measurement in measurements {
        writeln!(output, "{measurement}")?;
    }
    Ok(())
}

/// Ends this process when `limit` is over, from a thread that sleeps until then and disturbs nobody.
pub(crate) fn end_after(limit: Duration, what: String) {
    thread::spawn(move || {
        thread::sleep(limit);
        eprintln!("{what} has no result after {} s", limit.as_secs());
        process::exit(TOO_LONG);
    });
}

/// Starts `program` as a child with `request` and waits for its results. What it complains about goes to standard error.
///
/// # Errors
///
/// Returns an error if the child cannot be started, fails, takes too long or has no result.
pub fn measure(program: &Path, request: &Request) -> Result<Vec<Measurement>, Failure> {
    collect(Command::new(program).args(cli::child_arguments(request)))
}

/// Runs `command`, which is a child of whatever kind, and answers what it has measured.
pub(crate) fn collect(command: &mut Command) -> Result<Vec<Measurement>, Failure> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cannot start {:?}: {error}", command.get_program()))?;
    if !output.status.success() {
        return Err(format!("the child failed ({})", output.status).into());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let measurements: Vec<_> = text.lines().filter_map(Measurement::parse).collect();
    if measurements.is_empty() {
        return Err("the child printed no result".into());
    }
    Ok(measurements)
}
