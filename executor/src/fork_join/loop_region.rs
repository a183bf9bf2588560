//! The region of a loop: a work range of indices in each slot, and the body that runs over them.
//!
//! The owner begins with all indices in its slot. A helper steals half of the longest range, and
//! when it has worked that off it steals again, down to a single index. So the caller need not
//! choose a chunk size, and a loop whose costs are all at one end is shared as well as any other.
//!
//! # When the borrowed body is safe to use
//!
//! The body lies on the owner's stack. A helper touches it only while it has a slot, and it gets a
//! slot only while the region is open. The owner returns after it has closed the region in one
//! step from "I am the only participant".

use std::cell::Cell;
use std::ops::Range;
use std::ptr;
use std::time::{Duration, Instant};

use crossbeam_utils::CachePadded;

use crate::fork_join::open_regions::OwnersCore;
use crate::fork_join::slots::{LOOKS, OWNERS, Slots};
use crate::fork_join::work_range::{ClaimPace, WorkRange};
use crate::fork_join::{FirstPanic, Participant, Region, Unattended};
use crate::util::sync::atomic::Ordering::{Relaxed, SeqCst};
use crate::util::sync::atomic::{AtomicPtr, fence};
use crate::util::sync::thread::{self, Thread};
use crate::util::sync::{self, Mutex, UnsafeCell};
use crate::util::unwind::{Payload, caught};

/// The body of a loop, for the indices of one region.
pub(crate) trait LoopBody: Sync {
    /// The state that one participant carries from stride to stride.
    type Local;

    fn begin(&self) -> Self::Local;

    /// Does the work of `range`, in order. A panic ends the loop, which resumes it in the caller.
    fn run(&self, local: &mut Self::Local, range: Range<u32>);

    /// Takes the state of a participant that leaves, after a panic too.
    fn end(&self, local: Self::Local);

    /// Returns whether the rest of the loop is to be left undone. Asked at each claim.
    fn is_cancelled(&self) -> bool {
        false
    }
}

pub(crate) struct LoopRegion {
    slots: Slots,
    ranges: Box<[CachePadded<WorkRange>]>,
    panic: FirstPanic,
    /// The owner's thread while it waits, for the participant that wakes it.
    owner: Mutex<Option<Thread>>,
    owners_core: OwnersCore,
    /// The regions that wait for this one. Written by the owner before others find the region:
    /// Relaxed will do.
    lineage: AtomicPtr<()>,
    /// Written by the owner while the region is closed and no other thread has a reference to it,
    /// read by helpers that have a slot.
    work: UnsafeCell<Work>,
}

/// The body with its type erased.
#[derive(Clone, Copy)]
struct Work {
    body: *const (),
    /// # Safety
    ///
    /// `body` points to the body that this function was made for, and the caller has the slot.
    participate: unsafe fn(*const (), &LoopRegion, usize, &dyn Participant),
}

// SAFETY: `work` points to a body, which is Sync, and is written only while the region is closed
// and unshared.
unsafe impl Send for LoopRegion {}
// SAFETY: as above.
unsafe impl Sync for LoopRegion {}

impl LoopRegion {
    /// For how many participants it is, its owner included.
    pub(super) fn count_slots(&self) -> usize {
        self.ranges.len()
    }

    /// A region for `slots` participants, its owner included.
    pub(crate) fn new(slots: usize) -> Self {
        unsafe fn nothing(_: *const (), _: &LoopRegion, _: usize, _: &dyn Participant) {}
        Self {
            slots: Slots::new(slots),
            ranges: (0..slots).map(|_| CachePadded::new(WorkRange::empty())).collect(),
            panic: FirstPanic::new(),
            owner: Mutex::new(None),
            owners_core: OwnersCore::new(),
            lineage: AtomicPtr::new(ptr::null_mut()),
            work: UnsafeCell::new(Work { body: ptr::null(), participate: nothing }),
        }
    }

    /// Notes the lineage of the loop that `run` is called for next.
    ///
    /// # Safety
    ///
    /// `lineage` is null, or points to a `Lineage` that is there until `run` returns.
    pub(super) unsafe fn set_lineage(&self, lineage: *const ()) {
        self.lineage.store(lineage.cast_mut(), Relaxed);
    }

    /// Runs a loop over `0..count` in this region. `post` adds it to the open regions and returns
    /// the guard that withdraws it. `owner` is the calling thread, which stays until the end.
    ///
    /// Returns when all indices are done, or the loop was stopped, and no helper is in the region
    /// any more.
    ///
    /// # Errors
    ///
    /// Returns the first panic.
    ///
    /// # Safety
    ///
    /// No other thread has a reference to this region when this begins.
    pub(super) unsafe fn run<B: LoopBody, P>(
        &self,
        count: u32,
        body: &B,
        owner: &dyn Participant,
        post: impl FnOnce() -> P,
    ) -> Result<(), Payload> {
        self.begin(count, body);
        // Before helpers can find the body: they may be at work on it even if `post` unwinds.
        let closing = CloseOnDrop { region: self, body, owner };
        let posted = post();
        participate(self, body, OWNERS, &Unattended);
        drop(closing);
        drop(posted);
        self.panic.outcome()
    }

    /// Runs a loop over `0..count` in this region, in which the owner has no part, but for the work
    /// that is left when `wait` returns: in `wait`, others [pass by](Self::pass_by).
    ///
    /// Returns when no other thread is in the region any more.
    ///
    /// # Errors
    ///
    /// Returns the first panic of the body.
    ///
    /// # Safety
    ///
    /// No other thread has a reference to this region when this begins.
    pub(super) unsafe fn run_by_others<B: LoopBody>(
        &self,
        count: u32,
        body: &B,
        wait: impl FnOnce(),
    ) -> Result<(), Payload> {
        self.begin(count, body);
        let closing = CloseOnDrop { region: self, body, owner: &Unattended };
        wait();
        drop(closing);
        self.panic.outcome()
    }

    /// Works in the region for about as long as `most`. Returns whether there is more to do.
    pub(crate) fn pass_by(&self, most: Duration) -> bool {
        self.help(&PassingBy { until: sync::now() + most, is_late: Cell::new(false) });
        self.wants_help()
    }

    /// Opens the region, with all indices in its owner's slot. It was closed, and no other thread
    /// has a reference to it.
    fn begin<B: LoopBody>(&self, count: u32, body: &B) {
        self.work.with_mut(|work| {
            let body = ptr::from_ref(body).cast();
            // SAFETY: no other thread has a reference to the region, by the promise made to `run`.
            unsafe { *work = Work { body, participate: participate_in::<B> } }
        });
        self.owners_core.note();
        self.panic.restart();
        for range in &self.ranges {
            // A loop that was stopped has left indices behind.
            while range.steal().is_some() {}
        }
        self.ranges[OWNERS].fill(0..count);
        self.slots.open();
    }

    /// Waits until the owner is the only participant and the work is done, and closes the region:
    /// after that, no other thread touches the body.
    fn close_when_done<B: LoopBody>(&self, body: &B, owner: &dyn Participant) {
        let mut looks = 0;
        loop {
            if !self.is_used_up() {
                // A helper that had to leave has left indices behind.
                participate(self, body, OWNERS, &Unattended);
            }
            // Indices that are left are in the slot of a participant, or are seen here: a thief
            // has a slot.
            if !self.slots.has_others() && self.slots.close() {
                if self.is_used_up() {
                    return;
                }
                self.slots.open();
            }
            if owner.thread().run_own() {
                continue;
            }
            looks += 1;
            // As long as a tree's participant looks: a look at one word takes a sixth of the time.
            if looks < sync::looks(6 * LOOKS) {
                sync::spin();
            } else {
                self.sleep_until_one_leaves(looks - sync::looks(6 * LOOKS));
            }
        }
    }

    /// Sleeps until a participant leaves, or there is something to claim again, but not for long: a
    /// job for the owner alone does not wake it.
    fn sleep_until_one_leaves(&self, naps: u32) {
        *self.owner.lock() = Some(thread::current());
        if self.slots.begin_wait() {
            // Pairs with the fence in `keep_stolen`.
            fence(SeqCst);
            if self.is_used_up() {
                sync::nap(naps);
            }
        }
        self.slots.end_wait();
    }

    /// Returns whether no index is left to be claimed, or the loop was stopped.
    fn is_used_up(&self) -> bool {
        self.panic.is_stopped() || self.ranges.iter().all(|range| range.is_empty())
    }

    /// Claims the next indices for the participant in `slot`: up to `stride` of its own range, or
    /// one of those that it can steal.
    #[inline]
    fn claim(&self, slot: usize, stride: u32) -> Option<Range<u32>> {
        self.ranges[slot].claim(stride).or_else(|| self.steal(slot))
    }

    /// Steals half of the longest range, claims one index of it and keeps the others in `slot`.
    #[inline(never)]
    fn steal(&self, slot: usize) -> Option<Range<u32>> {
        loop {
            let longest = self.ranges.iter().max_by_key(|range| range.load().len())?;
            if longest.is_empty() {
                return None;
            }
            if let Some(stolen) = longest.steal() {
                self.keep_stolen(slot, stolen.start + 1..stolen.end);
                return Some(stolen.start..stolen.start + 1);
            }
        }
    }

    /// Puts stolen indices into `slot`. Between the theft and this no other thread could see them,
    /// and the owner may have gone to sleep.
    fn keep_stolen(&self, slot: usize, stolen: Range<u32>) {
        if stolen.is_empty() {
            return;
        }
        self.ranges[slot].fill(stolen);
        // Pairs with the fence in `sleep_until_one_leaves`: the owner sees the indices, or the
        // thief sees that the owner sleeps.
        fence(SeqCst);
        if self.slots.owner_waits() {
            self.wake_owner();
        }
    }

    fn wake_owner(&self) {
        let owner = self.owner.lock().clone();
        owner.expect("an owner names itself before it waits").unpark();
    }
}

/// A participant that leaves after a while.
struct PassingBy {
    until: Instant,
    is_late: Cell<bool>,
}

impl Participant for PassingBy {
    fn must_leave(&self) -> bool {
        self.is_late.get()
    }

    fn tick(&self) {
        self.is_late.set(sync::now() >= self.until);
    }
}

/// Closes the region when its owner leaves it, by unwinding too.
struct CloseOnDrop<'a, B: LoopBody> {
    region: &'a LoopRegion,
    body: &'a B,
    owner: &'a dyn Participant,
}

impl<B: LoopBody> Drop for CloseOnDrop<'_, B> {
    fn drop(&mut self) {
        self.region.close_when_done(self.body, self.owner);
    }
}

/// Claims and works until nothing is left, the loop is stopped, or the participant must leave.
fn participate<B: LoopBody>(region: &LoopRegion, body: &B, slot: usize, participant: &dyn Participant) {
    let mut local = body.begin();
    let outcome = caught(|| {
        let mut pace = ClaimPace::new();
        while !region.panic.is_stopped() && !participant.must_leave() {
            if body.is_cancelled() {
                return region.panic.stop();
            }
            let Some(range) = region.claim(slot, pace.stride()) else { return };
            let length = range.end - range.start;
            body.run(&mut local, range);
            if pace.note(length) {
                participant.tick();
            }
        }
    });
    if let Err(payload) = outcome {
        region.panic.keep(payload);
    }
    if let Err(payload) = caught(|| body.end(local)) {
        region.panic.keep(payload);
    }
}

/// # Safety
///
/// The promises of [`Work::participate`].
unsafe fn participate_in<B: LoopBody>(
    body: *const (),
    region: &LoopRegion,
    slot: usize,
    participant: &dyn Participant,
) {
    // SAFETY: the owner does not leave `run`, which borrows the body, while a participant has a
    // slot.
    let body = unsafe { &*body.cast::<B>() };
    participate(region, body, slot, participant);
}

impl Region for LoopRegion {
    fn wants_help(&self) -> bool {
        self.slots.has_room() && !self.is_used_up()
    }

    fn owners_core(&self) -> Option<u32> {
        self.owners_core.get()
    }

    fn lineage(&self) -> *const () {
        self.lineage.load(Relaxed)
    }

    fn help(&self, participant: &dyn Participant) {
        let Some(slot) = self.slots.enter() else { return };
        let work = self.work.with(|work| {
            // SAFETY: the region is open, and its work is written only while it is closed.
            unsafe { *work }
        });
        // SAFETY: the work is this region's, and the slot is taken.
        unsafe { (work.participate)(work.body, self, slot, participant) };
        if self.slots.leave(slot) {
            self.wake_owner();
        }
    }
}
