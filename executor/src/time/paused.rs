//! A clock that tests stop and advance by hand.

use std::time::Duration;

use wsrt_sync::drop_in::OUTSIDE;

use crate::scheduler::clock::CannotAdvance;
use crate::scheduler::{Context, RuntimeFlavor};
use crate::task::spawn::yield_now;

/// Pauses the clock of the current runtime, for use in tests.
///
/// While the clock is paused, [`Instant::now`](super::Instant::now) stands still on the threads of
/// this runtime, and timers wait until the clock is advanced. You advance the clock with
/// [`advance`]. The runtime advances the clock itself when it has nothing else to do: when no task
/// is ready, no socket is ready, and no [`spawn_blocking`](crate::task::spawn_blocking) job is
/// running. The clock then jumps to the deadline of the next timer, so that a test of an hour of
/// retries finishes at once.
///
/// Threads outside the runtime, other runtimes and [`std::time::Instant`] are not affected. The
/// runtime does not wait for external events, such as a packet or a thread that is about to wake a
/// task, so a timeout around such an event may elapse before the event arrives.
///
/// # Panics
///
/// Panics outside a wsrt runtime, on a multi-thread runtime, or if the clock is already paused.
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

/// Resumes the paused clock of the current runtime, starting from the time that the clock shows.
///
/// The clock stays ahead of the system clock by the time that it was advanced.
///
/// # Panics
///
/// Panics outside a wsrt runtime, on a multi-thread runtime, or if the clock is not paused.
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
/// Timers that are due by the new time fire in the order of their deadlines. When the call returns,
/// every task that they woke has been polled once, in the same order if there are at most a hundred
/// tasks. All of these tasks see the clock at its new time: a task that sleeps for one second ten
/// times in a row completes one sleep when the clock is advanced by ten seconds. To step through
/// such timers one by one, call [`sleep`](super::sleep()) instead, which moves a paused clock from
/// deadline to deadline.
///
/// # Panics
///
/// Panics if called outside a wsrt runtime, on a multi-thread runtime, if the clock is not paused,
/// or if the clock cannot represent the new time.
///
/// # Cancel safety
///
/// The clock advances on the first poll. If the future is dropped after the first poll, the call
/// merely does not wait until the other tasks have been polled.
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

/// Calls `f` with the context of a runtime whose clock can be paused.
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
