//! Every interleaving of two or three parties at one task.
//!
//! The queue between them is a lock that loom does not see: it orders nothing in the models, so
//! that whatever one poll has to see of a waker or of the poll before it, it sees by the task's
//! word alone. A cell that is freed drops its scheduler; [`Home::cells`] counts those, and
//! [`Witness`] has loom check that all that was done with other references came before.

mod joins;
mod shutdown;
mod wakes;
mod walks;

use std::collections::VecDeque;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::Mutex as HiddenMutex;
use std::sync::atomic::AtomicUsize as HiddenAtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::task::{Context, Poll, Wake, Waker};

use super::*;
use crate::util::sync::atomic::AtomicBool;
use crate::util::sync::atomic::Ordering::Relaxed;
use crate::util::sync::{UnsafeCell, thread};

/// Written when a cell is freed, read by the thread that had a reference to it.
struct Witness(UnsafeCell<()>);

// SAFETY: loom checks each access in these models.
unsafe impl Sync for Witness {}
// SAFETY: as above.
unsafe impl Send for Witness {}

impl Witness {
    fn new() -> Arc<Self> {
        Arc::new(Self(UnsafeCell::new(())))
    }

    fn look(&self) {
        self.0.with(|_| ());
    }

    fn write(&self) {
        self.0.with_mut(|_| ());
    }
}

struct Inner {
    queue: HiddenMutex<VecDeque<Runnable>>,
    owned: OwnedTasks,
    freed: HiddenAtomicUsize,
}

/// A scheduler: one queue and one registry. The one in a cell records its drop.
struct Home {
    inner: Arc<Inner>,
    witness: Arc<Witness>,
    is_in_cell: bool,
}

impl Clone for Home {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner), witness: Arc::clone(&self.witness), is_in_cell: false }
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        if self.is_in_cell {
            self.witness.write();
            self.inner.freed.fetch_add(1, SeqCst);
        }
    }
}

impl Schedule for Home {
    fn schedule(&self, task: Runnable) {
        self.inner.queue.lock().unwrap().push_back(task);
    }

    fn reschedule(&self, task: Runnable) {
        self.schedule(task);
    }

    fn release(&self, task: &TaskRef) -> Option<TaskRef> {
        self.witness.look();
        // SAFETY: the models bind tasks of this scheduler to its registry or to none; this is
        // called once for each.
        unsafe { self.inner.owned.remove(task) }
    }
}

impl Home {
    fn new() -> Self {
        let inner =
            Inner { queue: HiddenMutex::default(), owned: OwnedTasks::new(1), freed: HiddenAtomicUsize::new(0) };
        Self { inner: Arc::new(inner), witness: Witness::new(), is_in_cell: false }
    }

    /// Returns a scheduler, its one task, and that task's record.
    fn of_task((future, counts): (Probe, Arc<Counts>)) -> (Self, (Runnable, JoinHandle<Output>), Arc<Counts>) {
        let home = Self::new();
        let task = home.spawn(future);
        (home, task, counts)
    }

    /// Likewise, with a task in no registry.
    fn of_unlisted_task((future, counts): (Probe, Arc<Counts>)) -> (Self, (Runnable, JoinHandle<Output>), Arc<Counts>) {
        let home = Self::new();
        let task = home.spawn_unlisted(future);
        (home, task, counts)
    }

    /// Returns the scheduler again, for a second task.
    fn with_a_witness_of_its_own(&self) -> Self {
        Self { inner: Arc::clone(&self.inner), witness: Witness::new(), is_in_cell: false }
    }

    fn allocate(&self, future: Probe) -> (TaskRef, Runnable, JoinHandle<Output>) {
        let mut home = self.clone();
        home.is_in_cell = true;
        // SAFETY: the future and its output are Send.
        unsafe { allocate(future, home, Identity::new(Id::next(), Location::caller())) }
    }

    /// A task in no registry.
    fn spawn_unlisted(&self, future: Probe) -> (Runnable, JoinHandle<Output>) {
        let (_task, runnable, handle) = self.allocate(future);
        (runnable, handle)
    }

    fn spawn(&self, future: Probe) -> (Runnable, JoinHandle<Output>) {
        let (task, runnable, handle) = self.allocate(future);
        self.inner.owned.bind(0, task).expect("open");
        (runnable, handle)
    }

    fn pop(&self) -> Option<Runnable> {
        self.inner.queue.lock().unwrap().pop_front()
    }

    fn run(&self) {
        while let Some(task) = self.pop() {
            task.run();
        }
    }

    fn freed(&self) -> usize {
        self.inner.freed.load(SeqCst)
    }
}

/// The record of a future and its output.
#[derive(Default)]
struct Counts {
    polls: HiddenAtomicUsize,
    future_drops: HiddenAtomicUsize,
    outputs: HiddenAtomicUsize,
    output_drops: HiddenAtomicUsize,
    waker: HiddenMutex<Option<Waker>>,
}

impl Counts {
    fn take_waker(&self) -> Waker {
        self.waker.lock().unwrap().take().expect("polled")
    }

    /// All that must hold at the end, once every handle and waker is gone.
    fn check(&self, home: &Home) {
        drop(self.waker.lock().unwrap().take());
        assert_eq!(self.future_drops.load(SeqCst), 1);
        assert_eq!(self.outputs.load(SeqCst), self.output_drops.load(SeqCst));
        assert_eq!(home.freed(), 1);
        assert!(home.pop().is_none());
        assert!(home.inner.owned.is_empty());
    }
}

struct Output(Arc<Counts>);

impl Drop for Output {
    fn drop(&mut self) {
        self.0.output_drops.fetch_add(1, SeqCst);
    }
}

/// A future that is ready when all its flags are set. A poll that is pending leaves its waker where
/// the model finds it.
struct Probe {
    flags: Vec<Arc<AtomicBool>>,
    /// At the least this many polls before it is ready.
    pending: usize,
    counts: Arc<Counts>,
    /// Written to when it is dropped.
    written_in_drop: Option<Arc<Witness>>,
}

impl Probe {
    fn ready_after(pending: usize) -> (Self, Arc<Counts>) {
        let counts = Arc::<Counts>::default();
        (Self { flags: Vec::new(), pending, counts: Arc::clone(&counts), written_in_drop: None }, counts)
    }

    fn never() -> (Self, Arc<Counts>) {
        Self::ready_after(usize::MAX)
    }

    fn when_set(flags: &[Arc<AtomicBool>]) -> (Self, Arc<Counts>) {
        let (mut probe, counts) = Self::ready_after(0);
        probe.flags = flags.to_vec();
        (probe, counts)
    }
}

impl Future for Probe {
    type Output = Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Output> {
        self.counts.polls.fetch_add(1, SeqCst);
        // Relaxed: the wakes have to make the flags visible.
        if self.pending == 0 && self.flags.iter().all(|flag| flag.load(Relaxed)) {
            self.counts.outputs.fetch_add(1, SeqCst);
            return Poll::Ready(Output(Arc::clone(&self.counts)));
        }
        self.pending = self.pending.saturating_sub(1);
        let before = self.counts.waker.lock().unwrap().replace(context.waker().clone());
        drop(before);
        Poll::Pending
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        self.counts.future_drops.fetch_add(1, SeqCst);
        if let Some(witness) = &self.written_in_drop {
            witness.write();
        }
    }
}

#[derive(Default)]
struct Bell(HiddenAtomicUsize);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, SeqCst);
    }
}

fn poll(handle: &mut JoinHandle<Output>, bell: &Arc<Bell>) -> Poll<Result<Output, JoinError>> {
    Pin::new(handle).poll(&mut Context::from_waker(&Waker::from(Arc::clone(bell))))
}

fn is_output(mut handle: JoinHandle<Output>) -> bool {
    match poll(&mut handle, &Arc::default()) {
        Poll::Ready(result) => result.is_ok(),
        Poll::Pending => panic!("not complete"),
    }
}
