//! A loop: ranges of indices, one before each participant, and what is to be done with them.
//!
//! The owner begins with all indices before it. Whoever comes to help takes half of the longest
//! range; when that is worked off, again, down to a single index. So nobody has to say how large a
//! piece should be, and a loop whose costs are all at one end is shared as well as any other.

use std::ops::Range;
use std::ptr;

use crossbeam_utils::CachePadded;

use crate::fork_join::core::OwnersCore;
use crate::fork_join::open_regions::{Participant, Region, Unattended};
use crate::fork_join::pace::Pace;
use crate::fork_join::slots::{Closing, OWNERS, Slots};
use crate::fork_join::work_range::WorkRange;
use crate::util::sync::atomic::Ordering::{Relaxed, SeqCst};
use crate::util::sync::atomic::{AtomicBool, fence};
use crate::util::sync::thread;
use crate::util::sync::thread::Thread;
use crate::util::sync::{Mutex, UnsafeCell};
use crate::util::unwind::{Payload, caught, drop_quietly};

/// How often the owner looks whether the last helper has left before it sleeps: some 20 µs.
const LOOKS_BEFORE_SLEEP: u32 = if cfg!(loom) { 1 } else { 400 };

/// What is done with the indices of a loop.
pub(crate) trait LoopBody: Sync {
    /// What one participant carries from stride to stride, while it is at it.
    type Local;

    fn begin(&self) -> Self::Local;

    /// Does the work of `range`, in its order. If it panics, the loop ends, with that panic.
    fn run(&self, local: &mut Self::Local, range: Range<u32>);

    /// Takes in what a participant has carried, after a panic too.
    fn end(&self, local: Self::Local);

    /// Whether the rest of the loop is not wanted any more. Asked at each claim.
    fn is_cancelled(&self) -> bool {
        false
    }
}

pub(crate) struct LoopRegion {
    slots: Slots,
    ranges: Box<[CachePadded<WorkRange>]>,
    /// Whether what is left is to be left alone: after a panic, or when it was cancelled. Relaxed:
    /// it publishes nothing.
    stopped: AtomicBool,
    panic: Mutex<Option<Payload>>,
    /// Whom a leaving participant wakes, when the owner waits.
    owner: Mutex<Option<Thread>>,
    owners_core: OwnersCore,
    /// Written while the region is closed and nobody else knows it, read by those who enter in it.
    work: UnsafeCell<Work>,
}

/// The body, without its type.
#[derive(Clone, Copy)]
struct Work {
    body: *const (),
    /// # Safety
    ///
    /// `body` leads to the body that this was made for, and the caller sits in the region.
    participate: unsafe fn(*const (), &LoopRegion, usize, &dyn Participant),
}

// SAFETY: `work` leads to a body, which is Sync, and is written only while the region is closed and
// unshared.
unsafe impl Send for LoopRegion {}
// SAFETY: as above.
unsafe impl Sync for LoopRegion {}

impl LoopRegion {
    /// A region for `slots` participants, its owner included.
    pub(crate) fn new(slots: usize) -> Self {
        unsafe fn nobody(_: *const (), _: &LoopRegion, _: usize, _: &dyn Participant) {}
        Self {
            slots: Slots::new(slots),
            ranges: (0..slots).map(|_| CachePadded::new(WorkRange::empty())).collect(),
            stopped: AtomicBool::new(false),
            panic: Mutex::new(None),
            owner: Mutex::new(None),
            owners_core: OwnersCore::new(),
            work: UnsafeCell::new(Work { body: ptr::null(), participate: nobody }),
        }
    }

    /// Runs a loop over `0..count` in this region. `posted` puts it on the board and gives back
    /// what takes it down.
    ///
    /// Returns when all indices are done, or the loop was stopped, and nobody is at it any more.
    ///
    /// # Errors
    ///
    /// The first panic.
    ///
    /// # Safety
    ///
    /// Nobody else has a reference to this region when this begins.
    pub(crate) unsafe fn run<B: LoopBody, P>(
        &self,
        count: u32,
        body: &B,
        posted: impl FnOnce() -> P,
    ) -> Result<(), Payload> {
        self.begin(count, body);
        // Before others can know of the body, on which they may be at work whatever becomes of the
        // call for them.
        let alone = AloneAtTheEnd { region: self, body };
        let posted = posted();
        participate(self, body, OWNERS, &Unattended);
        drop(alone);
        drop(posted);
        self.panic.lock().take().map_or(Ok(()), Err)
    }

    /// Opens the region, with all indices before its owner. It has been closed, and nobody else
    /// knows it.
    fn begin<B: LoopBody>(&self, count: u32, body: &B) {
        self.work.with_mut(|work| {
            let body = ptr::from_ref(body).cast();
            // SAFETY: nobody else has a reference to the region, by the promise made to `run`.
            unsafe { *work = Work { body, participate: participate_in::<B> } }
        });
        self.owners_core.note();
        self.stopped.store(false, Relaxed);
        for range in &self.ranges {
            // What a stopped loop has left behind.
            while range.steal().is_some() {}
        }
        self.ranges[OWNERS].fill(0..count);
        self.slots.open();
    }

    /// Waits until the owner is alone and the work done, and closes the region: after that, nobody
    /// touches the body.
    fn see_others_off<B: LoopBody>(&self, body: &B) {
        let mut looks = 0;
        loop {
            if !self.is_used_up() {
                // A helper that was called away has left something.
                participate(self, body, OWNERS, &Unattended);
            }
            // What is left lies before somebody who sits here, or is there to be seen: whoever
            // steals, sits.
            if !self.slots.has_others() && self.slots.close() == Closing::Closed {
                if self.is_used_up() {
                    return;
                }
                self.slots.open();
            }
            looks += 1;
            if looks < LOOKS_BEFORE_SLEEP {
                crate::util::sync::spin();
            } else {
                self.sleep_until_somebody_leaves();
            }
        }
    }

    /// Or until there is something to claim again.
    fn sleep_until_somebody_leaves(&self) {
        *self.owner.lock() = Some(thread::current());
        if self.slots.begin_wait() {
            // Pairs with the fence in `lay_out`.
            fence(SeqCst);
            if self.is_used_up() {
                thread::park();
            }
        }
        self.slots.end_wait();
    }

    /// Whether no index is left to be claimed, or none is wanted.
    fn is_used_up(&self) -> bool {
        self.stopped.load(Relaxed) || self.ranges.iter().all(|range| range.is_empty())
    }

    fn stop(&self) {
        self.stopped.store(true, Relaxed);
    }

    /// Stops the loop with a panic. The first one is kept.
    fn fail(&self, payload: Payload) {
        self.stop();
        let late = {
            let mut panic = self.panic.lock();
            if panic.is_none() {
                *panic = Some(payload);
                return;
            }
            payload
        };
        drop_quietly(late);
    }

    /// The next indices for whoever sits in `slot`: up to `stride` from its own range, one of what
    /// it can steal otherwise.
    #[inline]
    fn claim(&self, slot: usize, stride: u32) -> Option<Range<u32>> {
        self.ranges[slot].claim(stride).or_else(|| self.rob(slot))
    }

    /// Takes half of the longest range, keeps one index and puts the rest before `slot`.
    #[inline(never)]
    fn rob(&self, slot: usize) -> Option<Range<u32>> {
        loop {
            let longest = self.ranges.iter().max_by_key(|range| range.load().len())?;
            if longest.is_empty() {
                return None;
            }
            if let Some(loot) = longest.steal() {
                self.lay_out(slot, loot.start + 1..loot.end);
                return Some(loot.start..loot.start + 1);
            }
        }
    }

    /// Puts loot before `slot`. While it was in the thief's hands nobody could see it, and the
    /// owner may have gone to sleep.
    fn lay_out(&self, slot: usize, loot: Range<u32>) {
        if loot.is_empty() {
            return;
        }
        self.ranges[slot].fill(loot);
        // Pairs with the fence in `sleep_until_somebody_leaves`: the owner sees the loot, or is
        // seen to sleep.
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

/// Sees to it that nobody is left in the region when its owner leaves it, unwinding too.
struct AloneAtTheEnd<'a, B: LoopBody> {
    region: &'a LoopRegion,
    body: &'a B,
}

impl<B: LoopBody> Drop for AloneAtTheEnd<'_, B> {
    fn drop(&mut self) {
        self.region.see_others_off(self.body);
    }
}

/// Claims and works until there is nothing left, or the loop was stopped, or the participant calls.
fn participate<B: LoopBody>(region: &LoopRegion, body: &B, slot: usize, participant: &dyn Participant) {
    let mut local = body.begin();
    let outcome = caught(|| {
        let mut pace = Pace::new();
        while !region.stopped.load(Relaxed) && !participant.must_leave() {
            if body.is_cancelled() {
                return region.stop();
            }
            let Some(range) = region.claim(slot, pace.stride()) else { return };
            let length = range.end - range.start;
            body.run(&mut local, range);
            if let Some(now) = pace.note(length) {
                participant.tick(now);
            }
        }
    });
    if let Err(payload) = outcome {
        region.fail(payload);
    }
    if let Err(payload) = caught(|| body.end(local)) {
        region.fail(payload);
    }
}

/// # Safety
///
/// As [`Work::participate`].
unsafe fn participate_in<B: LoopBody>(
    body: *const (),
    region: &LoopRegion,
    slot: usize,
    participant: &dyn Participant,
) {
    // SAFETY: the owner does not leave `run`, which borrows the body, while somebody sits in the
    // region.
    let body = unsafe { &*body.cast::<B>() };
    participate(region, body, slot, participant);
}

impl Region for LoopRegion {
    fn wants_help(&self) -> bool {
        !self.is_used_up()
    }

    fn owners_core(&self) -> Option<u32> {
        self.owners_core.get()
    }

    fn help(&self, participant: &dyn Participant) {
        let Some(slot) = self.slots.enter() else { return };
        let work = self.work.with(|work| {
            // SAFETY: the region is open, and its work is written only while it is closed.
            unsafe { *work }
        });
        // SAFETY: the work is this region's, and we enter in it.
        unsafe { (work.participate)(work.body, self, slot, participant) };
        if self.slots.leave(slot) {
            self.wake_owner();
        }
    }
}

impl std::fmt::Debug for LoopRegion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LoopRegion").field("slots", &self.slots).field("ranges", &self.ranges).finish_non_exhaustive()
    }
}
