//! Stuck polls of every sort, wakes, timers, blocking calls, and the end of the runtime in the
//! midst of it: nothing hangs, and whatever a task owns is dropped once.

use std::future::Future;
use std::pin::Pin;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use wsrt::runtime::{Builder, Handle};
use wsrt::task::{block_in_place, yield_now};
use wsrt::time::sleep;
use wsrt_tests::{LIMIT, Roll, RollEntry, spin_for, within_a_minute};

const ROUNDS: u64 = 50;
const TASKS: usize = 24;
const STEPS: usize = 8;

/// Marsaglia's xorshift: the same rounds each time.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    fn micros(&mut self, bound: u64) -> Duration {
        Duration::from_micros(self.below(bound))
    }
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Yield,
    Timer(Duration),
    /// Waits for a child in the ordinary way.
    Child,
    /// Sleeps unannounced.
    Sleep(Duration),
    /// Computes unannounced.
    Spin(Duration),
    /// Waits on a std channel for a child, unannounced.
    Channel,
    /// Waits on a std channel for a timer of a child.
    ChannelTimer(Duration),
    SleepInPlace(Duration),
    ChannelInPlace,
    BlockOnChild,
    BlockOnTwice,
}

impl Step {
    fn draw(random: &mut Random) -> Self {
        match random.below(13) {
            0..=1 => Self::Yield,
            2 => Self::Timer(random.micros(3000)),
            3..=4 => Self::Child,
            5 => Self::Sleep(random.micros(4000)),
            6 => Self::Spin(random.micros(3000)),
            7 => Self::Channel,
            8 => Self::ChannelTimer(random.micros(2000)),
            9 => Self::SleepInPlace(random.micros(3000)),
            10 => Self::ChannelInPlace,
            11 => Self::BlockOnChild,
            _ => Self::BlockOnTwice,
        }
    }

    /// Takes the step. Where the runtime ends meanwhile, children are cancelled, and waits for them
    /// end with an error.
    async fn take(self, entry: RollEntry) {
        match self {
            Self::Yield => yield_now().await,
            Self::Timer(duration) => sleep(duration).await,
            Self::Child => drop(wsrt::spawn(child(entry, Duration::ZERO, None)).await),
            Self::Sleep(duration) => thread::sleep(duration),
            Self::Spin(duration) => drop(spin_for(duration)),
            Self::Channel => wait_for_child(entry, Duration::ZERO),
            Self::ChannelTimer(duration) => wait_for_child(entry, duration),
            Self::SleepInPlace(duration) => block_in_place(|| thread::sleep(duration)),
            Self::ChannelInPlace => block_in_place(|| wait_for_child(entry, Duration::ZERO)),
            Self::BlockOnChild => block_on_child(entry),
            Self::BlockOnTwice => {
                let task = wsrt::spawn(async move { block_on_child(entry) });
                drop(Handle::current().block_on(task));
            }
        }
    }
}

fn block_on_child(entry: RollEntry) {
    drop(Handle::current().block_on(async move { wsrt::spawn(child(entry, Duration::ZERO, None)).await }));
}

/// Blocks the thread until a child has sent, or is gone.
fn wait_for_child(entry: RollEntry, delay: Duration) {
    let (send, receive) = channel();
    drop(wsrt::spawn(child(entry, delay, Some(send))));
    let outcome = receive.recv_timeout(LIMIT);
    assert_ne!(outcome, Err(std::sync::mpsc::RecvTimeoutError::Timeout), "the child neither ran nor was dropped");
}

async fn child(entry: RollEntry, delay: Duration, send: Option<Sender<()>>) {
    if delay > Duration::ZERO {
        sleep(delay).await;
    } else {
        yield_now().await;
    }
    if let Some(send) = send {
        send.send(()).expect("the parent waits");
    }
    drop(entry);
}

type Boxed = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A task that takes random steps. Whatever it and its children own is on the roll from the start.
fn task(random: &mut Random, roll: &Roll, number: usize, stepped: Sender<()>) -> Boxed {
    let first = number * (STEPS + 1);
    let own = roll.entry(first);
    let steps: Vec<_> = (1..=STEPS).map(|step| (Step::draw(random), roll.entry(first + step))).collect();
    Box::pin(async move {
        for (step, entry) in steps {
            step.take(entry).await;
            // No listener is left once the runtime is about to end.
            let _ = stepped.send(());
        }
        drop(own);
    })
}

/// Drops the runtime after `steps` of the steps, or all if they are fewer.
fn round(seed: u64, steps: usize) {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let processors = 1 + (seed % 3) as usize;
    let runtime = Builder::new_multi_thread().worker_threads(processors).build().expect("a runtime");
    let roll = Roll::new(TASKS * (STEPS + 1));
    let (stepped, progress) = channel();
    let tasks: Vec<_> = (0..TASKS).map(|number| task(&mut random, &roll, number, stepped.clone())).collect();
    let handles: Vec<_> = tasks.into_iter().map(|task| runtime.spawn(task)).collect();
    drop(stepped);
    for step in 0..steps.min(TASKS * STEPS) {
        progress.recv_timeout(LIMIT).unwrap_or_else(|error| panic!("round {seed}, step {step}: {error}"));
    }
    drop(progress);
    let runtime = (steps >= TASKS * STEPS).then_some(runtime);
    // From outside, so that it works without the runtime too: a task that panicked differs from one
    // that was cancelled.
    let outside = Builder::new_current_thread().build().expect("a runtime");
    for handle in handles {
        let panicked = outside.block_on(handle).is_err_and(|error| error.is_panic());
        assert!(!panicked, "round {seed}: a task panicked");
    }
    drop(runtime);
    roll.assert_each_dropped_once();
}

#[test]
fn the_runtime_may_end_in_the_midst_of_stuck_polls() {
    within_a_minute(|| {
        for seed in 1..=ROUNDS {
            round(seed, (seed as usize * 37) % (TASKS * STEPS / 2));
        }
    });
}

#[test]
fn every_step_is_taken_where_the_runtime_stays() {
    within_a_minute(|| {
        for seed in 1..=12 {
            round(100 + seed, usize::MAX);
        }
    });
}
