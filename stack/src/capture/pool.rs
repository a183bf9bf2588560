//! The pools: where the handlers of timers leave CPU samples until they are taken.
//!
//! A pool is one sampler's at a time. The timers' signals carry its address, so that the handler
//! knows them from a program's own timers.

use std::ptr;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU64};

use super::sample::{Registers, Sample};
use super::slot::StackSlot;

/// So many samplers may be at work at a time.
const POOLS: usize = 4;
/// So many samples may wait to be taken.
const SLOTS: usize = 64;

static ALL: [SamplePool; POOLS] = [const { SamplePool::new() }; POOLS];

/// The slots of one sampler.
#[derive(Debug)]
pub(super) struct SamplePool {
    is_taken: AtomicBool,
    slots: [StackSlot; SLOTS],
    /// Samples for which there was no slot.
    missed: AtomicU64,
}

impl SamplePool {
    const fn new() -> Self {
        Self { is_taken: AtomicBool::new(false), slots: [const { StackSlot::new() }; SLOTS], missed: AtomicU64::new(0) }
    }

    /// Takes a pool that no other sampler has, until [`Self::give_back`].
    pub(super) fn take() -> Option<&'static Self> {
        // Acquire pairs with the Release in `give_back`: the room for stacks was made.
        let take = |pool: &&Self| pool.is_taken.compare_exchange(false, true, Acquire, Relaxed).is_ok();
        let pool = ALL.iter().find(take)?;
        pool.slots.iter().for_each(StackSlot::make_room);
        pool.missed.store(0, Relaxed);
        Some(pool)
    }

    /// Gives the pool up. The caller sends no more signals with it, but some may be under way.
    pub(super) fn give_back(&self) {
        self.samples().for_each(drop);
        // Release pairs with the Acquire in `take`.
        self.is_taken.store(false, Release);
    }

    /// Returns the pool at this address, if there is one.
    pub(super) fn at(address: usize) -> Option<&'static Self> {
        ALL.iter().find(|pool| pool.address() == address)
    }

    pub(super) fn address(&self) -> usize {
        ptr::from_ref(self).addr()
    }

    /// Leaves a sample, in the handler on `thread`. Without a sampler, nobody wants it.
    pub(super) fn leave(&self, thread: u32, registers: Registers, taken_at: u64) {
        let is_left = || self.slots.iter().any(|slot| slot.fill_unasked(thread, registers, taken_at));
        if self.is_taken.load(Relaxed) && !is_left() {
            self.missed.fetch_add(1, Relaxed);
        }
    }

    /// Takes the samples: thread, time and copy of each.
    pub(super) fn samples(&self) -> impl Iterator<Item = (u32, u64, Sample)> + '_ {
        self.slots.iter().filter_map(StackSlot::take_sample)
    }

    /// Returns how many samples were lost since the last call.
    pub(super) fn take_missed(&self) -> u64 {
        self.missed.swap(0, Relaxed)
    }
}
