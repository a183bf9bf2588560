//! A loop: ranges of indices, one before each participant, and what is to be done with them.
//!
//! The owner begins with all indices before it. Whoever comes to help takes half of the longest span; when that is worked
//! off, again, down to a single index. So nobody has to say how large a piece should be, and a loop whose costs are all
//! at one end is shared as well as any other.

use std::ops::Range;
use std::ptr;

use crossbeam_utils::CachePadded;

use crate::fork_join::board::{Crew, Nobody, Region};
use crate::fork_join::core::OwnersCore;
use crate::fork_join::pace::Pace;
use crate::fork_join::seats::{Closing, OWNERS, Seats};
use crate::fork_join::span::Span;
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
    seats: Seats,
    spans: Box<[CachePadded<Span>]>,
    /// Whether what is left is to be left alone: after a panic, or when it was cancelled. Relaxed: it publishes nothing.
    stopped: AtomicBool,
    panic: Mutex<Option<Payload>>,
    /// Whom a leaving participant wakes, when the owner waits.
    owner: Mutex<Option<Thread>>,
    owners_core: OwnersCore,
    /// Written while the region is closed and nobody else knows it, read by those who sit in it.
    work: UnsafeCell<Work>,
}

/// The body, without its type.
#[derive(Clone, Copy)]
struct Work {
    body: *const (),
    /// # Safety
    ///
    /// `body` leads to the body that this was made for, and the caller sits in the region.
    participate: unsafe fn(*const (), &LoopRegion, usize, &dyn Crew),
}

// SAFETY: `work` leads to a body, which is Sync, and is written only while the region is closed and unshared.
unsafe impl Send for LoopRegion {}
// SAFETY: as above.
unsafe impl Sync for LoopRegion {}

impl LoopRegion {
    /// A region for `seats` participants, its owner included.
    pub(crate) fn new(seats: usize) -> Self {
        unsafe fn nobody(_: *const (), _: &LoopRegion, _: usize, _: &dyn Crew) {}
        Self {
            seats: Seats::new(seats),
            spans: (0..seats).map(|_| CachePadded::new(Span::empty())).collect(),
            stopped: AtomicBool::new(false),
            panic: Mutex::new(None),
            owner: Mutex::new(None),
            owners_core: OwnersCore::new(),
            work: UnsafeCell::new(Work { body: ptr::null(), participate: nobody }),
        }
    }

    /// Runs a loop over `0..count` in this region. `posted` puts it on the board and gives back what takes it down.
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
        // Before others can know of the body, on which they may be at work whatever becomes of the call for them.
        let alone = AloneAtTheEnd { region: self, body };
        let posted = posted();
        participate(self, body, OWNERS, &Nobody);
        drop(alone);
        drop(posted);
        self.panic.lock().take().map_or(Ok(()), Err)
    }

    /// Opens the region, with all indices before its owner. It has been closed, and nobody else knows it.
    fn begin<B: LoopBody>(&self, count: u32, body: &B) {
        self.work.with_mut(|work| {
            let body = ptr::from_ref(body).cast();
            // SAFETY: nobody else has a reference to the region, by the promise made to `run`.
            unsafe { *work = Work { body, participate: participate_in::<B> } }
        });
        self.owners_core.note();
        self.stopped.store(false, Relaxed);
        for span in &self.spans {
            // What a stopped loop has left behind.
            while span.steal().is_some() {}
        }
        self.spans[OWNERS].fill(0..count);
        self.seats.open();
    }

    /// Waits until the owner is alone and the work done, and closes the region: after that, nobody touches the body.
    fn see_others_off<B: LoopBody>(&self, body: &B) {
        let mut looks = 0;
        loop {
            if !self.is_used_up() {
                // A helper that was called away has left something.
                participate(self, body, OWNERS, &Nobody);
            }
            // What is left lies before somebody who sits here, or is there to be seen: whoever steals, sits.
            if !self.seats.has_others() && self.seats.close() == Closing::Closed {
                if self.is_used_up() {
                    return;
                }
                self.seats.open();
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
        if self.seats.begin_wait() {
            // Pairs with the fence in `lay_out`.
            fence(SeqCst);
            if self.is_used_up() {
                thread::park();
            }
        }
        self.seats.end_wait();
    }

    /// Whether no index is left to be claimed, or none is wanted.
    fn is_used_up(&self) -> bool {
        self.stopped.load(Relaxed) || self.spans.iter().all(|span| span.is_empty())
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

    /// The next indices for whoever sits in `seat`: up to `stride` from its own span, one of what it can steal otherwise.
    #[inline]
    fn claim(&self, seat: usize, stride: u32) -> Option<Range<u32>> {
        self.spans[seat].claim(stride).or_else(|| self.rob(seat))
    }

    /// Takes half of the longest span, keeps one index and puts the rest before `seat`.
    #[inline(never)]
    fn rob(&self, seat: usize) -> Option<Range<u32>> {
        loop {
            let longest = self.spans.iter().max_by_key(|span| span.load().len())?;
            if longest.is_empty() {
                return None;
            }
            if let Some(loot) = longest.steal() {
                self.lay_out(seat, loot.start + 1..loot.end);
                return Some(loot.start..loot.start + 1);
            }
        }
    }

    /// Puts loot before `seat`. While it was in the thief's hands nobody could see it, and the owner may have gone to sleep.
    fn lay_out(&self, seat: usize, loot: Range<u32>) {
        if loot.is_empty() {
            return;
        }
        self.spans[seat].fill(loot);
        // Pairs with the fence in `sleep_until_somebody_leaves`: the owner sees the loot, or is seen to sleep.
        fence(SeqCst);
        if self.seats.owner_waits() {
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

/// Claims and works until there is nothing left, or the loop was stopped, or the crew calls.
fn participate<B: LoopBody>(region: &LoopRegion, body: &B, seat: usize, crew: &dyn Crew) {
    let mut local = body.begin();
    let outcome = caught(|| {
        let mut pace = Pace::new();
        while !region.stopped.load(Relaxed) && !crew.must_leave() {
            if body.is_cancelled() {
                return region.stop();
            }
            let Some(range) = region.claim(seat, pace.stride()) else { return };
            let length = range.end - range.start;
            body.run(&mut local, range);
            if let Some(now) = pace.note(length) {
                crew.tick(now);
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
unsafe fn participate_in<B: LoopBody>(body: *const (), region: &LoopRegion, seat: usize, crew: &dyn Crew) {
    // SAFETY: the owner does not leave `run`, which borrows the body, while somebody sits in the region.
    let body = unsafe { &*body.cast::<B>() };
    participate(region, body, seat, crew);
}

impl Region for LoopRegion {
    fn wants_help(&self) -> bool {
        !self.is_used_up()
    }

    fn owners_core(&self) -> Option<u32> {
        self.owners_core.get()
    }

    fn help(&self, crew: &dyn Crew) {
        let Some(seat) = self.seats.sit() else { return };
        let work = self.work.with(|work| {
            // SAFETY: the region is open, and its work is written only while it is closed.
            unsafe { *work }
        });
        // SAFETY: the work is this region's, and we sit in it.
        unsafe { (work.participate)(work.body, self, seat, crew) };
        if self.seats.leave(seat) {
            self.wake_owner();
        }
    }
}

impl std::fmt::Debug for LoopRegion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LoopRegion").field("seats", &self.seats).field("spans", &self.spans).finish_non_exhaustive()
    }
}
