//! A server at 60 % load, with and without an endless supply of background polls beside it: the
//! latency of its answers, and the part of the time that it leaves which the background gets.
//!
//! Requests come over TCP, from threads that send whether or not the server is behind: an answer
//! that is late is counted from the time at which its request was due. Each request computes for a
//! while. The two kinds of runs take turns, each on a runtime of its own.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::{Duration, Instant};

use wsrt::net::TcpListener;
use wsrt::runtime::{Builder, Runtime};
use wsrt::task::yield_now;

use crate::Failure;
use crate::clockwork::spin;
use crate::harness::{Arguments, Job, Program};
use crate::measure::{median, quantile};
use crate::random::Random;

const PROCESSORS: usize = 2;
const CLIENTS: usize = 16;
/// Background tasks: more than there are processors, so that one is always ready.
const TASKS: usize = 8;
const MESSAGE: usize = 64;

/// The extent of a measurement.
#[derive(Clone, Copy)]
struct Plan {
    /// How long each request computes.
    work: Duration,
    /// How long each poll of a background task computes.
    poll: Duration,
    /// In percent of the processors.
    load: u32,
    rounds: usize,
    /// How long a run takes.
    run: Duration,
}

impl Plan {
    fn take(arguments: &mut Arguments) -> Result<Self, Failure> {
        let micros = |value: Option<u64>, usual| Duration::from_micros(value.unwrap_or(usual));
        Ok(Self {
            work: micros(arguments.positive("--work")?, 200),
            poll: micros(arguments.positive("--poll")?, 100),
            load: arguments.positive("--load")?.unwrap_or(60),
            rounds: arguments.positive("--rounds")?.unwrap_or(5),
            run: Duration::from_millis(arguments.positive("--millis")?.unwrap_or(2_000)),
        })
    }

    /// The mean time between two requests of one client.
    fn gap(&self) -> Duration {
        self.work.mul_f64(CLIENTS as f64 * 100.0 / (f64::from(self.load) * PROCESSORS as f64))
    }
}

/// The program `background`.
pub const PROGRAM: Program = Program {
    name: "background",
    help: || {
        "background [--work MICROSECONDS] [--poll MICROSECONDS] [--load PERCENT] [--rounds N] [--millis N]\n".to_owned()
    },
    roles: &[],
    compare: |arguments| {
        let plan = Plan::take(arguments)?;
        Ok(Box::new(move || compare(plan)) as Job)
    },
};

/// The outcome of one run.
struct Run {
    /// Of each answer, in seconds, sorted.
    answers: Vec<f64>,
    /// For how long the processors were held, all together.
    busy: Duration,
    background: Duration,
    /// The time that the processors had, all together.
    had: Duration,
}

impl Run {
    fn at(&self, share: f64) -> f64 {
        quantile(&self.answers, share)
    }
}

fn compare(plan: Plan) -> Result<(), Failure> {
    println!("| round | p50 without | with | p99 without | with | ratio | busy without | of what is left |");
    println!("|---|--:|--:|--:|--:|--:|--:|--:|");
    let (mut ratios, mut parts) = (Vec::new(), Vec::new());
    for round in 1..=plan.rounds {
        // In turns: the first of two runs may find the machine colder.
        let (without, with) = if round % 2 == 0 {
            let with = run(plan, TASKS)?;
            (run(plan, 0)?, with)
        } else {
            (run(plan, 0)?, run(plan, TASKS)?)
        };
        let (busy, had) = (without.busy.as_secs_f64(), without.had.as_secs_f64());
        let left = with.had.as_secs_f64() * (1.0 - busy / had);
        let (ratio, part) = (with.at(0.99) / without.at(0.99), with.background.as_secs_f64() / left);
        let micros = |run: &Run, share| 1e6 * run.at(share);
        println!(
            "| {round} | {:.0} µs | {:.0} µs | {:.0} µs | {:.0} µs | {ratio:.2} | {:.0} % | {:.0} % |",
            micros(&without, 0.5),
            micros(&with, 0.5),
            micros(&without, 0.99),
            micros(&with, 0.99),
            100.0 * busy / had,
            100.0 * part,
        );
        ratios.push(ratio);
        parts.push(part);
    }
    println!("median: p99 with background polls is {:.2} of that without;", median(&ratios));
    println!("the background gets {:.0} % of what is left", 100.0 * median(&parts));
    Ok(())
}

/// Serves for the time of one run, beside so many background tasks.
fn run(plan: Plan, tasks: usize) -> Result<Run, Failure> {
    let runtime = Builder::new_multi_thread().worker_threads(PROCESSORS).build()?;
    let address = runtime.run(serve(plan.work))?;
    let is_over = Arc::new(AtomicBool::new(false));
    for _ in 0..tasks {
        let is_over = Arc::clone(&is_over);
        drop(runtime.spawn_background(compute(plan.poll, is_over)));
    }
    let run = measure(plan, &runtime, address);
    is_over.store(true, Relaxed);
    run
}

async fn compute(poll: Duration, is_over: Arc<AtomicBool>) {
    while !is_over.load(Relaxed) {
        spin(poll);
        yield_now().await;
    }
}

async fn serve(work: Duration) -> std::io::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    wsrt::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            wsrt::spawn(async move {
                let mut message = [0; MESSAGE];
                while stream.read_exact(&mut message).await.is_ok() {
                    spin(work);
                    if stream.write_all(&message).await.is_err() {
                        return;
                    }
                }
            });
        }
    });
    Ok(address)
}

fn measure(plan: Plan, runtime: &Runtime, address: SocketAddr) -> Result<Run, Failure> {
    let before = runtime.metrics().snapshot();
    let answers = thread::scope(|scope| {
        let clients: Vec<_> = (1..=CLIENTS as u64).map(|seed| scope.spawn(move || ask(plan, address, seed))).collect();
        let answers = clients.into_iter().map(|client| client.join().map_err(|_| "a client panicked")?);
        answers.collect::<Result<Vec<_>, Failure>>()
    })?;
    let during = runtime.metrics().snapshot().since(&before);
    let mut answers = answers.concat();
    answers.sort_by(f64::total_cmp);
    let (total, had) = (during.total(), during.elapsed() * PROCESSORS as u32);
    Ok(Run { answers, busy: total.busy_time(), background: total.background_time(), had })
}

/// Sends requests at the arrivals of a Poisson process, one after the other, and returns how long
/// each answer took, in seconds.
fn ask(plan: Plan, address: SocketAddr, seed: u64) -> Result<Vec<f64>, Failure> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let mut random = Random::new(seed);
    let (start, mut due, mut answers) = (Instant::now(), Duration::ZERO, Vec::new());
    while due < plan.run {
        due += random.pause(plan.gap());
        let mut begun = start + due;
        if let Some(early) = begun.checked_duration_since(Instant::now()) {
            thread::sleep(early);
            // A thread sleeps longer than it is told, and no server is to blame.
            begun = Instant::now();
        }
        stream.write_all(&[7; MESSAGE])?;
        stream.read_exact(&mut [0; MESSAGE])?;
        answers.push(begun.elapsed().as_secs_f64());
    }
    Ok(answers)
}
