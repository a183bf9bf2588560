//! Tools for tests of async code.
//!
//! The attribute [`#[wsrt::test]`](macro@crate::test) has the same name, and runs a test on a
//! runtime.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::{fmt, thread};

use crate::util::report::report;

/// Runs `operation` again and again, drops it at each of its waits in turn, and calls `check` after
/// each run. Returns the number of waits.
///
/// A future can be dropped wherever it waits, by a `timeout`, a `select!` or the end of its task. A
/// future is *cancel safe* if nothing is lost then. This function tests such a claim:
///
/// * `make` returns the state for one run. It may spawn peers, which keep running while `operation`
///   waits and after it was dropped.
/// * `operation` uses the state. In the run with number *k*, it is dropped at its *k*-th wait, that
///   is when its poll returns pending for the *k*-th time. There are two such runs: in the first
///   one, `operation` is dropped as soon as it waits. In the second one, it is dropped after it was
///   woken, so that whatever it was given together with the wake-up has to go elsewhere.
/// * `check` receives the state, and the output of `operation`, or `None` if `operation` was
///   dropped. It panics if something was lost.
///
/// The last run is the one in which `operation` completes.
///
/// # Not guaranteed
///
/// Which waits occur depends on the peers and on the runtime. On a current-thread runtime, and even
/// more so in a simulation (feature `sim`), the runs repeat. In a simulation, each seed is another
/// order of the peers' steps. Waits for sockets and files differ from run to run.
///
/// # Panics
///
/// Panics if `operation` completes without waiting, because then nothing was cancelled, and if it
/// waits 5,000 times and does not complete. If a closure panics, so does this function; a line on
/// standard error says at which wait `operation` was dropped.
///
/// # Cancel safety
///
/// Dropping the future drops the closure that is running and the state. The other runs are not
/// made.
///
/// # Examples
///
/// `recv` is cancel safe. The operation of this test is not: it may have received the first value
/// when it is dropped.
///
/// ```
/// use wsrt::sync::mpsc;
/// use wsrt::test::cancel_at_each_await;
///
/// # let runtime = wsrt::runtime::Builder::new_current_thread().build()?;
/// # runtime.block_on(async {
/// let make = async || {
///     let (sender, receiver) = mpsc::channel(1);
///     wsrt::spawn(async move {
///         for value in [1, 2] {
///             sender.send(value).await.expect("the receiver is there");
///         }
///     });
///     (receiver, Vec::new())
/// };
/// let waits = cancel_at_each_await(
///     make,
///     async |(receiver, received)| {
///         while let Some(value) = receiver.recv().await {
///             received.push(value);
///         }
///     },
///     async |(mut receiver, mut received), _| {
///         while let Some(value) = receiver.recv().await {
///             received.push(value);
///         }
///         assert_eq!(received, [1, 2], "a value was lost");
///     },
/// )
/// .await;
/// assert!(waits >= 1);
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
pub async fn cancel_at_each_await<S, T>(
    mut make: impl AsyncFnMut() -> S,
    mut operation: impl AsyncFnMut(&mut S) -> T,
    mut check: impl AsyncFnMut(S, Option<T>),
) -> usize {
    for wait in 1..=MOST_WAITS {
        for moment in [Moment::Begins, Moment::Ends] {
            let _told = ToldByPanic(wait, moment);
            let mut state = make().await;
            let output = run_up_to(wait, moment, operation(&mut state)).await;
            let is_last = output.is_some() && matches!(moment, Moment::Begins);
            check(state, output).await;
            if is_last {
                assert!(wait > 1, "wsrt: `cancel_at_each_await`: {NEVER_WAITED}");
                return wait - 1;
            }
        }
    }
    panic!("wsrt: `cancel_at_each_await`: {NEVER_COMPLETED}");
}

/// There are two runs for each wait, and each run is longer than the one before.
const MOST_WAITS: usize = 5_000;
const NEVER_WAITED: &str = "the operation completed without waiting, so it was not cancelled at all. Let it wait, for \
                            example for a lock that a peer holds, or for a value that a peer sends later";
const NEVER_COMPLETED: &str = "the operation has waited 5,000 times, and has not completed. Let it complete, for example \
                               after three values: there is a run for each of its waits";

/// When an operation is dropped: as its wait begins, or instead of the poll that ends it.
#[derive(Clone, Copy)]
enum Moment {
    Begins,
    Ends,
}

/// Polls `future` until it is ready, and drops it at its wait with the given number.
async fn run_up_to<F: Future>(wait: usize, moment: Moment, future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    let mut waits = 0;
    poll_fn(|cx| {
        if waits == wait {
            return Poll::Ready(None);
        }
        if let Poll::Ready(output) = future.as_mut().poll(cx) {
            return Poll::Ready(Some(output));
        }
        waits += 1;
        if waits == wait && matches!(moment, Moment::Begins) { Poll::Ready(None) } else { Poll::Pending }
    })
    .await
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Begins => "as soon as it waited",
            Self::Ends => "after it was woken, before it was polled",
        })
    }
}

/// Says, if a run panics, where its operation was dropped.
struct ToldByPanic(usize, Moment);

impl Drop for ToldByPanic {
    fn drop(&mut self) {
        if thread::panicking() {
            let Self(wait, moment) = self;
            report(format_args!(
                "`cancel_at_each_await`: the run that panicked was to drop its operation at wait {wait}, {moment}"
            ));
        }
    }
}
