//! A million tasks that wait at a gate: the memory of each, and the time to wake them all.
//!
//! The gate keeps the wakers in memory that was counted before: the figure is the memory of the
//! task itself, its future (three words) included.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use super::countdown::Countdown;
use super::{About, Failure, Figures, Plan, Round, Runtime};
use crate::metric::Metric;
use crate::usage::resident_bytes;

pub(super) const ABOUT: About = About {
    name: "parked",
    summary: "1,000,000 tasks wait until one task wakes them all: until the last has ended, and the memory that each takes",
    size: 1_000_000,
    rounds: 1,
    bare: None,
};

pub(super) fn run<R: Runtime>(runtime: &R, plan: &Plan) -> Figures {
    let size = plan.size(&ABOUT);
    // Only fresh memory shows a task's size: one round, and the first one.
    let (woken, bytes) = runtime.run(round::<R>(size))?;
    let each = Metric::BYTES_PER_TASK.of(bytes as f64 / size as f64);
    Ok(vec![woken.milliseconds_each(), each])
}

async fn round<R: Runtime>(size: usize) -> Result<(Round, u64), Failure> {
    let (ended, end) = Countdown::new(size);
    let (arrived, arrival) = Countdown::new(size);
    let gate = Arc::new(Gate::new(size));
    let crowd = Arc::new(Crowd { gate: Arc::clone(&gate), arrived, ended });

    let before = resident_bytes()?;
    for number in 0..size {
        R::spawn_detached(pass(Arc::clone(&crowd), number));
    }
    // The remaining owners of the crowd are its tasks: if they are lost, the counts die with them.
    drop(crowd);
    arrival.await.expect("a task was lost before it came to the gate");
    let bytes = resident_bytes()?.saturating_sub(before);

    let start = Instant::now();
    gate.open();
    end.await.expect("a task was lost at the gate");
    Ok((Round::since(start, 1), bytes))
}

struct Crowd {
    gate: Arc<Gate>,
    arrived: Arc<Countdown>,
    ended: Arc<Countdown>,
}

async fn pass(crowd: Arc<Crowd>, number: usize) {
    AtGate { crowd: &crowd, number }.await;
    crowd.ended.count();
}

/// A place for the waker of each waiting task, and whether the gate is open.
struct Gate {
    open: AtomicBool,
    places: Vec<Mutex<Option<Waker>>>,
}

impl Gate {
    fn new(places: usize) -> Self {
        Self { open: AtomicBool::new(false), places: (0..places).map(|_| Mutex::new(None)).collect() }
    }

    /// Lets all tasks through.
    fn open(&self) {
        // Relaxed: each place's lock hands this on to the task that comes to the place after it was
        // emptied.
        self.open.store(true, Ordering::Relaxed);
        for place in &self.places {
            let waker = place.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(waker) = waker {
                waker.wake();
            }
        }
    }

    /// Waits at `place`. Says whether that has an end, and whether `waker` is the first there.
    fn wait(&self, place: usize, waker: &Waker) -> (Poll<()>, bool) {
        let mut place = self.places[place].lock().unwrap_or_else(PoisonError::into_inner);
        // Relaxed: see `open`.
        if self.open.load(Ordering::Relaxed) {
            return (Poll::Ready(()), false);
        }
        (Poll::Pending, place.replace(waker.clone()).is_none())
    }
}

struct AtGate<'a> {
    crowd: &'a Crowd,
    number: usize,
}

impl Future for AtGate<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let (poll, is_first) = self.crowd.gate.wait(self.number, context.waker());
        if is_first {
            self.crowd.arrived.count();
        }
        poll
    }
}
