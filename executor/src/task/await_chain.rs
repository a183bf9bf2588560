//! One more poll of a waiting task, with a waker that sees where the task waits.
//!
//! A future that returns pending keeps a waker of the poll. It compares this waker with the waker
//! that it has, and clones it if the two differ. So a poll with its own waker makes each
//! future that waits clone this waker, whoever has written the future. The stack of the call of
//! `clone` leads from the poll of the task through its `async fn`s to the future: this is the await
//! chain.
//!
//! The clone is an ordinary waker of the task, so that nothing of the poll is left behind. The poll
//! itself is a spurious one, which every future must bear. Ordinary polls know nothing of this.
//!
//! Futures that are not polled are not seen, such as the futures in a `FuturesUnordered`, which
//! polls only what was woken, and keeps one waker for all of them.

use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::task::{RawWaker, RawWakerVTable, Waker};

use wsrt_stack::Sample;
use wsrt_sync::budget;

use super::cell::Header;
use super::inherited::leave_layers;
use super::reference::CountedRef;
use super::state::{TaskPhase, Woken};
use super::{Id, lifecycle, waker};
use crate::util::sync::Mutex;
use crate::util::sync::thread::{self, ThreadId};

/// The most stacks of one poll. A copy takes some microseconds, and up to 128 KiB.
const MOST_SAMPLES: usize = 16;

/// A reference to a task that waited a moment ago.
pub(crate) struct WaitingTask(CountedRef);

impl WaitingTask {
    /// Returns `None` if the task does not wait.
    ///
    /// # Safety
    ///
    /// The cell is alive.
    pub(super) unsafe fn of(task: NonNull<Header>) -> Option<Self> {
        // SAFETY: by the caller's promise.
        let seen = unsafe { task.as_ref() }.state.look();
        // SAFETY: by the caller's promise.
        (seen.phase == TaskPhase::Idle).then(|| Self(unsafe { CountedRef::new(task) }))
    }

    /// Polls the task once if it still waits, and returns the stacks of the places where it waits.
    ///
    /// Called on a thread that may poll the task, and with no lock held: the poll runs users' code.
    /// It may complete the task.
    pub(crate) fn poll(self) -> (Id, Vec<Sample>) {
        let (header, task) = (self.0.header(), self.0.as_raw());
        let is_idle = header.state.look().phase == TaskPhase::Idle;
        // A wake that comes between the two makes this one a second, for one more poll at most.
        if !is_idle || header.state.wake() != Woken::Submit {
            return (header.id, Vec::new());
        }
        let here = 0_u8;
        let end = (&raw const here).addr();
        let witness = PollWitness { task, thread: thread::current().id(), end, samples: Mutex::new(Vec::new()) };
        let raw = RawWaker::new((&raw const witness).cast(), &VTABLE);
        // SAFETY: the functions of the table keep the contract of `RawWaker`. The waker is lent to
        // the poll, which `witness` outlives, and owns nothing that a drop would give back.
        let waker = ManuallyDrop::new(unsafe { Waker::from_raw(raw) });
        let (_outer, _layers) = (budget::keep(), leave_layers());
        budget::refill();
        // SAFETY: this wake has created the runnable, which is given up.
        unsafe { lifecycle::run_with(task, &waker) };
        (header.id, std::mem::take(&mut *witness.samples.lock()))
    }
}

/// What the waker of such a poll leads to.
struct PollWitness {
    task: NonNull<Header>,
    /// The thread of the poll, and an address in the frame that polls.
    thread: ThreadId,
    end: usize,
    samples: Mutex<Vec<Sample>>,
}

static VTABLE: RawWakerVTable = RawWakerVTable::new(clone, wake, wake, keep);

/// # Safety
///
/// `data` belongs to a waker of this module, and the poll is under way.
unsafe fn witness_of<'a>(data: *const ()) -> &'a PollWitness {
    // SAFETY: the witness outlives the poll, and is shared with other threads at most by a
    // `&Waker`: its parts are Sync but for the pointer, which leads to a header.
    unsafe { &*data.cast() }
}

/// Copies the stack, and clones the task's ordinary waker.
unsafe fn clone(data: *const ()) -> RawWaker {
    // SAFETY: called by a waker of this module.
    let witness = unsafe { witness_of(data) };
    if thread::current().id() == witness.thread && witness.samples.lock().len() < MOST_SAMPLES {
        let sample = Sample::of_caller(witness.end);
        witness.samples.lock().extend(sample);
    }
    // SAFETY: the claim of the poll keeps the cell alive.
    unsafe { witness.task.as_ref() }.state.add_reference();
    waker::raw(witness.task)
}

unsafe fn wake(data: *const ()) {
    // SAFETY: called by a waker of this module.
    let witness = unsafe { witness_of(data) };
    // SAFETY: the claim of the poll keeps the cell alive.
    let woken = unsafe { witness.task.as_ref() }.state.wake();
    // SAFETY: the state word has just returned `woken`.
    unsafe { waker::settle(witness.task, woken) };
}

/// The waker owns nothing.
unsafe fn keep(_: *const ()) {}
