//! A barrier, where tasks wait until a given number of them have arrived.

use crate::budget;
use crate::console::{AsyncOp, Resource, state};
use crate::sync::Mutex;
use crate::wait::{self, Place, WaitKind};
use crate::wait_list::WaitList;
use crate::wakers::wake_in_batches;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// A barrier, which lets a group of tasks wait until all of them have reached the same point.
///
/// After the last task of a group has arrived, the barrier starts over for the next group.
///
/// # Examples
///
/// ```
/// # mod wsrt { pub use wsrt_sync as sync; }
/// use std::sync::Arc;
/// use wsrt::sync::Barrier;
///
/// let both_are_there = Arc::new(Barrier::new(2));
/// let other = Arc::clone(&both_are_there);
/// let thread = std::thread::spawn(move || wsrt_sync::blocking::block_on(other.wait()).is_leader());
/// let leads = wsrt_sync::blocking::block_on(both_are_there.wait()).is_leader();
/// assert_ne!(leads, thread.join().unwrap(), "one of the two leads");
/// ```
#[derive(Debug)]
pub struct Barrier {
    size: usize,
    place: Place,
    state: Mutex<BarrierState>,
    shown: Resource,
}

#[derive(Debug)]
struct BarrierState {
    /// The number of arrivals since the barrier last opened.
    arrived: usize,
    waiters: WaitList<()>,
}

/// The result of [`Barrier::wait`], which tells a single task of each group that it is the leader.
#[derive(Debug, Clone)]
pub struct BarrierWaitResult(bool);

impl BarrierWaitResult {
    /// Returns `true` for exactly one task of each group: the last one to arrive.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use wsrt::sync::Barrier;
    ///
    /// let barrier = Barrier::new(1);
    /// assert!(barrier.wait().await.is_leader(), "one of those that met is");
    /// # });
    /// ```
    #[must_use]
    pub fn is_leader(&self) -> bool {
        self.0
    }
}

impl Barrier {
    /// Creates a barrier for groups of `n` tasks. An `n` of 0 counts as 1.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// let alone = wsrt::sync::Barrier::new(1);
    /// assert!(alone.wait().await.is_leader());
    /// # });
    /// ```
    #[must_use]
    #[track_caller]
    pub fn new(n: usize) -> Self {
        let state = Mutex::new(BarrierState { arrived: 0, waiters: WaitList::new() });
        Self { size: n.max(1), place: Location::caller(), state, shown: Resource::new() }
    }

    /// Waits until `n` tasks, the barrier's group size, have called this method.
    ///
    /// One caller of each group, the last to arrive, receives a result whose
    /// [`is_leader`](BarrierWaitResult::is_leader) is `true`.
    ///
    /// # Cancel safety
    ///
    /// This method is not cancel safe: a future that is dropped after its first poll still counts
    /// as an arrival.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use wsrt::sync::Barrier;
    ///
    /// let barrier = Barrier::new(1);
    /// assert!(barrier.wait().await.is_leader(), "it was the last to come");
    /// # });
    /// ```
    pub async fn wait(&self) -> BarrierWaitResult {
        BarrierWait { barrier: self, key: None, shown: AsyncOp::none() }.await
    }

    /// Shows in the console how many tasks have arrived. Called without the lock.
    fn show_arrived(&self) {
        state!(self.shown, arrived = self.state.lock().arrived);
    }

    /// Counts an arrival. Returns `None` if it was the last one, after waking the other tasks.
    fn arrive(&self, cx: &Context<'_>) -> Option<usize> {
        let waker = cx.waker().clone();
        let mut state = self.state.lock();
        state.arrived += 1;
        if state.arrived < self.size {
            return Some(state.waiters.push((), waker));
        }
        state.arrived = 0;
        state.waiters.release_all();
        wake_in_batches(state, || self.state.lock(), |mut state, wakers| state.waiters.take_released(wakers));
        None
    }
}

#[derive(Debug)]
struct BarrierWait<'a> {
    barrier: &'a Barrier,
    /// The key in the wait list, since the first poll.
    key: Option<usize>,
    shown: AsyncOp,
}

impl BarrierWait<'_> {
    /// Records the wait, and shows it in the console.
    fn note_wait(&mut self) {
        self.shown.pending(&self.barrier.shown, WaitKind::Barrier, self.barrier.place);
        self.barrier.show_arrived();
        wait::note(WaitKind::Barrier, self.barrier.place);
    }
}

impl Future for BarrierWait<'_> {
    type Output = BarrierWaitResult;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<BarrierWaitResult> {
        let this = self.get_mut();
        ready!(budget::poll_proceed(cx));
        let Some(key) = this.key else {
            this.key = this.barrier.arrive(cx);
            if this.key.is_some() {
                this.note_wait();
                return Poll::Pending;
            }
            this.barrier.show_arrived();
            budget::spend();
            return Poll::Ready(BarrierWaitResult(true));
        };
        let waker = cx.waker().clone();
        let mut state = this.barrier.state.lock();
        if state.waiters.is_linked(key) {
            let displaced = state.waiters.replace_waker(key, waker);
            drop(state);
            drop(displaced);
            this.note_wait();
            return Poll::Pending;
        }
        let _ = state.waiters.remove(key);
        drop(state);
        this.shown.ready();
        this.key = None;
        budget::spend();
        Poll::Ready(BarrierWaitResult(false))
    }
}

impl Drop for BarrierWait<'_> {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            wait::take_back(WaitKind::Barrier, self.barrier.place);
            let mut state = self.barrier.state.lock();
            let removed = state.waiters.remove(key);
            drop(state);
            drop(removed);
        }
    }
}
