//! The memory of channels and locks that nothing uses.

use super::{About, Row, about, entries};
use crate::Failure;
use crate::metric::Metric;
use crate::plan::Plan;
use crate::runtimes::Runtime;
use crate::sync::libraries::{AsyncChannel, AsyncLock, Flume, Futures, Kanal, Lock, Queue, Tokio, Unbounded, Wsrt};
use crate::usage::resident_bytes;
use crate::workloads::Figures;

const BOUNDED: About = about(
    "idle_bounded",
    "100,000 channels with room for 64 values, which were never used: the memory of each",
    100_000,
    1,
);
const UNBOUNDED: About =
    about("idle_unbounded", "100,000 unbounded channels, which were never used: the memory of each", 100_000, 1);
const LOCK: About = about("idle_lock", "the size of a mutex around one word, that word included", 1, 1);

pub(super) fn bounded<R: Runtime>() -> Row<R> {
    Row { about: BOUNDED, libraries: entries!(run_bounded, R, [Wsrt, Tokio, AsyncChannel, Flume, Kanal, Futures]) }
}

pub(super) fn unbounded<R: Runtime>() -> Row<R> {
    type U<L> = Unbounded<L>;
    let libraries = entries!(run_unbounded, R, [U<Wsrt>, U<Tokio>, U<AsyncChannel>, U<Flume>, U<Kanal>, U<Futures>]);
    Row { about: UNBOUNDED, libraries }
}

pub(super) fn lock<R: Runtime>() -> Row<R> {
    Row { about: LOCK, libraries: entries!(run_lock, R, [Wsrt, Tokio, AsyncLock, Futures]) }
}

fn run_bounded<R: Runtime, Q: Queue>(runtime: &R, plan: &Plan) -> Figures {
    run_channels::<R, Q>(runtime, plan.size(&BOUNDED))
}

fn run_unbounded<R: Runtime, Q: Queue>(runtime: &R, plan: &Plan) -> Figures {
    run_channels::<R, Q>(runtime, plan.size(&UNBOUNDED))
}

/// Makes channels in a task, and has each carry a value once it was weighed.
fn run_channels<R: Runtime, Q: Queue>(runtime: &R, count: usize) -> Figures {
    let bytes = runtime.run(async move {
        let mut channels = Vec::with_capacity(count);
        // The memory for their ends is there before.
        channels.resize_with(count, || None);
        let before = resident_bytes()?;
        channels.fill_with(|| Some(Q::make()));
        let bytes = resident_bytes()?.saturating_sub(before);
        for (number, channel) in channels.into_iter().enumerate() {
            let (mut sender, mut receiver) = channel.expect("it was made");
            Q::send(&mut sender, number).await;
            assert_eq!(Q::receive(&mut receiver).await, Some(number), "the value");
        }
        Ok::<_, Failure>(bytes)
    })?;
    Ok(vec![Metric::BYTES_IDLE.of(bytes as f64 / count as f64)])
}

fn run_lock<R: Runtime, L: Lock>(runtime: &R, _plan: &Plan) -> Figures {
    let count = runtime.run(async {
        let mutex = L::make();
        L::count(&mutex).await;
        L::into_count(mutex)
    });
    assert_eq!(count, 1, "the lock");
    Ok(vec![Metric::BYTES_IDLE.of(size_of::<L::Mutex>() as f64)])
}
