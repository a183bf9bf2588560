//! Loops in the background: a few background tasks do the work, and leave the processor after each
//! slice of it.

use std::sync::Arc;
use std::time::Duration;

use wsrt_sync::CancellationToken;

use crate::fork_join::{LoopBody, run_loop, run_loop_by};
use crate::parallel::{IntoItems, Items, Until};
use crate::scheduler::core::limits::LONGEST_TURN;
use crate::scheduler::{Context, RuntimeFlavor, Scheduler};
use crate::task::{scope, yield_now};
use crate::util::unwind::{Payload, quietly};

/// Runs parallel loops in time that nothing else wants. Returned by [`background`].
#[derive(Debug, Clone, Copy)]
pub struct Background(());

/// Returns an object with this module's loops, which use only processor time that nothing else
/// wants.
///
/// The work is done by as many [background tasks](crate::task::spawn_background) as the runtime has
/// processors, in slices of about 100 µs: between two slices a processor looks for other tasks. The
/// calling thread has no part in the work. It waits, and in a task it hands its processor over
/// meanwhile. A slice is longer if a single item takes longer.
///
/// A loop runs on the calling thread, as any other work there, where it would have no helpers: on a
/// current-thread runtime, in a simulation, and outside a runtime. So does the rest of a loop whose
/// runtime shuts down. Parallel calls inside the closures are ordinary ones.
///
/// # Not guaranteed
///
/// The caller waits for as long as other tasks keep all processors busy, but for the
/// [share](crate::runtime::Builder::background_share) of background tasks. So a request should not
/// wait for such a loop.
///
/// # Examples
///
/// ```
/// use wsrt::parallel;
///
/// # let runtime = wsrt::runtime::Runtime::new().unwrap();
/// # runtime.block_on(async {
/// let pictures: Vec<u64> = (0..1000).collect();
/// let thumbnails = parallel::background().map_collect(&pictures, |picture| picture % 7);
/// assert_eq!(thumbnails[8], 1);
/// # });
/// ```
pub fn background() -> Background {
    Background(())
}

impl Background {
    const LOOPS: Until<'static> = Until { in_background: true, ..Until::END };

    /// Returns an object with the same loops, which stop early when `token` is cancelled, like
    /// those of [`until`](super::until).
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::parallel;
    /// use wsrt::sync::CancellationToken;
    ///
    /// let token = CancellationToken::new();
    /// token.cancel();
    /// assert!(parallel::background().until(&token).for_each(0..1000_u64, |_| ()).is_err());
    /// ```
    pub fn until(self, token: &CancellationToken) -> Until<'_> {
        Until { in_background: true, ..super::until(token) }
    }

    /// Calls `f` for each item like [`for_each`](fn@super::for_each), in the background.
    ///
    /// # Panics
    ///
    /// If `f` panics, this method panics with the payload of the first panic.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut rows = vec![1; 1000];
    /// wsrt::parallel::background().for_each(&mut rows, |row| *row += 1);
    /// assert!(rows.iter().all(|row| *row == 2));
    /// ```
    pub fn for_each<I, F>(self, items: I, f: F)
    where
        I: IntoItems,
        F: Fn(<I::Items as Items>::Item) + Sync,
    {
        let done = Self::LOOPS.for_each(items, f);
        debug_assert!(done.is_ok(), "there is no token to cancel it");
    }

    /// Calls `f` for each item like [`map_collect`](super::map_collect), in the background, and
    /// returns the results in order.
    ///
    /// # Panics
    ///
    /// If `f` panics, this method panics with the payload of the first panic.
    ///
    /// # Examples
    ///
    /// ```
    /// let squares = wsrt::parallel::background().map_collect(0..4_u64, |n| n * n);
    /// assert_eq!(squares, [0, 1, 4, 9]);
    /// ```
    pub fn map_collect<I, T, F>(self, items: I, f: F) -> Vec<T>
    where
        I: IntoItems,
        T: Send,
        F: Fn(<I::Items as Items>::Item) -> T + Sync,
    {
        Self::LOOPS.map_collect(items, f).expect("there is no token to cancel it")
    }

    /// Maps and combines the items like [`reduce`](super::reduce()), in the background.
    ///
    /// # Panics
    ///
    /// If a closure panics, `reduce` panics with the payload of the first panic.
    ///
    /// # Examples
    ///
    /// ```
    /// let sum = wsrt::parallel::background().reduce(0..1000_u64, || 0, |n| n, |a, b| a + b);
    /// assert_eq!(sum, 499_500);
    /// ```
    pub fn reduce<I, T, E, M, C>(self, items: I, identity: E, map: M, combine: C) -> T
    where
        I: IntoItems,
        T: Send,
        E: Fn() -> T + Sync,
        M: Fn(<I::Items as Items>::Item) -> T + Sync,
        C: Fn(T, T) -> T + Sync,
    {
        Self::LOOPS.reduce(items, identity, map, combine).expect("there is no token to cancel it")
    }
}

/// How long a task of a loop works in one poll.
fn slice() -> Duration {
    Duration::from_nanos(LONGEST_TURN / 2)
}

/// Runs a loop over `0..count` in the background.
///
/// # Errors
///
/// Returns the first panic.
pub(super) fn run_loop_in_background<B: LoopBody>(count: u32, body: &B) -> Result<(), Payload> {
    let has_machines = |scheduler: &Arc<Scheduler>| {
        scheduler.config.flavor == RuntimeFlavor::MultiThread && scheduler.simulation.is_none()
    };
    let Some(scheduler) = Context::current_scheduler().filter(has_machines) else {
        return run_loop(count, body);
    };
    let tasks = scheduler.processors.regular();
    run_loop_by(&scheduler, count, body, |region| {
        let work = || async move {
            while region.pass_by(slice()) {
                yield_now().await;
            }
        };
        // A runtime that ends drops the tasks, and the scope panics. The caller does the rest.
        quietly(|| {
            scope(|scope| (0..tasks).for_each(|_| drop(scope.spawn_background(work()))));
        });
    })
}
