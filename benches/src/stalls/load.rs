//! Many short things, and a few long ones among them.

use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::thread;
use std::time::{Duration, Instant};

use super::cases::connection;
use super::{Outcome, build};
use crate::clockwork::{millis_since, spin};
use crate::random::Random;
use crate::runtimes::Runtime;
use crate::{Failure, workloads};

const ECHO_TIME: Duration = Duration::from_secs(4);
const MESSAGE: usize = 64;
const BURN: Duration = Duration::from_millis(10);
/// Without an answer for so long, the server is given up.
const PATIENCE: Duration = Duration::from_secs(5);

const SHORT: Duration = Duration::from_micros(10);
const LONG: Duration = Duration::from_millis(5);
/// The share of long requests.
const LONG_SHARE: f64 = 0.01;
const LOAD: f64 = 0.6;
const REQUESTS_TIME: Duration = Duration::from_secs(3);

/// Round trips of one connection, one message at a time, beside one task that burns.
pub(super) fn echo<R: Runtime>(processors: usize) -> Result<Outcome, Failure> {
    let runtime: R = build(processors)?;
    let (mut client, stream) = connection(&runtime)?;
    client.set_read_timeout(Some(PATIENCE))?;
    let handle = runtime.handle();
    let stop = Arc::new(AtomicBool::new(false));
    let stops = Arc::clone(&stop);
    let burner = R::spawn_on(&handle, async move {
        while !stops.load(Relaxed) {
            spin(BURN);
            R::yield_now().await;
        }
    });
    let server = R::spawn_on(&handle, workloads::echo::<R>(stream, MESSAGE));
    let start = Instant::now();
    let mut trips = Vec::new();
    while start.elapsed() < ECHO_TIME {
        let sent = Instant::now();
        client.write_all(&[7; MESSAGE])?;
        client.read_exact(&mut [0; MESSAGE])?;
        trips.push(millis_since(sent));
    }
    stop.store(true, Relaxed);
    drop(client);
    runtime.block_on(burner);
    runtime.block_on(server)?;
    Ok(Outcome::quantiles(trips, &[("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999)]))
}

/// A request of the open loop.
#[derive(Clone, Copy)]
struct Request {
    /// After the start.
    arrives: Duration,
    is_long: bool,
}

/// Measures how long short requests take from arrival to end, in a load that arrives whether or not
/// earlier requests have ended.
pub(super) fn short_requests<R: Runtime>(processors: usize) -> Result<Outcome, Failure> {
    let runtime: R = build(processors)?;
    let requests = poisson(processors);
    // Nanoseconds from arrival to end, plus one: 0 is for those that are under way.
    let latencies: Arc<[AtomicU64]> = requests.iter().map(|_| AtomicU64::new(0)).collect();
    inject::<R>(&runtime.handle(), &requests, &latencies);
    let mut short = Vec::new();
    for (request, latency) in requests.iter().zip(latencies.iter()) {
        let nanos = wait_for(latency)?;
        if !request.is_long {
            short.push(nanos as f64 / 1e6);
        }
    }
    Ok(Outcome::quantiles(short, &[("p50", 0.5), ("p99", 0.99)]))
}

/// Spawns each request when its time has come. This thread spins: a sleep would be late by more
/// than the measured times.
fn inject<R: Runtime>(handle: &R::Handle, requests: &[Request], latencies: &Arc<[AtomicU64]>) {
    let start = Instant::now();
    for (number, &Request { arrives, is_long }) in requests.iter().enumerate() {
        while start.elapsed() < arrives {
            std::hint::spin_loop();
        }
        let latencies = Arc::clone(latencies);
        // Dropping the handle detaches the task, with wsrt and with tokio.
        drop(R::spawn_on(handle, async move {
            spin(if is_long { LONG } else { SHORT });
            let latency = start.elapsed().saturating_sub(arrives);
            // Release pairs with the Acquire in `wait_for`.
            latencies[number].store(latency.as_nanos() as u64 + 1, Release);
        }));
    }
}

fn wait_for(latency: &AtomicU64) -> Result<u64, Failure> {
    let give_up = Instant::now() + PATIENCE;
    loop {
        match latency.load(Acquire) {
            0 if Instant::now() > give_up => return Err("a request was never answered".into()),
            0 => thread::sleep(Duration::from_millis(1)),
            nanos => return Ok(nanos - 1),
        }
    }
}

/// Arrivals of a Poisson process that asks for [`LOAD`] of the processors.
fn poisson(processors: usize) -> Vec<Request> {
    let mean_work = SHORT.as_secs_f64() * (1.0 - LONG_SHARE) + LONG.as_secs_f64() * LONG_SHARE;
    let mean_gap = mean_work / (LOAD * processors as f64);
    let mut random = Random::new(1);
    let mut requests = Vec::new();
    let mut time = 0.0;
    while time < REQUESTS_TIME.as_secs_f64() {
        time -= mean_gap * (1.0 - random.share()).ln();
        requests.push(Request { arrives: Duration::from_secs_f64(time), is_long: random.share() < LONG_SHARE });
    }
    requests
}
