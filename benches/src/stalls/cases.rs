//! One task waits, and another is stuck.

use std::io::Write;
use std::net::TcpStream as StdStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::{Outcome, build};
use crate::Failure;
use crate::clockwork::{millis_since, spin};
use crate::runtimes::Runtime;

const TICK: Duration = Duration::from_millis(1);
const TICKER_TIME: Duration = Duration::from_secs(2);
const BLOCK: Duration = Duration::from_millis(50);
const SPIN: Duration = Duration::from_millis(100);
const ROUNDS: usize = 15;
/// The pause after which a runtime has come to rest.
const REST: Duration = Duration::from_millis(10);
const FOOD_DELAY: Duration = Duration::from_millis(20);
/// After this long a wedged task is taken to be wedged for good.
const WEDGED: Duration = Duration::from_millis(500);

pub(super) fn ticker<R: Runtime>(processors: usize) -> Result<Outcome, Failure> {
    let runtime: R = build(processors)?;
    let lateness = runtime.run(async move {
        let stop = Arc::new(AtomicBool::new(false));
        let blockers: Vec<_> =
            (0..processors).map(|_| R::spawn(block_again_and_again::<R>(Arc::clone(&stop)))).collect();
        let lateness = tick::<R>().await;
        stop.store(true, Relaxed);
        for blocker in blockers {
            blocker.await;
        }
        lateness
    });
    Ok(Outcome::quantiles(lateness, &[("p50", 0.5), ("p99", 0.99)]))
}

async fn block_again_and_again<R: Runtime>(stop: Arc<AtomicBool>) {
    while !stop.load(Relaxed) {
        thread::sleep(BLOCK);
        R::yield_now().await;
    }
}

async fn tick<R: Runtime>() -> Vec<f64> {
    let start = Instant::now();
    let mut lateness = Vec::new();
    let mut due = start + TICK;
    while start.elapsed() < TICKER_TIME {
        R::sleep_until(due).await;
        lateness.push(millis_since(due));
        due = Instant::now().max(due) + TICK;
    }
    lateness
}

/// How long a task waits that is readied by one that then spins, beside `others` that spin already.
pub(super) fn readied<R: Runtime>(processors: usize, others: usize) -> Result<Outcome, Failure> {
    let runtime: R = build(processors)?;
    let mut waits = Vec::new();
    for _ in 0..ROUNDS {
        let (spins, is_spinning) = channel();
        let (ran, has_run) = channel();
        let handle = runtime.handle();
        let spinners: Vec<_> = (0..others)
            .map(|_| {
                let spins = spins.clone();
                R::spawn_on(&handle, async move {
                    let _ = spins.send(());
                    spin(SPIN);
                })
            })
            .collect();
        for _ in 0..others {
            is_spinning.recv()?;
        }
        runtime.run(async move {
            let readied = Instant::now();
            R::spawn_detached(async move {
                let _ = ran.send(millis_since(readied));
            });
            spin(SPIN);
        });
        waits.push(has_run.recv()?);
        for spinner in spinners {
            runtime.block_on(spinner);
        }
        thread::sleep(REST);
    }
    Ok(Outcome::greatest(waits))
}

/// How long an I/O-woken task waits that blocks until another I/O-woken task feeds it.
pub(super) fn wedge<R: Runtime>(processors: usize) -> Result<Outcome, Failure> {
    let runtime: R = build(processors)?;
    let mut waits = Vec::new();
    for _ in 0..ROUNDS {
        waits.extend(wedge_once(&runtime)?);
    }
    if waits.len() < ROUNDS {
        let wedged = ROUNDS - waits.len();
        return Ok(Outcome::Words(format!("wedged in {wedged} of {ROUNDS} rounds (given up after {WEDGED:?})")));
    }
    Ok(Outcome::greatest(waits))
}

/// `None` if it was not fed in time.
fn wedge_once<R: Runtime>(runtime: &R) -> Result<Option<f64>, Failure> {
    let (mut wake_eater, eater_stream) = connection(runtime)?;
    let (mut wake_feeder, feeder_stream) = connection(runtime)?;
    let (feed, food) = channel();
    let (eaten, is_eaten) = channel();
    let handle = runtime.handle();
    let eater = R::spawn_on(&handle, async move {
        read_one::<R>(eater_stream).await;
        let _ = eaten.send(eat(&food));
    });
    let feeder = R::spawn_on(&handle, async move {
        read_one::<R>(feeder_stream).await;
        let _ = feed.send(());
    });
    thread::sleep(REST);
    let start = Instant::now();
    wake_eater.write_all(b"x")?;
    thread::sleep(FOOD_DELAY);
    wake_feeder.write_all(b"x")?;
    let eaten_at: Option<Instant> = is_eaten.recv()?;
    runtime.block_on(eater);
    runtime.block_on(feeder);
    Ok(eaten_at.map(|at| (at - start).as_secs_f64() * 1e3))
}

fn eat(food: &Receiver<()>) -> Option<Instant> {
    food.recv_timeout(WEDGED).ok().map(|()| Instant::now())
}

async fn read_one<R: Runtime>(mut stream: R::Stream) {
    let mut byte = [0];
    let _ = R::read(&mut stream, &mut byte).await;
}

/// A pair of connected sockets: one for an ordinary thread, one for the runtime.
pub(super) fn connection<R: Runtime>(runtime: &R) -> Result<(StdStream, R::Stream), Failure> {
    runtime.block_on(async {
        let listener = R::bind(([127, 0, 0, 1], 0).into()).await?;
        let client = StdStream::connect(R::local_addr(&listener)?)?;
        client.set_nodelay(true)?;
        Ok((client, R::accept(&listener).await?))
    })
}
