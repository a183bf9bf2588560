//! Permits and those that wait for them: what [`Semaphore`](crate::Semaphore),
//! [`Mutex`](crate::Mutex) and [`RwLock`](crate::RwLock) are made of.
//!
//! One word counts the free permits; a list under a lock holds the waiters, first come, first
//! served. While the list is empty the word alone is touched: to take permits is one
//! compare-and-swap, to give them back another.
//!
//! # Hand-over
//!
//! A waiter takes all free permits when it enters the list, even if they are fewer than it needs,
//! and what is given back while the list is not empty goes to its first waiter. So *no permit is
//! free while a task waits*, and a newcomer cannot overtake: it finds nothing to take.
//!
//! # The word
//!
//! | bit | meaning | set by | cleared by |
//! |---|---|---|---|
//! | 0 `CLOSED` | no permit is given out any more | `close`, under the lock | never |
//! | 1 `WAITING` | the list is not empty | a waiter that enters, under the lock | the one that unlinks the last waiter, under the lock |
//! | the rest | free permits; zero while `WAITING` is set | `take`, `give`, `enter` | |
//!
//! `take` is Acquire and `give` is Release: what the last owner did with a permit happened before
//! what the next one does. A permit that is handed over goes through the list's lock instead.

use crate::budget::with_state;
use crate::current_task;
use crate::holder::{Holder, by_owned_guard};
use crate::line::{LazyLine, Need, Queue};
use crate::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use crate::sync::atomic::{AtomicUsize, fence};
use crate::sync::{BATCH, WaitGuard, const_fn};
use crate::take::Take;
use crate::wait::{Place, WaitKind};
use crate::wakers::{Wakers, wake_in_batches};
use std::panic::{Location, RefUnwindSafe, UnwindSafe};
use std::ptr;
use std::task::Waker;

const CLOSED: usize = 0b01;
const WAITING: usize = 0b10;
const ONE: usize = 0b100;

/// The most permits that there can be.
pub(crate) const MOST: usize = usize::MAX >> 3;

/// A number of free permits, and the waiters in line for more.
#[derive(Debug)]
pub(crate) struct Permits {
    word: AtomicUsize,
    line: LazyLine,
    /// The place where the lock was made.
    pub(crate) place: Place,
    holder: Holder,
}

/// The reasons not to be given permits at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    Closed,
    /// Too few are free.
    TooFew,
}

// No code of others runs while the lock is held, so a panic leaves nothing half done.
impl UnwindSafe for Permits {}
impl RefUnwindSafe for Permits {}

impl Permits {
    const_fn! {
        /// # Panics
        ///
        /// If `count` is more than [`MOST`].
        #[track_caller]
        pub(crate) fn new(count: usize) -> Self {
            assert!(count <= MOST, "a semaphore has at most usize::MAX >> 3 permits");
            let (word, place) = (AtomicUsize::new(count * ONE), Location::caller());
            Self { word, line: LazyLine::new(), place, holder: Holder::none() }
        }
    }
}

impl Permits {
    /// The number of permits that are free at the moment.
    pub(crate) fn free(&self) -> usize {
        self.word.load(Acquire) / ONE
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.word.load(Acquire) & CLOSED != 0
    }

    /// Takes `count` permits if they are free.
    #[inline]
    pub(crate) fn try_take(&self, count: usize) -> Result<(), Refused> {
        self.try_take_as(count, current_task::number)
    }

    /// Takes `count` permits if they are free, for the task that `current` returns.
    #[inline]
    pub(crate) fn try_take_as(&self, count: usize, current: impl FnOnce() -> u64) -> Result<(), Refused> {
        let mut word = self.word.load(Relaxed);
        loop {
            if word & CLOSED != 0 {
                return Err(Refused::Closed);
            }
            if word / ONE < count {
                return Err(Refused::TooFew);
            }
            // Acquire pairs with the Release of `give`.
            match self.word.compare_exchange_weak(word, word - count * ONE, Acquire, Relaxed) {
                Ok(_) => {
                    self.holder.name(current());
                    return Ok(());
                }
                Err(now) => word = now,
            }
        }
    }

    /// Takes `count` permits if they are free and the poll has budget left, and a unit of that.
    ///
    /// For a fast path before [`take`](Self::take), which says why not where this returns false.
    #[inline]
    #[must_use = "the permits are the caller's if this is true"]
    pub(crate) fn take_at_once(&self, count: usize) -> bool {
        with_state(|state| {
            let has_taken = state.has_remaining() && self.try_take_as(count, || state.task.get()).is_ok();
            if has_taken {
                state.spend();
            }
            has_taken
        })
    }

    /// Takes `count` permits, waiting in line for them; as what `kind` says.
    #[inline]
    pub(crate) fn take(&self, count: usize, kind: WaitKind) -> Take<'_> {
        Take::new(self, count, kind)
    }

    /// Gives `count` permits back, or makes as many new ones.
    ///
    /// # Panics
    ///
    /// If there would be more than [`MOST`] free.
    #[inline]
    pub(crate) fn give(&self, count: usize) {
        self.holder.clear();
        let mut word = self.word.load(Relaxed);
        while word & WAITING == 0 {
            let more = with_more(word, count);
            // Release pairs with the Acquire of `try_take`.
            match self.word.compare_exchange_weak(word, more, AcqRel, Relaxed) {
                Ok(_) => return,
                Err(now) => word = now,
            }
        }
        self.hand_over(count);
    }

    /// Takes up to `count` free permits out of circulation, and returns how many there were.
    pub(crate) fn forget(&self, count: usize) -> usize {
        let mut word = self.word.load(Relaxed);
        loop {
            let taken = count.min(word / ONE);
            match self.word.compare_exchange_weak(word, word - taken * ONE, AcqRel, Relaxed) {
                Ok(_) => return taken,
                Err(now) => word = now,
            }
        }
    }

    /// Notes that the last holder gives nothing back.
    pub(crate) fn disown(&self) {
        self.holder.clear();
    }

    /// Notes that the current task, which has just taken permits, holds them by a guard that may
    /// leave the task.
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
        self.existing_queue().holder = holder;
    }

    /// Refuses all waiters, and all callers to come.
    pub(crate) fn close(&self) {
        // A waiter that has entered before this has made the line before.
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

    /// The queue of a line that a waiter has entered.
    pub(crate) fn existing_queue(&self) -> WaitGuard<'_, Queue> {
        self.line.get().expect("a waiter makes the line before it says that it waits").lock()
    }

    /// # Panics
    ///
    /// If `count` is more than [`MOST`]. So many permits fit while tasks wait, since none is free.
    #[cold]
    fn hand_over(&self, count: usize) {
        // Before a waiter is served: it would never be woken.
        assert!(count <= MOST, "more than usize::MAX >> 3 permits");
        // The word was read Relaxed. Pairs with the Release of the waiter that set `WAITING`, which
        // made the line before.
        fence(Acquire);
        self.serve(self.existing_queue(), count);
    }

    /// Gives `left` permits to the first waiters, and what remains to the word. Between batches of
    /// waiters the lock is free, and what is left is with this thread: so no newcomer overtakes.
    pub(crate) fn serve<'a>(&'a self, queue: WaitGuard<'a, Queue>, mut left: usize) {
        wake_in_batches(
            queue,
            || self.existing_queue(),
            |mut queue, wakers| {
                let end = Self::serve_first(&mut queue, &mut left, &self.holder, wakers);
                queue.note_hand_over(self.holder.task());
                if end == Served::All {
                    // The list is empty, and stays so while this thread has the lock.
                    self.put_back(left);
                }
                end == Served::Batch
            },
        );
    }

    /// Adds `left` permits to the word and clears `WAITING`. Under the lock, and the list is empty.
    fn put_back(&self, left: usize) {
        let mut word = self.word.load(Relaxed);
        while let Err(now) = self.word.compare_exchange_weak(word, with_more(word & !WAITING, left), AcqRel, Relaxed) {
            word = now;
        }
    }

    /// Gives `left` permits to the first waiters, a batch of them at most.
    fn serve_first(queue: &mut Queue, left: &mut usize, holder: &Holder, wakers: &mut Wakers) -> Served {
        let mut served = 0;
        while let Some(need) = queue.list.first_mut() {
            if served == BATCH {
                return Served::Batch;
            }
            let given = need.lacks.min(*left);
            need.lacks -= given;
            need.has += given;
            *left -= given;
            if need.lacks > 0 {
                return Served::Some;
            }
            holder.name(need.task);
            if let Some((_, waker)) = queue.list.unlink_first() {
                wakers.push(waker);
            }
            served += 1;
        }
        Served::All
    }

    /// Enters the list, unless what is free suffices.
    pub(crate) fn enter(&self, count: usize, kind: WaitKind, waker: Waker) -> Result<Entered, Refused> {
        let mut queue = self.line.get_or_make(self.place).lock();
        let mut word = self.word.load(Relaxed);
        loop {
            if word & CLOSED != 0 {
                return Err(Refused::Closed);
            }
            let free = word / ONE;
            let next = if free >= count { word - count * ONE } else { (word & CLOSED) | WAITING };
            // Where tasks are in line already, the word stays so while this thread has the lock.
            let changed =
                if next == word { Ok(word) } else { self.word.compare_exchange_weak(word, next, AcqRel, Relaxed) };
            match changed {
                Ok(_) if free >= count => {
                    self.holder.name(current_task::number());
                    return Ok(Entered::Served(waker));
                }
                Ok(_) => {
                    queue.note_entry(self.holder.task(), ptr::from_ref(self).addr());
                    let need = Need { lacks: count - free, has: free, task: current_task::number(), kind };
                    return Ok(Entered::Waits(queue.list.push(need, waker)));
                }
                Err(now) => word = now,
            }
        }
    }
}

/// The word with `count` permits more.
fn with_more(word: usize, count: usize) -> usize {
    // Not `free + count`, which may run over.
    assert!(count <= MOST - word / ONE, "more than usize::MAX >> 3 permits");
    word + count * ONE
}

/// The waiters that were served.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Served {
    /// All that waited.
    All,
    /// A batch. The next one waits.
    Batch,
    /// Some, and then there were too few permits for the next.
    Some,
}

pub(crate) enum Entered {
    /// Enough was free. The waker is to be dropped with no lock held.
    Served(#[expect(dead_code, reason = "for its destructor")] Waker),
    /// The key of the new waiter.
    Waits(usize),
}
