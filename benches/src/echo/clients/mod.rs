//! The clients of the echo servers: connections in epoll loops on two threads, in a process of
//! their own.

use std::net::SocketAddr;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use super::OTHER_FILES;
use crate::Failure;
use crate::child::end_after;
use crate::driver::{self, Driver};
use crate::harness::{Arguments, Job, Words, time_limit};
use crate::measure::quantile;
use crate::tls;
use crate::usage::allow_open_files;

mod schedule;
mod share;
mod wait;
mod wire;

use schedule::Schedule;
use share::{Share, Taken};

const DONE: &str = "done";
/// The most threads that the connections are shared by.
const THREADS: usize = 2;
/// The length of the run before the measured one.
const WARM_UP: Duration = Duration::from_millis(300);
/// The latencies that are reported.
const QUANTILES: [f64; 3] = [0.5, 0.99, 0.999];

/// The extent of the clients' work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// Where the server listens.
    pub(super) address: SocketAddr,
    /// Connections open at once.
    pub(super) connections: usize,
    /// Requests due in a second on all connections together; a closed loop where `None`.
    pub(super) rate: Option<usize>,
    /// Whether they speak TLS.
    pub(super) tls: bool,
    /// Length of the measured run.
    pub(super) seconds: u64,
    /// The process ends itself after this long.
    pub(super) time_limit: Duration,
}

impl Plan {
    /// Writes the command line that [`take`](Self::take) reads.
    fn words(&self) -> Words {
        Words::begin("--drive", &[&self.address.to_string()])
            .option("--connections", self.connections)
            .option("--rate", self.rate)
            .flag("--tls", self.tls)
            .option("--seconds", self.seconds as usize)
            .option("--time-limit", self.time_limit.as_secs() as usize)
    }

    fn take(address: String, arguments: &mut Arguments) -> Result<Self, Failure> {
        Ok(Self {
            address: address.parse().map_err(|error| format!("--drive {address}: {error}"))?,
            connections: arguments.positive("--connections")?.ok_or("--drive needs --connections")?,
            rate: arguments.positive("--rate")?,
            tls: arguments.flag("--tls"),
            seconds: arguments.positive("--seconds")?.ok_or("--drive needs --seconds")?,
            time_limit: time_limit(arguments)?,
        })
    }
}

/// Reads the options of the clients.
pub(super) fn role(address: String, arguments: &mut Arguments) -> Result<Job, Failure> {
    let plan = Plan::take(address, arguments)?;
    Ok(Box::new(move || serve(&plan)))
}

fn serve(plan: &Plan) -> Result<(), Failure> {
    end_after(plan.time_limit, "echo: the clients".to_owned());
    allow_open_files(plan.connections as u64 + OTHER_FILES)?;
    // The threads inherit it.
    wait::wake_in_time()?;
    let mut shares = connect(plan)?;
    drive_all(&mut shares, plan.rate, WARM_UP)?;
    driver::serve(shares, |shares| Outcome::of(drive_all(shares, plan.rate, Duration::from_secs(plan.seconds))?))
}

/// Opens the connections, dealt out to the threads.
fn connect(plan: &Plan) -> Result<Vec<Share>, Failure> {
    let Plan { address, connections, .. } = *plan;
    let tls = plan.tls.then(tls::of_clients).transpose()?;
    let threads = connections.min(THREADS);
    let count = |thread: usize| connections / threads + usize::from(thread < connections % threads);
    (0..threads).map(|thread| Share::open(address, count(thread), tls.as_ref())).collect()
}

/// Drives each share for so long, a thread for each.
fn drive_all(shares: &mut [Share], rate: Option<usize>, length: Duration) -> Result<Taken, Failure> {
    let threads = shares.len();
    let start = Instant::now();
    let mut all = Taken::default();
    thread::scope(|scope| {
        let drive = |(thread, share): (usize, &mut Share)| match rate {
            None => share.drive_closed(start, length),
            Some(rate) => share.drive_open(start, Schedule::of(rate, threads, thread, length)),
        };
        let driven: Vec<_> = shares.iter_mut().enumerate().map(|each| scope.spawn(move || drive(each))).collect();
        for thread in driven {
            all.add(thread.join().expect("a client thread panicked")?);
        }
        Ok(all)
    })
}

/// The requests of a run, all of them answered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Outcome {
    pub(super) requests: u64,
    /// From the start to the last answer.
    pub(super) elapsed: Duration,
    /// Microseconds below which half, 99 % and 99.9 % of the latencies are.
    pub(super) micros: [f64; 3],
}

impl Outcome {
    fn of(mut taken: Taken) -> Result<Self, Failure> {
        if taken.micros.is_empty() {
            return Err("no request was answered".into());
        }
        taken.micros.sort_by(f64::total_cmp);
        let micros = QUANTILES.map(|q| quantile(&taken.micros, q));
        Ok(Self { requests: taken.micros.len() as u64, elapsed: taken.elapsed, micros })
    }
}

impl driver::Outcome for Outcome {
    fn line(&self) -> String {
        let [median, p99, p999] = self.micros;
        format!("{DONE} {} {} {median} {p99} {p999}", self.requests, self.elapsed.as_nanos())
    }

    fn parse(line: &str) -> Option<Self> {
        let mut words = line.strip_prefix(DONE)?.split_whitespace();
        let requests = words.next()?.parse().ok()?;
        let elapsed = Duration::from_nanos(words.next()?.parse().ok()?);
        let mut micros = [0.0; 3];
        for place in &mut micros {
            *place = words.next()?.parse().ok()?;
        }
        words.next().is_none().then_some(Self { requests, elapsed, micros })
    }
}

/// Starts this program as the clients and waits until they are ready.
pub(super) fn start(plan: &Plan) -> Result<Driver, Failure> {
    let mut command = Command::new(std::env::current_exe()?);
    Driver::start("the clients' process", command.args(plan.words().into_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::Outcome as _;

    #[test]
    fn an_outcome_survives_its_line() {
        let outcome = Outcome { requests: 7, elapsed: Duration::from_nanos(99), micros: [1.5, 2.0, 1e6] };
        assert_eq!(Outcome::parse(&outcome.line()), Some(outcome));
        for line in ["", "done", "done 1 2 3", "done 1 2 3 4 5 6"] {
            assert_eq!(Outcome::parse(line), None, "{line:?}");
        }
    }

    #[test]
    fn the_clients_understand_the_words_of_the_parent() {
        let address = ([127, 0, 0, 1], 4242).into();
        let time_limit = Duration::from_secs(9);
        for (rate, tls) in [(None, true), (Some(500), false)] {
            let plan = Plan { address, connections: 3, rate, tls, seconds: 2, time_limit };
            assert_eq!(plan.words().read(Plan::take), plan);
        }
    }
}
