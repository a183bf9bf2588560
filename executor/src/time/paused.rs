//! A clock that a test advances by hand.

use std::time::Duration;

use wsrt_sync::drop_in::OUTSIDE;

use crate::scheduler::clock::CannotAdvance;
use crate::scheduler::{Context, RuntimeFlavor};
use crate::task::spawn::yield_now;

/// Stops the clock of the current runtime, for tests.
///
/// From now on [`Instant::now`](super::Instant::now) stands still on this runtime's threads, and
/// timers wait until the clock is advanced: by [`advance`], or by the runtime itself. The runtime
/// does so when nothing else is left to do: no task is ready, the network is quiet, and no
/// [`spawn_blocking`](crate::task::spawn_blocking) job runs. Then the clock jumps to the next
/// timer's deadline. So a test of an hour's retries ends at once.
///
/// Threads outside the runtime, other runtimes and [`std::time::Instant`] are not affected. The
/// runtime does not wait for events from outside, such as a packet or a thread that is about to
/// wake a task: a timeout around one may elapse before it comes.
///
/// # Panics
///
/// Panics outside a wsrt runtime, on a multi-thread runtime, and if the clock is paused already.
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

/// Starts the paused clock of the current runtime again, from the time that it shows.
///
/// It stays ahead of the system's by as much as it was advanced.
///
/// # Panics
///
/// Panics outside a wsrt runtime, on a multi-thread runtime, and if the clock is not paused.
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

/// Advances the paused clock of the current runtime by `duration`, in one step.
///
/// Timers that have come due by then fire in the order of their deadlines, and the tasks that they
/// wake have been polled once each when the call returns, in that order if they are no more than a
/// hundred. All of them see the clock at its new time: a task that sleeps for a second ten times in
/// a row has slept once when the clock was advanced by ten seconds. To go through them one by one,
/// sleep instead: a paused clock follows.
///
/// # Panics
///
/// Panics outside a wsrt runtime, on a multi-thread runtime, if the clock is not paused, and if it
/// cannot count that far.
///
/// # Cancel safety
///
/// The first poll advances the clock. Dropped after that, it only does not wait until the other
/// tasks have been polled.
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
    // Spawned behind the tasks that were woken. A machine may take from the injector while some of
    // them are still in the ring, and so the task yields to these.
    let all_were_polled = match with_context("advance", |context| context.advance_clock(duration, yield_now())) {
        Ok(task) => task,
        Err(CannotAdvance::Goes) => panic!("wsrt: `time::advance`: the clock is not paused"),
        Err(CannotAdvance::TooFar) => panic!("wsrt: `time::advance`: the clock cannot count {duration:?} further"),
    };
    // A runtime that shuts down drops it, and polls no task any more.
    let _ = all_were_polled.await;
}

/// Calls `f` with the context of a runtime whose clock may be stopped.
#[track_caller]
fn with_context<R>(what: &str, f: impl FnOnce(&Context) -> R) -> R {
    // Counted, for `f` calls wakers, which may drop the guard that keeps the context.
    let Some(context) = Context::current() else {
        panic!("wsrt: {OUTSIDE}`time::{what}` was called outside a wsrt runtime, so that there is no clock to change");
    };
    assert!(
        context.scheduler().config.flavor == RuntimeFlavor::CurrentThread,
        "wsrt: `time::{what}` needs a current-thread runtime: build it with `Builder::new_current_thread`, or leave the \
         flavor of `#[wsrt::test]` as it is"
    );
    f(&context)
}
