//! Models of fork-join: every interleaving of those who share a region does each piece of work
//! once, shows it to whoever waits for it, and leaves alone what is gone by then.
//!
//! What is worked on lies in loom's cells: an access that is not ordered with the others is a
//! fault, whoever is the second one. So is a sleep that nobody ends.

mod joins;
mod latch;
mod loops;
mod open_regions;
mod scopes;
mod slots;
mod work_range;

use std::cell::Cell;
use std::ptr;

use loom::model::Builder;

use crate::fork_join::{Participant, TreeSlot};
use crate::util::sync::UnsafeCell;

/// Walks through all interleavings in which no more than `preemptions` threads are interrupted
/// where they would not wait.
fn explore(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(model);
}

loom::thread_local! {
    /// The slot that the model thread's jobs go to.
    static SLOT: Cell<*const TreeSlot<'static>> = Cell::new(ptr::null());
}

/// Calls `work` with `slot` as the model thread's.
fn with_current_slot(slot: &TreeSlot<'_>, work: impl FnOnce()) {
    let before = SLOT.with(|here| here.replace(ptr::from_ref(slot).cast()));
    work();
    SLOT.with(|here| here.set(before));
}

/// Calls `f` with the model thread's slot.
fn with_slot<R>(f: impl FnOnce(&TreeSlot<'_>) -> R) -> R {
    let slot = SLOT.with(Cell::get);
    // SAFETY: `seated` keeps it alive until it has been put back.
    f(unsafe { slot.as_ref() }.expect("the thread has a slot"))
}

/// Something that is worked on, without any synchronization of its own: the region has to provide
/// that.
struct Piece(UnsafeCell<u32>);

// SAFETY: loom checks each access.
unsafe impl Sync for Piece {}
// SAFETY: as above.
unsafe impl Send for Piece {}

impl Piece {
    fn new() -> Self {
        Self(UnsafeCell::new(0))
    }

    fn pieces(count: u32) -> Vec<Self> {
        (0..count).map(|_| Self::new()).collect()
    }

    fn work(&self) {
        self.0.with_mut(|times| {
            // SAFETY: loom has checked that nobody else has access now.
            unsafe { *times += 1 }
        });
    }

    /// Reads it, as one that is shared.
    fn look(&self) -> u32 {
        self.0.with(|times| {
            // SAFETY: loom has checked that nobody writes now.
            unsafe { *times }
        })
    }

    /// How often it was worked on. For who has it alone from here on: an access of others after
    /// this is a fault.
    fn times(&self) -> u32 {
        self.0.with_mut(|times| {
            // SAFETY: loom has checked that nobody else has access now.
            unsafe { *times }
        })
    }
}

/// A participant that calls its helper away after some claims.
struct Caller {
    claims_left: Cell<u32>,
}

impl Caller {
    fn never() -> Self {
        Self::after(u32::MAX)
    }

    fn after(claims: u32) -> Self {
        Self { claims_left: Cell::new(claims) }
    }
}

impl Participant for Caller {
    fn must_leave(&self) -> bool {
        let left = self.claims_left.get();
        self.claims_left.set(left.saturating_sub(1));
        left == 0
    }

    fn tick(&self, _: std::time::Instant) {}

    fn summon(&self) {}

    fn with_slot(&self, slot: &TreeSlot<'_>, work: &mut dyn FnMut()) {
        with_current_slot(slot, work);
    }
}
