//! One measurement in a process of its own: the request on its command line, the results in its
//! output.

use std::path::Path;
use std::process::{self, Command};
use std::thread;
use std::time::Duration;

use crate::harness::{Arguments, Job, Series, Words, collect};
use crate::metric::Measurement;
use crate::plan::{DEFAULT_CONNECTIONS, Plan};
use crate::{Failure, cores, runtimes, workloads};

/// Stands for a runtime's name where a workload runs without one.
pub const BARE: &str = "bare";

/// The exit status of a child that took too long, the same as that of timeout(1).
const TOO_LONG: i32 = 124;

/// The measurement of one child.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The runtime's name, or [`BARE`].
    pub runtime: String,
    /// The workload's name.
    pub workload: String,
    /// The workload's extent.
    pub plan: Plan,
    /// The process ends itself after this long: a lost wake-up must not stop the comparison.
    pub time_limit: Option<Duration>,
}

impl Request {
    /// Writes the command line that [`take`](Self::take) reads.
    pub(crate) fn words(&self) -> Words {
        let words = Words::begin("--child", &[&self.runtime, &self.workload]);
        let limit = self.time_limit.map(|limit| limit.as_secs() as usize);
        self.plan.add_to(words).option("--connections", self.plan.connections).option("--time-limit", limit)
    }

    fn take(runtime: String, arguments: &mut Arguments) -> Result<Self, Failure> {
        let connections = arguments.positive("--connections")?.unwrap_or(DEFAULT_CONNECTIONS);
        let time_limit = arguments.positive("--time-limit")?.map(Duration::from_secs);
        let plan = Plan { connections, ..Plan::take(arguments)? };
        let workload = arguments.free().ok_or("--child RUNTIME needs the name of a workload after it")?;
        Ok(Self { runtime, workload, plan, time_limit })
    }
}

/// Reads the options of a child.
pub(crate) fn role(runtime: String, arguments: &mut Arguments) -> Result<Job, Failure> {
    let request = Request::take(runtime, arguments)?;
    Ok(Box::new(move || serve(&request)))
}

/// Measures and prints one line for each figure.
///
/// # Panics
///
/// Panics if the runtime got the workload wrong.
fn serve(request: &Request) -> Result<(), Failure> {
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
    Ok(Series::from_iter(measurements).write(&mut std::io::stdout().lock())?)
}

/// Ends this process when `limit` is over, from a thread that sleeps until then.
pub(crate) fn end_after(limit: Duration, what: String) {
    thread::spawn(move || {
        thread::sleep(limit);
        eprintln!("{what} has no result after {} s", limit.as_secs());
        process::exit(TOO_LONG);
    });
}

/// Starts `program` as a child with `request` and waits for its results. Its complaints go to
/// standard error.
///
/// # Errors
///
/// Returns an error if the child cannot be started, fails, takes too long or has no result.
pub fn measure(program: &Path, request: &Request) -> Result<Vec<Measurement>, Failure> {
    measure_with(Command::new(program).args(request.words().into_vec()))
}

/// Runs `command`, a child of any kind, and returns its measurements.
pub(crate) fn measure_with(command: &mut Command) -> Result<Vec<Measurement>, Failure> {
    match collect(command)?.measurements() {
        measurements if measurements.is_empty() => Err("the child printed no result".into()),
        measurements => Ok(measurements),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cores::Cores;

    #[test]
    fn a_child_understands_the_words_of_the_parent() {
        let mut request = Request {
            runtime: "tokio".to_owned(),
            workload: "yield".to_owned(),
            plan: Plan::usual(std::env::current_exe().unwrap()),
            time_limit: None,
        };
        assert_eq!(request.words().read(Request::take), request);

        request.plan = Plan {
            workers: 1,
            iterations: Some(5),
            warm_up: Some(0),
            size: Some(7),
            connections: 9,
            bytes: 11,
            apart: Some(Cores::deal("--workers", 1).unwrap()),
            ..request.plan
        };
        request.time_limit = Some(Duration::from_secs(13));
        assert_eq!(request.words().read(Request::take), request);
        request.plan = Plan { workers: 3, apart: None, ..request.plan };
        assert_eq!(request.words().read(Request::take), request);
    }
}
