//! Permits and those that wait for them: what [`Semaphore`](crate::Semaphore),
//! [`Mutex`](crate::Mutex), [`RwLock`](crate::RwLock) and bounded channels are made of.
//!
//! One word counts the free permits; a list under a lock holds the waiters, first come, first
//! served. While the list is empty the word alone is touched: to take permits is one
//! compare-and-swap, to give them back another.
//!
//! # Hand-over
//!
//! A waiter takes all free permits when it enters the list, though they be fewer than it needs, and
//! what is given back while the list is not empty goes to its first waiter. So *no permit is free
//! while a task waits*, and a newcomer cannot overtake: it finds nothing to take.
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
use crate::holder::{Holder, Holds, Unheld, by_owned_guard};
use crate::line::{LazyLine, Need, Queue};
use crate::poll_state::PollState;
use crate::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use crate::sync::atomic::{AtomicUsize, fence};
use crate::sync::{MutexGuard, const_fn};
use crate::wait::{self, Place, WaitKind};
use crate::wakers::Wakers;
use std::future::Future;
use std::panic::{Location, RefUnwindSafe, UnwindSafe};
use std::pin::Pin;
use std::ptr;
use std::task::{Context, Poll, Waker, ready};

const CLOSED: usize = 0b01;
const WAITING: usize = 0b10;
const ONE: usize = 0b100;

/// The most permits that there can be.
pub(crate) const MOST: usize = usize::MAX >> 3;

/// A number of free permits, and the waiters in line for more.
#[derive(Debug)]
pub(crate) struct Permits<H = Holder> {
    word: AtomicUsize,
    line: LazyLine,
    /// The place where the lock or channel was made.
    place: Place,
    holder: H,
}

/// The reasons not to be given permits at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    Closed,
    /// Too few are free.
    TooFew,
}

// No code of others runs while the lock is held, so a panic leaves nothing half done.
impl<H> UnwindSafe for Permits<H> {}
impl<H> RefUnwindSafe for Permits<H> {}

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

impl Permits<Unheld> {
    /// Permits of which no holder is known. The caller has seen that they are [`MOST`] at most.
    #[track_caller]
    pub(crate) fn unheld(count: usize) -> Self {
        let (word, place) = (AtomicUsize::new(count * ONE), Location::caller());
        Self { word, line: LazyLine::new(), place, holder: Unheld }
    }
}

impl<H: Holds> Permits<H> {
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
    fn try_take_as(&self, count: usize, current: impl FnOnce() -> u64) -> Result<(), Refused> {
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
                    self.holder.name_by(current);
                    return Ok(());
                }
                Err(now) => word = now,
            }
        }
    }

    /// Takes `count` permits, waiting in line for them; as what `kind` says.
    #[inline]
    pub(crate) fn take(&self, count: usize, kind: WaitKind) -> Take<'_, H> {
        Take { permits: self, count, kind, state: Asked::Not }
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
        let mut wakers = Wakers::default();
        let mut queue = self.existing_queue();
        // They give back the permits that they were given so far when they see it.
        while let Some((_, waker)) = queue.list.unlink_first() {
            wakers.push(waker);
        }
        self.serve(queue, 0, &mut wakers);
        wakers.wake();
    }

    /// The queue of a line that a waiter has entered.
    fn existing_queue(&self) -> MutexGuard<'_, Queue> {
        self.line.get().expect("a waiter makes the line before it says that it waits").lock()
    }

    #[cold]
    fn hand_over(&self, count: usize) {
        // The word was read Relaxed. Pairs with the Release of the waiter that set `WAITING`, which
        // made the line before.
        fence(Acquire);
        let mut wakers = Wakers::default();
        self.serve(self.existing_queue(), count, &mut wakers);
        wakers.wake();
    }

    /// Gives `left` permits to the first waiters, and what remains to the word.
    fn serve(&self, mut queue: MutexGuard<'_, Queue>, left: usize, wakers: &mut Wakers) {
        let left = self.serve_first(&mut queue, left, wakers);
        queue.note_hand_over(self.holder.task());
        let Some(left) = left else { return };
        // The list is empty, and stays so while this thread has the lock.
        let mut word = self.word.load(Relaxed);
        while let Err(now) = self.word.compare_exchange_weak(word, with_more(word & !WAITING, left), AcqRel, Relaxed) {
            word = now;
        }
    }

    /// Gives `left` permits to the first waiters, and returns those that remain once no task waits.
    fn serve_first(&self, queue: &mut Queue, mut left: usize, wakers: &mut Wakers) -> Option<usize> {
        while let Some(need) = queue.list.first_mut() {
            let given = left.min(need.lacks);
            need.lacks -= given;
            need.has += given;
            left -= given;
            if need.lacks > 0 {
                return None;
            }
            self.holder.name(need.task);
            if let Some((_, waker)) = queue.list.unlink_first() {
                wakers.push(waker);
            }
        }
        Some(left)
    }

    /// Enters the list, unless what is free suffices.
    fn enter(&self, count: usize, kind: WaitKind, waker: Waker) -> Result<Entered, Refused> {
        let mut queue = self.line.get_or_make(self.place, H::IS_KEPT).lock();
        let mut word = self.word.load(Relaxed);
        loop {
            if word & CLOSED != 0 {
                return Err(Refused::Closed);
            }
            let free = word / ONE;
            let next = if free >= count { word - count * ONE } else { (word & CLOSED) | WAITING };
            match self.word.compare_exchange_weak(word, next, AcqRel, Relaxed) {
                Ok(_) if free >= count => {
                    self.holder.name_by(current_task::number);
                    return Ok(Entered::Served(waker));
                }
                Ok(_) => {
                    if H::IS_KEPT {
                        queue.note_entry(self.holder.task(), ptr::from_ref(self).addr());
                    }
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
    let free = word / ONE + count;
    assert!(free <= MOST, "more than usize::MAX >> 3 permits");
    word + count * ONE
}

enum Entered {
    /// Enough was free. The waker is to be dropped with no lock held.
    Served(#[expect(dead_code, reason = "for its destructor")] Waker),
    /// The key of the new waiter.
    Waits(usize),
}

/// A future of [`Permits::take`]. Dropped early, it leaves the line, and gives back what it had of
/// its permits.
#[derive(Debug)]
#[must_use = "futures do nothing unless polled"]
pub(crate) struct Take<'a, H: Holds = Holder> {
    permits: &'a Permits<H>,
    count: usize,
    kind: WaitKind,
    state: Asked,
}

/// The state of a request.
#[derive(Debug)]
enum Asked {
    /// No poll has looked for permits, or the last one has returned an answer.
    Not,
    /// In the list, by its key.
    InLine(usize),
    /// It has its permits. The poll that took them had no budget to return them.
    Served,
}

impl<H: Holds> Take<'_, H> {
    #[inline]
    fn poll_first(&mut self, state: &PollState, cx: &mut Context<'_>) -> Poll<Result<(), Refused>> {
        match self.permits.try_take_as(self.count, || state.task.get()) {
            Err(Refused::TooFew) => self.enter(cx),
            answer => Poll::Ready(answer),
        }
    }

    #[inline(never)]
    fn enter(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Refused>> {
        match self.permits.enter(self.count, self.kind, cx.waker().clone()) {
            Ok(Entered::Waits(key)) => {
                self.state = Asked::InLine(key);
                wait::note(self.kind, self.permits.place);
                Poll::Pending
            }
            Ok(Entered::Served(_)) => Poll::Ready(Ok(())),
            Err(refused) => Poll::Ready(Err(refused)),
        }
    }

    #[inline]
    fn poll_asked(&mut self, state: &PollState, cx: &mut Context<'_>) -> Poll<Result<(), Refused>> {
        match self.state {
            Asked::Not => self.poll_first(state, cx),
            Asked::InLine(key) => self.poll_in_line(key, cx),
            Asked::Served => {
                self.state = Asked::Not;
                Poll::Ready(Ok(()))
            }
        }
    }

    /// Asks for permits all the same: those that come later are not to be served before a task that
    /// has only spent its budget. It keeps them until a poll may return them; a refusal is found
    /// again.
    #[cold]
    fn poll_without_budget(&mut self, state: &PollState, cx: &mut Context<'_>) -> Poll<Result<(), Refused>> {
        let answer = ready!(self.poll_asked(state, cx));
        if state.poll_proceed(cx).is_pending() {
            if answer.is_ok() {
                self.state = Asked::Served;
            }
            return Poll::Pending;
        }
        state.spend();
        Poll::Ready(answer)
    }

    /// Leaves the line, if it is in there, and gives back what it has.
    #[cold]
    fn withdraw(&mut self) {
        if let Asked::InLine(key) = self.state {
            wait::take_back(self.kind, self.permits.place);
            if !self.leave(key) {
                return;
            }
        }
        self.permits.give(self.count);
    }

    #[inline(never)]
    fn poll_in_line(&mut self, key: usize, cx: &mut Context<'_>) -> Poll<Result<(), Refused>> {
        let waker = cx.waker().clone();
        let mut queue = self.permits.existing_queue();
        if queue.list.is_linked(key) {
            let displaced = queue.list.replace_waker(key, waker);
            let task = current_task::number();
            let before = std::mem::replace(&mut queue.list.value_mut(key).task, task);
            queue.changes += u64::from(before != task);
            drop(queue);
            drop(displaced);
            wait::note(self.kind, self.permits.place);
            return Poll::Pending;
        }
        drop(queue);
        let has_all = self.leave(key);
        if !self.permits.is_closed() {
            debug_assert!(has_all, "only a close unlinks a waiter that lacks permits");
            return Poll::Ready(Ok(()));
        }
        if has_all {
            self.permits.give(self.count);
        }
        Poll::Ready(Err(Refused::Closed))
    }

    /// Removes the waiter. Returns true if it was given all that it needs; what it was given of
    /// less goes back.
    fn leave(&mut self, key: usize) -> bool {
        self.state = Asked::Not;
        let mut wakers = Wakers::default();
        let mut queue = self.permits.existing_queue();
        let (need, was_linked, waker) = queue.list.remove(key);
        if was_linked || need.lacks > 0 {
            self.permits.serve(queue, need.has, &mut wakers);
        } else {
            drop(queue);
        }
        drop(waker);
        wakers.wake();
        need.lacks == 0
    }
}

impl<H: Holds> Future for Take<'_, H> {
    type Output = Result<(), Refused>;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        with_state(|state| {
            if !state.has_remaining() {
                return this.poll_without_budget(state, cx);
            }
            let answer = this.poll_asked(state, cx);
            if answer.is_ready() {
                state.spend();
            }
            answer
        })
    }
}

impl<H: Holds> Drop for Take<'_, H> {
    fn drop(&mut self) {
        if !matches!(self.state, Asked::Not) {
            self.withdraw();
        }
    }
}
