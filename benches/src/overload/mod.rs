//! Overload: a server whose requests compute, under requests that come independently of its
//! answers, at shares of the capacity that it has shown before. Each load once without shedding and
//! once with.
//!
//! ```text
//!   parent, on the clients' cores       server process (`overload --serve …`), on its own
//!   server::start         ── starts ──▶ listens
//!                         ◀─ "listening A"
//!   clients::capacity     ══ requests ▶ each connection asks again as soon as it is answered
//!   clients::at_rate      ══ requests ▶ so many a second, whether they are answered or not
//!   drop                  ── kills ───▶
//! ```

use std::time::Duration;

use crate::Failure;
use crate::cores::{self, Cores};
use crate::harness::{Arguments, Job, Program, align};
use crate::machine;
use crate::measure::median;
use crate::usage::allow_open_files;

mod clients;
mod server;

use clients::{Clients, Outcome};
use server::Request;

/// The program `overload`.
pub const PROGRAM: Program = Program {
    name: "overload",
    help,
    roles: &[("--serve", server::role)],
    compare: |arguments| {
        let options = Options::take(arguments)?;
        Ok(Box::new(move || run(&options)) as Job)
    },
};

const USUAL_PROCESSORS: usize = 1;
const USUAL_REPEATS: usize = 3;
const USUAL_SECONDS: u64 = 5;
const USUAL_CONNECTIONS: usize = 1_000;
const USUAL_WORK: u64 = 500;
const USUAL_LIMIT: u64 = 5_000;
const USUAL_LOADS: [usize; 2] = [80, 120];
/// The length of the run before each measured one, and of the run that shows the capacity.
const WARM_UP: Duration = Duration::from_secs(1);
const CAPACITY_RUN: Duration = Duration::from_secs(2);
/// For each worker: enough to keep it busy, and too few to wait for longer than ten requests take,
/// so that none is shed.
const CAPACITY_CONNECTIONS: usize = 4;
/// Descriptors beside the connections.
const OTHER_FILES: u64 = 64;

/// The extent of the measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Options {
    processors: usize,
    repeats: usize,
    length: Duration,
    connections: usize,
    /// CPU time of a request.
    work: Duration,
    /// How long a request may wait where load is shed.
    limit: Duration,
    /// Shares of the capacity, in percent.
    loads: Vec<usize>,
}

impl Options {
    fn take(arguments: &mut Arguments) -> Result<Self, Failure> {
        Ok(Self {
            processors: arguments.positive("--processors")?.unwrap_or(USUAL_PROCESSORS),
            repeats: arguments.positive("--repeats")?.unwrap_or(USUAL_REPEATS),
            length: Duration::from_secs(arguments.positive("--seconds")?.unwrap_or(USUAL_SECONDS)),
            connections: arguments.positive("--connections")?.unwrap_or(USUAL_CONNECTIONS),
            work: Duration::from_micros(arguments.positive("--work-us")?.unwrap_or(USUAL_WORK)),
            limit: Duration::from_micros(arguments.positive("--limit-us")?.unwrap_or(USUAL_LIMIT)),
            loads: arguments.positives("--loads")?.unwrap_or_else(|| USUAL_LOADS.to_vec()),
        })
    }
}

fn help() -> String {
    let [low, high] = USUAL_LOADS;
    format!(
        "\
Measures how long a server's requests take below its capacity and beyond, with and without shedding load.

  cargo run --release -p wsrt-benches --bin overload -- [OPTIONS]

  --processors N       worker threads of the server, each on a core of its own; the clients get the others, or share
                       these if there are none ({USUAL_PROCESSORS})
  --repeats N          servers for each half of the table, by turns ({USUAL_REPEATS}); the figures are medians
  --seconds N          length of a measured run ({USUAL_SECONDS})
  --connections N      that requests are sent on; one that finds none free waits at the client ({USUAL_CONNECTIONS})
  --work-us N          CPU time of a request, in microseconds ({USUAL_WORK})
  --limit-us N         how long a request may wait where load is shed, in microseconds ({USUAL_LIMIT})
  --loads N,…          in percent of the capacity ({low},{high})

One server in this process; it ends with its input:

  overload --serve MICROSECONDS [--limit-us N] --cores 0
"
    )
}

const HEADINGS: [&str; 7] = ["load", "sheds", "sent/s", "served/s", "shed", "served: median, ms", "99 %, ms"];

/// One line of the table, for all repeats.
struct Line {
    sheds: bool,
    load: usize,
    outcomes: Vec<Outcome>,
}

impl Line {
    fn median(&self, figure: impl Fn(&Outcome) -> f64) -> f64 {
        median(&self.outcomes.iter().map(figure).collect::<Vec<_>>())
    }

    fn row(&self) -> Vec<String> {
        vec![
            format!("{} %", self.load),
            if self.sheds { "yes" } else { "no" }.to_owned(),
            format!("{:.0}", self.median(|outcome| outcome.sent_per_second)),
            format!("{:.0}", self.median(|outcome| outcome.served_per_second)),
            format!("{:.1} %", self.median(|outcome| outcome.share_shed * 100.0)),
            format!("{:.2}", self.median(|outcome| outcome.median_ms)),
            format!("{:.2}", self.median(|outcome| outcome.p99_ms)),
        ]
    }
}

/// Measures everything and prints the table.
fn run(options: &Options) -> Result<(), Failure> {
    let Options { processors, connections, work, limit, .. } = *options;
    let cores = Cores::deal("--processors", processors)?;
    for fact in machine::describe(&["wsrt", "wsrt-hyper", "hyper"]) {
        println!("- {fact}");
    }
    cores::stay_on(cores.of_clients())?;
    allow_open_files(connections as u64 + OTHER_FILES)?;
    let mut lines: Vec<_> = [false, true]
        .into_iter()
        .flat_map(|sheds| options.loads.iter().map(move |&load| Line { sheds, load, outcomes: Vec::new() }))
        .collect();
    let mut capacities = Vec::new();
    for _ in 0..options.repeats {
        for sheds in [false, true] {
            let limit = sheds.then_some(limit);
            let server = server::start(&Request { work, limit, cores: cores.measured.clone() })?;
            let capacity =
                Clients::connect(server.address, CAPACITY_CONNECTIONS * processors)?.capacity(CAPACITY_RUN)?;
            capacities.push(capacity);
            let mut clients = Clients::connect(server.address, connections)?;
            for line in lines.iter_mut().filter(|line| line.sheds == sheds) {
                let rate = capacity * line.load as f64 / 100.0;
                line.outcomes.push(clients.at_rate(rate, WARM_UP, options.length)?);
            }
        }
    }
    let (server, clients) = (&cores.measured, cores.of_clients());
    println!("- requests of {work:?}, {connections} connections of HTTP/1.1; a limit of {limit:?} where load is shed");
    let (length, repeats) = (options.length, options.repeats);
    println!("- server on cores {server:?}, clients on {clients:?}; runs of {length:?}, {repeats} repeats");
    println!(
        "- capacities: {} requests/s",
        capacities.iter().map(|it| format!("{it:.0}")).collect::<Vec<_>>().join(", ")
    );
    println!();
    let mut rows = vec![HEADINGS.map(str::to_owned).to_vec()];
    rows.extend(lines.iter().map(Line::row));
    print!("{}", align(&rows));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_options_the_usual_is_measured() {
        let options = Options::take(&mut Arguments::of("--work-us 100 --loads 50,150,200")).unwrap();
        assert_eq!((options.work, options.limit), (Duration::from_micros(100), Duration::from_millis(5)));
        assert_eq!(options.loads, [50, 150, 200]);
    }

    #[test]
    fn a_bad_argument_is_named() {
        PROGRAM.assert_refuses(&[
            ("--work-us 0", "--work-us"),
            ("--loads none", "--loads"),
            ("--serve 100", "--cores"),
            ("--serve soon --cores 0", "soon"),
            ("--fast", "--fast"),
        ]);
    }
}
