//! Lets senders wait for the receiver to close the channel. Few senders ever do, so the `Notify` is
//! created when the first one waits.
//!
//! # The word
//!
//! | lowest bit | the rest is | becomes |
//! |---|---|---|
//! | 0 | the place in the source where the channel was made | a `Notify`, by the first sender that waits (AcqRel) |
//! | 1 | the address of a boxed `Notify`, which knows the place | – |
//!
//! A sender creates the `Notify`, and then checks whether the channel is closed. The receiver
//! closes the channel, and then checks for a `Notify`. Each side has a full fence between the two
//! steps, so at least one of them sees what the other did.

use crate::notify::Notify;
use crate::sync::atomic::Ordering::{AcqRel, Acquire, SeqCst};
use crate::sync::atomic::{AtomicPtr, fence};
use crate::wait::{Place, WaitKind};
use std::marker::PhantomData;
use std::panic::Location;
use std::ptr;

const MADE: usize = 1;

/// The place where the channel was created, or the `Notify` for its closing.
#[derive(Debug)]
pub(super) struct CloseSignal {
    word: AtomicPtr<()>,
    owns: PhantomData<Box<Notify>>,
}

impl CloseSignal {
    #[track_caller]
    pub(super) fn new() -> Self {
        let place: Place = Location::caller();
        Self { word: AtomicPtr::new(ptr::from_ref(place).cast_mut().cast()), owns: PhantomData }
    }

    /// Returns the place where the channel was created.
    pub(super) fn place(&self) -> Place {
        // Acquire pairs with the Release of `make`.
        let word = self.word.load(Acquire);
        match Self::made(word) {
            Some(notify) => notify.place(),
            // SAFETY: `new` put the address of a `'static` place there.
            None => unsafe { &*word.cast::<Location<'static>>() },
        }
    }

    /// Waits until the receiver has closed the channel, which `is_closed` reports. `kind` names the
    /// wait in dumps.
    pub(super) async fn wait(&self, kind: WaitKind, is_closed: impl Fn() -> bool) {
        let notified = self.notify().notified_as(kind);
        fence(SeqCst);
        if !is_closed() {
            notified.await;
        }
    }

    /// Notifies the waiting senders. Called after the channel has been closed.
    pub(super) fn notify_all(&self) {
        fence(SeqCst);
        if let Some(notify) = Self::made(self.word.load(Acquire)) {
            notify.notify_waiters();
        }
    }

    /// Returns the `Notify` that the word points to, if any. The `Notify` is borrowed from `self`,
    /// which frees it last.
    fn made<'a>(word: *mut ()) -> Option<&'a Notify> {
        let notify = word.map_addr(|addr| addr & !MADE).cast::<Notify>();
        // SAFETY: `make` put the address of a box there, which lives until this is dropped.
        (word.addr() & MADE != 0).then(|| unsafe { &*notify })
    }

    fn notify(&self) -> &Notify {
        Self::made(self.word.load(Acquire)).unwrap_or_else(|| self.make())
    }

    #[cold]
    fn make(&self) -> &Notify {
        let fresh = Box::into_raw(Box::new(Notify::made_at(self.place())));
        let tagged = fresh.cast::<()>().map_addr(|addr| addr | MADE);
        let before = self.word.load(Acquire);
        let has_made = before.addr() & MADE == 0 && self.word.compare_exchange(before, tagged, AcqRel, Acquire).is_ok();
        if !has_made {
            // SAFETY: another sender was faster: this box was given to no other thread.
            drop(unsafe { Box::from_raw(fresh) });
        }
        Self::made(self.word.load(Acquire)).expect("it was just made, by this sender or another one")
    }
}

impl Drop for CloseSignal {
    fn drop(&mut self) {
        let word = self.word.load(Acquire);
        if word.addr() & MADE != 0 {
            let notify = word.map_addr(|addr| addr & !MADE).cast::<Notify>();
            // SAFETY: `make` put the address of a box there, and this is its end.
            drop(unsafe { Box::from_raw(notify) });
        }
    }
}
