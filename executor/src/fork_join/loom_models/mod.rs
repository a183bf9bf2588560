//! Models of fork-join: in every interleaving the participants of a region do each piece of work
//! once, the thread that waits for it sees it done, and no thread touches data that is gone by
//! then.
//!
//! The data that is worked on lies in loom's cells: an access that is not ordered with the others
//! is a fault, whichever comes second. So is a sleep that no thread ends.

mod joins;
mod latch;
mod loops;
mod open_regions;
mod scopes;
mod sleepers;
mod slots;

use std::cell::Cell;

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

/// Calls `f` with the model thread's slot.
fn with_slot<R>(f: impl FnOnce(&TreeSlot<'_>) -> R) -> R {
    crate::fork_join::with_slot(|slot| f(slot.expect("the thread has a slot")))
}

/// A piece of work, without any synchronization of its own: the region has to provide that.
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
            // SAFETY: loom has checked that no other thread has access now.
            unsafe { *times += 1 }
        });
    }

    /// Reads it while other threads may read it too.
    fn look(&self) -> u32 {
        self.0.with(|times| {
            // SAFETY: loom has checked that no thread writes now.
            unsafe { *times }
        })
    }

    /// How often it was worked on. For a thread that has it alone from here on: an access of
    /// another after this is a fault.
    fn times(&self) -> u32 {
        self.0.with_mut(|times| {
            // SAFETY: loom has checked that no other thread has access now.
            unsafe { *times }
        })
    }
}

/// A participant that has to leave after some claims.
struct Leaving {
    claims_left: Cell<u32>,
}

impl Leaving {
    fn after(claims: u32) -> Self {
        Self { claims_left: Cell::new(claims) }
    }
}

impl Participant for Leaving {
    fn must_leave(&self) -> bool {
        let left = self.claims_left.get();
        self.claims_left.set(left.saturating_sub(1));
        left == 0
    }
}
