//! Permits and the tasks that wait for them: the common basis of [`Semaphore`](crate::Semaphore),
//! [`Mutex`](crate::Mutex) and [`RwLock`](crate::RwLock).
//!
//! One word counts the free permits, and a list behind a lock holds the waiters in the order of
//! their arrival. While the list is empty, only the word is touched: acquiring permits costs one
//! compare-and-swap, and giving them back costs another.
//!
//! # Hand-over
//!
//! A waiter that enters the list takes all permits that are free, even if it needs more, and
//! permits that are given back while the list is not empty go to the first waiter. Hence *no permit
//! is free while a task waits*, and a newcomer cannot overtake, because it finds nothing to take.
//!
//! # Offers
//!
//! A hand-over costs a wake and a change of tasks, many times as much as a short critical section.
//! So a *mutex* that is released in the poll that acquired it is only offered (`offer.rs`): the
//! permit becomes free, the first waiter is woken and stays in the list, and until it looks,
//! running tasks take and release the mutex as if no task waited. A waiter that finds the mutex
//! taken waits on as the first of the list, and after [`OVERTAKES`](crate::sync::OVERTAKES) vain
//! wakes it is handed the mutex. Hence *a permit is free while a task waits only if a task was
//! woken for it that has not looked since*.
//!
//! A mutex that was held across an `await` is handed over. The mutexes of the drop-in always are,
//! because tokio's documentation promises the order.
//!
//! # The word
//!
//! | bit | meaning | set by | cleared by |
//! |---|---|---|---|
//! | 0 `CLOSED` | no permit is given out any more | `close`, under the lock | never |
//! | 1 `WAITING` | the list is not empty | a waiter that enters, under the lock | the one that unlinks the last waiter, under the lock |
//! | 2 `WOKEN` | the mutex was offered to the first waiter, which has not looked since | `offer_or_serve`, under the lock | that waiter, as it takes the permit, finds none or leaves, under the lock |
//! | the rest | free permits; zero while `WAITING` is set and `WOKEN` is not | `take`, `give`, `enter` | |
//!
//! `take` is Acquire and `give` is Release, so whatever the last owner did with a permit happened
//! before whatever the next owner does. A permit that is handed over to a waiter goes through the
//! list's lock instead.

use crate::acquire::AcquirePermits;
use crate::budget::with_state;
use crate::console::{PermitsResource, Resource};
use crate::current_poll::CurrentPoll;
use crate::current_task;
use crate::holder::{Holder, PermitTotal, by_owned_guard};
use crate::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use crate::sync::atomic::{AtomicUsize, fence};
use crate::sync::{WaitGuard, const_fn};
use crate::wait::{Place, WaitKind};
use crate::wait_queue::{LazyWaitQueue, ServeProgress, WaitQueueState};
use crate::wakers::wake_in_batches;
use std::panic::{Location, RefUnwindSafe, UnwindSafe};
use std::ptr;
use std::task::Waker;

const CLOSED: usize = 0b001;
pub(crate) const WAITING: usize = 0b010;
pub(crate) const WOKEN: usize = 0b100;
pub(crate) const ONE: usize = 0b1000;

/// The largest possible number of permits.
pub(crate) const MOST: usize = usize::MAX >> 3;

/// The number of free permits, and the waiters for more.
#[derive(Debug)]
pub(crate) struct BatchSemaphore {
    pub(crate) word: AtomicUsize,
    waiters: LazyWaitQueue,
    /// The place where the lock was created.
    pub(crate) place: Place,
    pub(crate) holder: Holder,
    pub(crate) total: PermitTotal,
    /// True for a mutex: a short hold ends with an offer instead of a hand-over.
    pub(crate) offers: bool,
    shown: PermitsResource,
}

/// The reasons why permits cannot be taken at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AcquireRefused {
    Closed,
    /// Too few permits are free.
    TooFew,
}

// No code of others runs while the lock is held, so a panic leaves nothing half done.
impl UnwindSafe for BatchSemaphore {}
impl RefUnwindSafe for BatchSemaphore {}

impl BatchSemaphore {
    const_fn! {
        /// # Panics
        ///
        /// Panics if `count` is greater than [`MOST`].
        #[track_caller]
        pub(crate) fn new(count: usize) -> Self {
            Self::made(count, false)
        }
    }

    const_fn! {
        /// Creates the one permit of a mutex.
        #[track_caller]
        pub(crate) fn of_mutex() -> Self {
            Self::made(1, !cfg!(feature = "drop-in"))
        }
    }

    const_fn! {
        #[track_caller]
        fn made(count: usize, offers: bool) -> Self {
            assert!(count <= MOST, "a semaphore has at most usize::MAX >> 3 permits");
            let (word, place) = (AtomicUsize::new(count * ONE), Location::caller());
            let total = PermitTotal::new(count);
            let shown = PermitsResource::new(count);
            Self { word, waiters: LazyWaitQueue::new(), place, holder: Holder::none(), total, offers, shown }
        }
    }
}

impl BatchSemaphore {
    /// Returns the number of permits that are free at the moment.
    pub(crate) fn free(&self) -> usize {
        self.word.load(Acquire) / ONE
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.word.load(Acquire) & CLOSED != 0
    }

    /// Takes `count` permits if they are free.
    #[inline]
    pub(crate) fn try_take(&self, count: usize) -> Result<(), AcquireRefused> {
        self.try_take_as(count, || with_state(|state| self.taken_in(state)))
    }

    /// Takes `count` permits if they are free, on behalf of the task that `current` returns.
    #[inline]
    pub(crate) fn try_take_as(&self, count: usize, current: impl FnOnce() -> u64) -> Result<(), AcquireRefused> {
        let mut word = self.word.load(Relaxed);
        loop {
            if word & CLOSED != 0 {
                return Err(AcquireRefused::Closed);
            }
            if word / ONE < count {
                return Err(AcquireRefused::TooFew);
            }
            // Acquire pairs with the Release of `give`.
            match self.word.compare_exchange_weak(word, word - count * ONE, Acquire, Relaxed) {
                Ok(_) => {
                    self.holder.name(current());
                    self.show();
                    return Ok(());
                }
                Err(now) => word = now,
            }
        }
    }

    /// Takes `count` permits, and one unit of budget, if the permits are free and the poll has
    /// budget left.
    ///
    /// This is the fast path before [`take`](Self::take), which finds out the reason where this
    /// method returns `false`.
    #[inline]
    #[must_use = "the permits are the caller's if this is true"]
    pub(crate) fn take_at_once(&self, count: usize) -> bool {
        with_state(|state| {
            let has_taken = state.has_remaining() && self.try_take_as(count, || self.taken_in(state)).is_ok();
            if has_taken {
                state.spend();
            }
            has_taken
        })
    }

    /// Records that the current poll has taken permits, and returns its task.
    #[inline]
    pub(crate) fn taken_in(&self, state: &CurrentPoll) -> u64 {
        state.locked.set(ptr::from_ref(self).cast());
        state.task.get()
    }

    /// Returns a future that takes `count` permits, and waits in the queue for them. `kind` names
    /// the wait in dumps.
    #[inline]
    pub(crate) fn take(&self, count: usize, kind: WaitKind) -> AcquirePermits<'_> {
        AcquirePermits::new(self, count, kind)
    }

    /// Adds `count` new permits.
    ///
    /// # Panics
    ///
    /// Panics if more than [`MOST`] permits would be free.
    pub(crate) fn add(&self, count: usize) {
        self.total.forget();
        self.give(count);
    }

    /// Returns `count` permits to the lock.
    ///
    /// # Panics
    ///
    /// Panics if more than [`MOST`] permits would be free.
    #[inline]
    pub(crate) fn give(&self, count: usize) {
        self.holder.clear();
        let mut word = self.word.load(Relaxed);
        while word & (WAITING | WOKEN) != WAITING {
            let more = with_more(word, count);
            // Release pairs with the Acquire of `try_take`.
            match self.word.compare_exchange_weak(word, more, AcqRel, Relaxed) {
                Ok(_) => return self.show(),
                Err(now) => word = now,
            }
        }
        self.hand_over(count);
    }

    /// Removes up to `count` free permits for good, and returns the number removed.
    pub(crate) fn forget(&self, count: usize) -> usize {
        let mut word = self.word.load(Relaxed);
        loop {
            let taken = count.min(word / ONE);
            match self.word.compare_exchange_weak(word, word - taken * ONE, AcqRel, Relaxed) {
                Ok(_) => {
                    self.show();
                    return taken;
                }
                Err(now) => word = now,
            }
        }
    }

    pub(crate) fn resource(&self) -> &Resource {
        self.shown.resource()
    }

    /// Shows in the console how many permits are free. Called without the lock.
    #[inline]
    pub(crate) fn show(&self) {
        self.shown.changed(|| {
            let promised =
                self.waiters.get().map_or(0, |queue| queue.lock().list.first_mut().map_or(0, |need| need.has));
            (self.free(), promised)
        });
    }

    /// Records that the last holder gives nothing back.
    pub(crate) fn disown(&self) {
        self.holder.clear();
    }

    /// Records that the current task, which has just taken permits, holds them with a guard that
    /// may leave the task.
    #[inline]
    pub(crate) fn note_owned_guard(&self) {
        let holder = by_owned_guard(current_task::number());
        self.holder.name(holder);
        if self.word.load(Relaxed) & WAITING != 0 {
            self.note_holder_in_line(holder);
        }
    }

    #[cold]
    fn note_holder_in_line(&self, holder: u64) {
        fence(Acquire);
        let mut queue = self.existing_queue();
        if self.word.load(Relaxed) & WOKEN == 0 {
            queue.holder = holder;
        }
    }

    /// Refuses all waiters, and all later callers.
    pub(crate) fn close(&self) {
        // A waiter that has entered before this has made the queue before.
        let before = self.word.fetch_or(CLOSED, AcqRel);
        if before & WAITING == 0 {
            return;
        }
        // They give back the permits that they were given so far when they see it.
        let mut queue = self.existing_queue();
        queue.list.release_all();
        self.serve(queue, 0);
        let lock = || self.existing_queue();
        wake_in_batches(lock(), lock, |mut queue, wakers| queue.list.take_released(wakers));
    }

    /// Returns the queue that a waiter has entered.
    pub(crate) fn existing_queue(&self) -> WaitGuard<'_, WaitQueueState> {
        self.waiters.get().expect("a waiter makes the queue before it says that it waits").lock()
    }

    /// # Panics
    ///
    /// Panics if `count` is greater than [`MOST`]. That many permits fit while tasks wait, since
    /// none is free.
    #[cold]
    fn hand_over(&self, count: usize) {
        // Before a waiter is served: it would never be woken.
        assert!(count <= MOST, "more than usize::MAX >> 3 permits");
        // The word was read Relaxed. Pairs with the Release of the waiter that set `WAITING`, which
        // made the queue before.
        fence(Acquire);
        let queue = self.existing_queue();
        self.offer_or_serve(queue, count);
        self.show();
    }

    /// Gives `left` permits to the first waiters, and the remaining ones to the word. The lock is
    /// released between batches of waiters, but the remaining permits stay with this thread, so no
    /// newcomer overtakes.
    pub(crate) fn serve<'a>(&'a self, queue: WaitGuard<'a, WaitQueueState>, mut left: usize) {
        wake_in_batches(
            queue,
            || self.existing_queue(),
            |mut queue, wakers| {
                let end = queue.serve(&mut left, wakers, |task| self.holder.name(task));
                self.note_hand_over(&mut queue);
                if end == ServeProgress::All {
                    // The list is empty, and stays so while this thread has the lock.
                    self.put_back(left);
                }
                end == ServeProgress::Batch
            },
        );
    }

    /// Adds `left` permits to the word and clears `WAITING` and `WOKEN`. Called with the lock held
    /// and the list empty.
    fn put_back(&self, left: usize) {
        let mut word = self.word.load(Relaxed);
        while let Err(now) =
            self.word.compare_exchange_weak(word, with_more(word & !(WAITING | WOKEN), left), AcqRel, Relaxed)
        {
            word = now;
        }
    }

    /// Enters the list, unless the free permits suffice.
    pub(crate) fn enter(&self, count: usize, kind: WaitKind, waker: Waker) -> Result<EnterOutcome, AcquireRefused> {
        let mut queue = self.waiters.get_or_make(self.place).lock();
        let mut word = self.word.load(Relaxed);
        loop {
            if word & CLOSED != 0 {
                return Err(AcquireRefused::Closed);
            }
            let free = word / ONE;
            let next = if free >= count { word - count * ONE } else { (word & (CLOSED | WOKEN)) | WAITING };
            // Where tasks wait already, the word stays so while this thread has the lock.
            let changed =
                if next == word { Ok(word) } else { self.word.compare_exchange_weak(word, next, AcqRel, Relaxed) };
            match changed {
                Ok(_) if free >= count => {
                    self.holder.name(with_state(|state| self.taken_in(state)));
                    return Ok(EnterOutcome::Served(waker));
                }
                Ok(_) => {
                    queue.note_entry(self.known_holder(), ptr::from_ref(self).addr(), self.total.count());
                    return Ok(EnterOutcome::Waits(queue.enter(count - free, free, kind, waker)));
                }
                Err(now) => word = now,
            }
        }
    }
}

/// Returns the word with `count` permits added.
fn with_more(word: usize, count: usize) -> usize {
    // Not `free + count`, which may run over.
    assert!(count <= MOST - word / ONE, "more than usize::MAX >> 3 permits");
    word + count * ONE
}

pub(crate) enum EnterOutcome {
    /// Enough permits were free. The waker must be dropped with no lock held.
    Served(#[expect(dead_code, reason = "for its destructor")] Waker),
    /// The key of the new waiter.
    Waits(usize),
}
