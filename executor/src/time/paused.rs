//! A clock that a test moves by hand.

use std::time::Duration;

use crate::scheduler::clock::CannotAdvance;
use crate::scheduler::{Context, Flavor};
use crate::task::spawn::yield_now;

/// Stops the clock of the current runtime, for tests.
///
/// From now on [`Instant::now`](super::Instant::now) stands still on this runtime's threads, and
/// timers wait for the clock to be moved on: by [`advance`], or by the runtime itself. That happens
/// when nothing else is left to do: no task is ready, the network is quiet, and no
/// [`spawn_blocking`](crate::task::spawn_blocking) job is at work. Then the clock jumps to the next
/// timer's deadline. So a test of an hour's retries ends at once.
///
/// Threads outside of the runtime, other runtimes and [`std::time::Instant`] go on as ever. What is
/// under way outside, a packet or a thread that is about to wake a task, is not waited for: a
/// timeout around it may be over before it comes.
///
/// # Panics
///
/// Outside a wsrt runtime, on a multi-thread runtime, and if the clock is paused already.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use wsrt::time::{self, Instant, sleep};
///
/// # let runtime = wsrt::runtime::Builder::new_current_thread().build().unwrap();
/// # runtime.block_on(async {
/// time::pause();
/// let began = Instant::now();
/// sleep(Duration::from_secs(60)).await;
/// assert_eq!(began.elapsed(), Duration::from_secs(60));
/// # });
/// ```
#[track_caller]
pub fn pause() {
    let stopped = with_context("pause", |context| context.scheduler().clock.stop());
    assert!(stopped, "wsrt: `time::pause`: the clock is paused already");
}

/// Lets the clock of the current runtime go on from what it shows.
///
/// It stays ahead of the system's by as much as it was moved on.
///
/// # Panics
///
/// Outside a wsrt runtime, on a multi-thread runtime, and if the clock is not paused.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use wsrt::time::{self, Instant, sleep};
///
/// # let runtime = wsrt::runtime::Builder::new_current_thread().start_paused(true).build().unwrap();
/// # runtime.block_on(async {
/// time::resume();
/// let began = std::time::Instant::now();
/// sleep(Duration::from_millis(2)).await;
/// assert!(began.elapsed() >= Duration::from_millis(2));
/// # });
/// ```
#[track_caller]
pub fn resume() {
    let started = with_context("resume", |context| context.scheduler().clock.start());
    assert!(started, "wsrt: `time::resume`: the clock is not paused");
}

/// Moves the paused clock of the current runtime on by `duration`, in one step.
///
/// Timers that have come due by then fire in the order of their deadlines, and the tasks that this
/// wakes have had one turn each when the call returns, in that order if they are no more than a
/// hundred. All of them see the clock at its new time: a task that sleeps for a second ten times
/// over has slept once when the clock was moved by ten seconds. To go through them one by one,
/// sleep instead: a paused clock follows.
///
/// # Panics
///
/// Outside a wsrt runtime, on a multi-thread runtime, if the clock is not paused, and if it cannot
/// count that far.
///
/// # Cancel safety
///
/// The clock moves at the first poll. Dropped after that, it has moved; only the turns of the
/// others are not waited for.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use wsrt::time::{self, Instant, sleep};
///
/// # let runtime = wsrt::runtime::Builder::new_current_thread().start_paused(true).build().unwrap();
/// # runtime.block_on(async {
/// let nap = wsrt::spawn(sleep(Duration::from_secs(10)));
/// wsrt::task::yield_now().await;
/// time::advance(Duration::from_secs(9)).await;
/// assert!(!nap.is_finished());
/// time::advance(Duration::from_secs(1)).await;
/// assert!(nap.is_finished());
/// # });
/// ```
pub async fn advance(duration: Duration) {
    // Behind those who were woken; the injector may be looked into out of turn, while some of them
    // are in the ring already, and so it yields to these.
    let all_had_a_turn = match with_context("advance", |context| context.advance_clock(duration, yield_now())) {
        Ok(task) => task,
        Err(CannotAdvance::Goes) => panic!("wsrt: `time::advance`: the clock is not paused"),
        Err(CannotAdvance::TooFar) => panic!("wsrt: `time::advance`: the clock cannot count {duration:?} further"),
    };
    // A runtime that shuts down drops it, and has no turns left.
    let _ = all_had_a_turn.await;
}

/// Calls `f` with the context of a runtime whose clock may be stopped.
#[track_caller]
fn with_context<R>(what: &str, f: impl FnOnce(&Context) -> R) -> R {
    // Counted, for wakers are fired in `f`: they may drop the guard that keeps the context.
    let Some(context) = Context::current() else {
        panic!("wsrt: `time::{what}` was called outside of a wsrt runtime, so that there is no clock to change");
    };
    assert!(
        context.scheduler().config.flavor == Flavor::CurrentThread,
        "wsrt: `time::{what}` needs a current-thread runtime: build it with `Builder::new_current_thread`, or leave the \
         flavor of `#[wsrt::test]` as it is"
    );
    f(&context)
}
