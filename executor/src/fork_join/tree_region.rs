//! The region of a `join` or a `scope`: a tree of jobs, which split off jobs and wait for them.
//!
//! Each slot has a stack of jobs. Every job that splits off others waits for them, so no job
//! outlives its borrows, and the owner returns when all jobs are done. So the owner need not wait
//! for the helpers: they may still be looking for jobs when the region is over, and touch nothing
//! but the region itself, to which they have a counted reference.
//!
//! Each job that a participant takes out of a queue has a **rank**, higher than the rank of
//! every job that waits for it, and of every unfinished job on its thread. So threads that wait for
//! the ends of jobs of a higher rank do not wait for each other.

use std::cell::Cell;
use std::{mem, ptr};

use crossbeam_utils::CachePadded;

use crate::fork_join::job::{JobStack, LENT_FRAME, SharedJobs};
use crate::fork_join::open_regions::{Indexed, OwnersCore, TakeBack};
use crate::fork_join::slots::{LOOKS, OWNERS, Slots};
use crate::fork_join::{JobRef, Latch, Participant, Region};
use crate::util::sync;
use crate::util::sync::atomic::Ordering::{Relaxed, SeqCst};
use crate::util::sync::atomic::{AtomicBool, AtomicPtr, fence};
use crate::util::sync::thread_local;

pub(crate) struct TreeRegion {
    slots: Slots,
    stacks: Box<[CachePadded<JobStack>]>,
    /// Jobs from threads that have no slot here.
    shared: SharedJobs,
    /// Returns whether the next job is to summon a helper, since no helper is looking any more. A
    /// hint, so Relaxed will do: a job that no helper sees is run by the participant that split it
    /// off.
    unattended: AtomicBool,
    owners_core: OwnersCore,
    /// The team that the region belongs to, by its id. 0: a runtime.
    team: usize,
    /// The regions that wait for this one. Written by the owner before others find the region, and
    /// read by participants, whose slots publish it: so Relaxed will do.
    lineage: AtomicPtr<()>,
    /// True if the owner has returned. Relaxed: helpers need not leave at once.
    over: AtomicBool,
}

impl TreeRegion {
    /// For how many participants it is, its owner included.
    pub(crate) fn count_slots(&self) -> usize {
        self.stacks.len()
    }

    /// A region of a runtime, for `slots` participants, its owner included.
    pub(crate) fn new(slots: usize) -> Self {
        Self::of_team(slots, 0)
    }

    /// A region of the team with this id, or of a runtime if that is 0.
    pub(super) fn of_team(slots: usize, team: usize) -> Self {
        Self {
            slots: Slots::new(slots),
            stacks: (0..slots).map(|_| CachePadded::new(JobStack::new())).collect(),
            shared: SharedJobs::new(),
            unattended: AtomicBool::new(false),
            owners_core: OwnersCore::new(),
            team,
            lineage: AtomicPtr::new(ptr::null_mut()),
            over: AtomicBool::new(false),
        }
    }

    pub(super) fn team(&self) -> usize {
        self.team
    }

    /// Returns a pointer to the lineage of the root that has opened the region.
    pub(super) fn lineage(&self) -> *const () {
        self.lineage.load(Relaxed)
    }

    /// Notes that lineage. Before `begin`.
    ///
    /// # Safety
    ///
    /// `lineage` is null, or points to a `Lineage` that is there until the owner calls `end`.
    pub(super) unsafe fn set_lineage(&self, lineage: *const ()) {
        self.lineage.store(lineage.cast_mut(), Relaxed);
    }

    /// Gives the owner its slot.
    ///
    /// # Safety
    ///
    /// No other thread has a reference to this region, and the slot is not used after `end`.
    pub(super) unsafe fn begin<'a>(&'a self, participant: &'a dyn Participant) -> TreeSlot<'a> {
        self.owners_core.note();
        self.over.store(false, Relaxed);
        self.unattended.store(false, Relaxed);
        self.slots.open();
        TreeSlot::new(self, OWNERS, participant)
    }

    /// Makes the helpers leave, as the owner returns.
    pub(crate) fn end(&self) {
        self.over.store(true, Relaxed);
    }

    /// Takes a job from a thread that may have no slot here. Returns `true` if no helper looks for
    /// jobs any more, and the caller has to summon one.
    #[must_use]
    pub(crate) fn share(&self, job: JobRef) -> bool {
        self.shared.put(job);
        // Pairs with the fence in `wants_help`.
        fence(SeqCst);
        self.unattended.load(Relaxed) && self.unattended.swap(false, Relaxed)
    }

    fn in_free_slot<R>(&self, participant: &dyn Participant, f: impl FnOnce(&TreeSlot<'_>) -> R) -> Option<R> {
        let number = self.slots.enter()?;
        let slot = TreeSlot::new(self, number, participant);
        let current_slot = CurrentSlot::enter(&slot);
        let result = f(&slot);
        drop(current_slot);
        // The owner of a tree waits for jobs, not for slots.
        let _ = self.slots.leave(number);
        Some(result)
    }

    /// Returns whether a participant who comes now finds a job.
    pub(super) fn has_job_for_one(&self) -> bool {
        self.slots.has_room() && self.has_jobs()
    }

    fn has_jobs(&self) -> bool {
        !self.shared.is_empty() || self.stacks.iter().any(|stack| !stack.is_empty())
    }
}

impl Region for TreeRegion {
    fn wants_help(&self) -> bool {
        if !self.slots.has_room() {
            return false;
        }
        if self.has_jobs() {
            return true;
        }
        self.unattended.store(true, Relaxed);
        // Of a job that is pushed now and this look, one sees the other as soon as the pusher has
        // popped one, which fences, or if it pushes with a fence (`push_and_tell`). The job of a
        // `join` may be missed: then the thread that has pushed it runs it.
        fence(SeqCst);
        self.has_jobs()
    }

    fn owners_core(&self) -> Option<u32> {
        self.owners_core.get()
    }

    fn help(&self, participant: &dyn Participant) {
        self.in_free_slot(participant, |slot| slot.work());
    }

    fn help_once(&self, participant: &dyn Participant) -> bool {
        self.in_free_slot(participant, |slot| slot.run_one()).unwrap_or(false)
    }
}

/// A slot of a tree, with the participant that has it: where the jobs that it splits off go.
pub(crate) struct TreeSlot<'a> {
    region: &'a TreeRegion,
    number: usize,
    participant: &'a dyn Participant,
    thread: &'a dyn Indexed,
    /// The rank of the job that it runs. 0: it runs none, or the owner's function.
    rank: Cell<u64>,
    /// The slot from which it has stolen last.
    victim: Cell<usize>,
}

impl<'a> TreeSlot<'a> {
    /// The caller has just taken slot `number`, and uses it on this thread alone.
    fn new(region: &'a TreeRegion, number: usize, participant: &'a dyn Participant) -> Self {
        let thread = participant.thread();
        Self { region, number, participant, thread, rank: Cell::new(0), victim: Cell::new(number) }
    }

    pub(crate) fn region(&self) -> &'a TreeRegion {
        self.region
    }

    pub(super) fn participant(&self) -> &'a dyn Participant {
        self.participant
    }

    /// Returns the slot's number in its region.
    pub(crate) fn number(&self) -> usize {
        self.number
    }

    /// Returns whether jobs wait on the slot's own stack.
    pub(crate) fn has_own_jobs(&self) -> bool {
        !self.region.stacks[self.number].is_empty()
    }

    /// Puts a job on the slot's own stack, where this participant comes to it next and helpers find
    /// it.
    #[inline]
    pub(crate) fn push(&self, job: JobRef) {
        // SAFETY: this is the slot's own thread.
        unsafe { self.region.stacks[self.number].push(job) };
        if self.region.unattended.load(Relaxed) {
            self.call_for_help();
        }
    }

    /// Puts a job on the slot's own stack for a thread that may block until the job has run: a
    /// helper that is about to leave sees it, or is summoned.
    pub(crate) fn push_and_tell(&self, job: JobRef) {
        // SAFETY: this is the slot's own thread.
        unsafe { self.region.stacks[self.number].push(job) };
        // Pairs with the fence in `wants_help`.
        fence(SeqCst);
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

    /// Takes the job that was pushed last, of those that are still there.
    #[inline]
    pub(crate) fn pop(&self) -> Option<JobRef> {
        // SAFETY: this is the slot's own thread.
        unsafe { self.region.stacks[self.number].pop() }
    }

    /// Works until the region is over, the participant must leave, or there has been nothing to do
    /// for a while. For helpers.
    fn work(&self) {
        let mut in_vain = 0;
        while in_vain < sync::looks(LOOKS) && !self.region.over.load(Relaxed) && !self.participant.must_leave() {
            if self.run_one() {
                in_vain = 0;
            } else {
                in_vain += 1;
                sync::spin_for_a_while();
            }
            self.participant.tick();
        }
        if !self.region.over.load(Relaxed) {
            self.region.unattended.store(true, Relaxed);
        }
    }

    /// Runs the newest job of the slot's own stack, if there is one. Returns whether it has.
    pub(crate) fn run_own_job(&self) -> bool {
        let Some(job) = self.pop() else { return false };
        // SAFETY: it has just been taken out of its queue.
        unsafe { self.run(job) };
        true
    }

    /// Runs a job of this region.
    ///
    /// # Safety
    ///
    /// The promise of [`JobRef::run`].
    pub(super) unsafe fn run(&self, job: JobRef) {
        let outer = self.rank.get();
        self.rank.set(self.rank_above(outer));
        // SAFETY: as the caller promises.
        unsafe { self.thread.run(job) }
        self.rank.set(outer);
    }

    /// Returns the rank of the job that the participant runs.
    pub(super) fn rank(&self) -> u64 {
        self.rank.get()
    }

    /// Makes the next jobs of this slot have a rank above `other`, and returns their rank.
    fn rank_above(&self, other: u64) -> u64 {
        let own = &self.region.stacks[self.number].rank;
        let rank = own.load(Relaxed);
        if rank > other {
            return rank;
        }
        own.store(other + 1, Relaxed);
        other + 1
    }

    /// Runs a job of this region, if it finds one: those of the own stack come first. Returns
    /// whether it has.
    pub(crate) fn run_one(&self) -> bool {
        let Some(job) = self.pop().or_else(|| self.take_shared()).or_else(|| self.steal()) else {
            return false;
        };
        // SAFETY: it has just been taken out of its queue.
        unsafe { self.run(job) };
        true
    }

    /// Takes a job that may be of any slot's participant.
    fn take_shared(&self) -> Option<JobRef> {
        let job = self.region.shared.take()?;
        let ranks = self.region.stacks.iter().map(|stack| stack.rank.load(Relaxed));
        self.rank_above(ranks.max().unwrap_or(0));
        Some(job)
    }

    /// Takes the oldest job of another slot. Begins with the slot from which it has stolen last.
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
                self.rank_above(stacks[victim].rank.load(Relaxed));
                return Some(job);
            }
        }
        None
    }

    /// Waits for `latch`, and runs jobs of this region meanwhile.
    ///
    /// Only of this region: a job of another might take long, or want a lock that this thread
    /// holds.
    #[cold]
    pub(crate) fn wait_for(&self, latch: &Latch) {
        let lent = LENT_FRAME;
        let (mut index, mut in_vain) = (IndexInWait::new(self.thread), 0);
        while !(latch.is_set() && index.is_back()) {
            if self.run_one() || self.thread.run_own() {
                in_vain = 0;
                continue;
            }
            in_vain += 1;
            if in_vain < sync::looks(LOOKS) {
                sync::spin_for_a_while();
            } else {
                latch.await_here();
                self.nap_unless(latch, &mut index, in_vain - sync::looks(LOOKS));
            }
        }
        mem::forget(lent);
    }

    /// Waits for `latch`, and runs jobs meanwhile that no other thread may run, and no others.
    pub(crate) fn wait_idly_for(&self, latch: &Latch) {
        let lent = LENT_FRAME;
        latch.await_here();
        let (mut index, mut naps) = (IndexInWait::new(self.thread), 0);
        while !(latch.is_set() && index.is_back()) {
            if !self.thread.run_own() {
                self.nap_unless(latch, &mut index, naps);
                naps += 1;
            }
        }
        mem::forget(lent);
    }

    /// Sleeps until the latch is set, but not for long: a new job to steal does not wake this
    /// thread.
    fn nap_unless(&self, latch: &Latch, index: &mut IndexInWait, naps: u32) {
        index.lend(self);
        if !latch.is_set() {
            sync::nap(naps);
        }
    }
}

/// The index of a thread that waits. From its first sleep on other threads may have the index, and
/// the wait ends when it is back: the code after the wait may rely on it.
struct IndexInWait {
    /// True if the thread has had the index since before the wait.
    is_from_before: bool,
    take_back: Option<TakeBack>,
}

impl IndexInWait {
    fn new(thread: &dyn Indexed) -> Self {
        Self { is_from_before: thread.has_index(), take_back: None }
    }

    fn lend(&mut self, slot: &TreeSlot<'_>) {
        if mem::take(&mut self.is_from_before) {
            self.take_back = slot.thread.lend_index(slot);
        } else {
            // A job that the thread has run in the wait has asked for one.
            slot.thread.drop_index();
        }
    }

    fn is_back(&mut self) -> bool {
        self.take_back.as_mut().is_none_or(|take_back| take_back())
    }
}

thread_local! {
    /// The slot that this thread has in the innermost tree in which it works. Null, or valid: the
    /// guard that sets it is dropped before the slot.
    static SLOT: Cell<*const TreeSlot<'static>> = const { Cell::new(ptr::null()) };
}

/// Calls `f` with the thread's slot, if it has one.
#[inline]
pub(crate) fn with_slot<R>(f: impl FnOnce(Option<&TreeSlot<'_>>) -> R) -> R {
    let slot = SLOT.with(Cell::get);
    // SAFETY: a `CurrentSlot` borrows the slot until it has put the previous one back, and `f`
    // cannot keep the reference.
    f(unsafe { slot.as_ref() })
}

/// Makes a slot the thread's own until this guard is dropped.
pub(super) struct CurrentSlot<'a> {
    before: *const TreeSlot<'static>,
    _slot: Option<&'a TreeSlot<'a>>,
}

impl<'a> CurrentSlot<'a> {
    pub(super) fn enter(slot: &'a TreeSlot<'a>) -> Self {
        Self { before: SLOT.with(|current| current.replace(ptr::from_ref(slot).cast())), _slot: Some(slot) }
    }

    /// Leaves the thread without a slot, for a root that runs in the middle of a wait.
    pub(super) fn none() -> Self {
        Self { before: SLOT.with(|current| current.replace(ptr::null())), _slot: None }
    }
}

impl Drop for CurrentSlot<'_> {
    fn drop(&mut self) {
        SLOT.with(|current| current.set(self.before));
    }
}
