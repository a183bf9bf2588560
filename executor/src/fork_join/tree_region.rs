//! A tree: jobs that split off jobs, by `join` and `scope`, and wait for what they have split off.
//!
//! Each participant has a stack of jobs. Whoever opened the region returns when all of it is done,
//! and no job outlives what it borrows, since every split waits for its own: so nobody has to wait
//! for the helpers, who may be looking still when the region is over, and touch nothing but what
//! they share.

use std::cell::Cell;
use std::time::Instant;

use crossbeam_utils::CachePadded;

use crate::fork_join::core::OwnersCore;
use crate::fork_join::job_stack::JobStack;
use crate::fork_join::open_regions::{Participant, Region};
use crate::fork_join::shared_jobs::SharedJobs;
use crate::fork_join::slots::{OWNERS, Slots};
use crate::fork_join::{JobRef, Latch};
use crate::util::sync::atomic::AtomicBool;
use crate::util::sync::atomic::Ordering::{Relaxed, SeqCst};
use crate::util::sync::atomic::fence;

/// How often a helper looks for a job in vain before it goes: some 20 µs.
const PATIENCE: u32 = if cfg!(loom) { 1 } else { 64 };

/// How often a waiting participant looks in vain before it naps between looks.
const LOOKS_BEFORE_NAP: u32 = if cfg!(loom) { 1 } else { 64 };

pub(crate) struct TreeRegion {
    slots: Slots,
    stacks: Box<[CachePadded<JobStack>]>,
    /// Jobs from threads that enter elsewhere.
    shared: SharedJobs,
    /// Whether the next job is to call for help: nobody is looking any more. A hint, so Relaxed
    /// will do; a job that is overlooked is run by whoever split it off.
    unattended: AtomicBool,
    owners_core: OwnersCore,
    /// Whether the owner has returned. Relaxed: helpers are to go, and need not go at once.
    over: AtomicBool,
}

impl TreeRegion {
    /// A region for `slots` participants, its owner included.
    pub(crate) fn new(slots: usize) -> Self {
        Self {
            slots: Slots::new(slots),
            stacks: (0..slots).map(|_| CachePadded::new(JobStack::new())).collect(),
            shared: SharedJobs::new(),
            unattended: AtomicBool::new(false),
            owners_core: OwnersCore::new(),
            over: AtomicBool::new(false),
        }
    }

    /// Gives the owner its slot.
    ///
    /// # Safety
    ///
    /// Nobody else has a reference to this region, and the slot is not used after `end`.
    pub(crate) unsafe fn begin<'a>(&'a self, participant: &'a dyn Participant) -> TreeSlot<'a> {
        self.owners_core.note();
        self.over.store(false, Relaxed);
        self.unattended.store(false, Relaxed);
        self.slots.open();
        TreeSlot::new(self, OWNERS, participant)
    }

    /// The owner has returned: helpers are to go.
    pub(crate) fn end(&self) {
        self.over.store(true, Relaxed);
    }

    /// Takes in a job from a thread that need not enter here. `true` if nobody looks for jobs any
    /// more: then somebody is to be called.
    #[must_use]
    pub(crate) fn share(&self, job: JobRef) -> bool {
        self.shared.put(job);
        // Pairs with the fence in `wants_help`.
        fence(SeqCst);
        self.unattended.load(Relaxed) && self.unattended.swap(false, Relaxed)
    }

    fn has_jobs(&self) -> bool {
        !self.shared.is_empty() || self.stacks.iter().any(|stack| !stack.is_empty())
    }
}

impl Region for TreeRegion {
    fn wants_help(&self) -> bool {
        if self.has_jobs() {
            return true;
        }
        self.unattended.store(true, Relaxed);
        // So that of a job that comes now and this look, one sees the other, as soon as its owner
        // has popped or pushed another: those end with a fence.
        fence(SeqCst);
        self.has_jobs()
    }

    fn owners_core(&self) -> Option<u32> {
        self.owners_core.get()
    }

    fn help(&self, participant: &dyn Participant) {
        let Some(number) = self.slots.enter() else { return };
        let slot = TreeSlot::new(self, number, participant);
        participant.with_slot(&slot, &mut || slot.serve());
        // An owner of a tree waits for jobs, not for slots.
        let _ = self.slots.leave(number);
    }
}

impl std::fmt::Debug for TreeRegion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TreeRegion").field("slots", &self.slots).field("stacks", &self.stacks).finish_non_exhaustive()
    }
}

/// A participant's place in a tree: what the jobs that it splits off go to.
pub(crate) struct TreeSlot<'a> {
    region: &'a TreeRegion,
    number: usize,
    participant: &'a dyn Participant,
    /// The slot that was robbed last.
    victim: Cell<usize>,
}

impl<'a> TreeSlot<'a> {
    /// The caller has just sat down in slot `number`, and uses it on this thread alone.
    fn new(region: &'a TreeRegion, number: usize, participant: &'a dyn Participant) -> Self {
        Self { region, number, participant, victim: Cell::new(number) }
    }

    /// The region, to tell regions apart.
    pub(crate) fn region(&self) -> *const TreeRegion {
        self.region
    }

    /// Puts a job where this participant comes to it next, and helpers find it.
    #[inline]
    pub(crate) fn push(&self, job: JobRef) {
        // SAFETY: this is the slot's own thread.
        unsafe { self.region.stacks[self.number].push(job) };
        if self.region.unattended.load(Relaxed) {
            self.call_for_help();
        }
    }

    #[cold]
    fn call_for_help(&self) {
        self.region.unattended.store(false, Relaxed);
        self.participant.summon();
    }

    /// Puts a job where any participant of the region finds it.
    pub(crate) fn share(&self, job: JobRef) {
        if self.region.share(job) {
            self.participant.summon();
        }
    }

    /// Takes the job that was pushed last and is still there.
    #[inline]
    pub(crate) fn pop(&self) -> Option<JobRef> {
        // SAFETY: this is the slot's own thread.
        unsafe { self.region.stacks[self.number].pop() }
    }

    /// Works until the region is over, or the participant calls, or there has been nothing to do
    /// for a while.
    fn serve(&self) {
        let mut in_vain = 0;
        while in_vain < PATIENCE && !self.region.over.load(Relaxed) && !self.participant.must_leave() {
            if self.run_one() {
                in_vain = 0;
            } else {
                in_vain += 1;
                crate::util::sync::spin_for_a_while();
            }
            self.participant.tick(Instant::now());
        }
        if !self.region.over.load(Relaxed) {
            self.region.unattended.store(true, Relaxed);
        }
    }

    /// Runs a job of this region, if one is to be had: the own ones first.
    pub(crate) fn run_one(&self) -> bool {
        let Some(job) = self.pop().or_else(|| self.region.shared.take()).or_else(|| self.steal()) else {
            return false;
        };
        // SAFETY: it has just been taken out of its queue.
        unsafe { job.run() };
        true
    }

    /// Takes the oldest job of another slot. Begins with the one where there was something the last
    /// time.
    fn steal(&self) -> Option<JobRef> {
        let stacks = &self.region.stacks;
        let start = self.victim.get();
        for step in 0..stacks.len() {
            let victim = (start + step) % stacks.len();
            if victim == self.number {
                continue;
            }
            if let Some(job) = stacks[victim].steal() {
                self.victim.set(victim);
                return Some(job);
            }
        }
        None
    }

    /// Waits for `latch`, and works on this region meanwhile.
    ///
    /// Only on this region: a job of another might take long, or want a lock that this thread
    /// holds.
    #[cold]
    pub(crate) fn wait_for(&self, latch: &Latch) {
        let mut in_vain = 0;
        while !latch.is_set() {
            if self.run_one() {
                in_vain = 0;
                continue;
            }
            in_vain += 1;
            if in_vain < LOOKS_BEFORE_NAP {
                crate::util::sync::spin_for_a_while();
            } else {
                latch.await_here();
                self.nap_unless(latch, in_vain - LOOKS_BEFORE_NAP);
            }
        }
    }

    /// Waits for `latch` and does nothing else.
    pub(crate) fn wait_idly_for(&self, latch: &Latch) {
        latch.await_here();
        let mut naps = 0;
        while !latch.is_set() {
            self.nap_unless(latch, naps);
            naps += 1;
        }
    }

    /// Sleeps until the latch is set, but not for long: there may be a job to steal by then, and
    /// nobody calls.
    fn nap_unless(&self, latch: &Latch, naps: u32) {
        if !latch.is_set() {
            crate::util::sync::nap(naps);
        }
    }
}

impl std::fmt::Debug for TreeSlot<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TreeSlot").field("number", &self.number).finish_non_exhaustive()
    }
}
