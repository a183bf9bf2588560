//! Tests of the task cell on one thread and under stress; the interleavings are in the loom models.
//!
//! This file is the bench they share: a scheduler that is a queue, a future that follows a script,
//! and counts of events. Panics are raised with `resume_unwind`, which does not print.

mod join;
mod layout;
mod panics;
mod product;
mod queue;
mod registry;
mod stress;
mod wakers;

use std::collections::VecDeque;
use std::panic::{Location, resume_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

use super::*;

/// A scheduler: one queue, one registry, and counts of the tasks' requests.
#[derive(Default, Clone)]
struct Home(Arc<Inner>);

struct Inner {
    queue: Mutex<VecDeque<Runnable>>,
    owned: OwnedTasks,
    scheduled: AtomicUsize,
    rescheduled: AtomicUsize,
    released: AtomicUsize,
}

impl Default for Inner {
    fn default() -> Self {
        Self {
            queue: Mutex::default(),
            owned: OwnedTasks::new(1),
            scheduled: AtomicUsize::new(0),
            rescheduled: AtomicUsize::new(0),
            released: AtomicUsize::new(0),
        }
    }
}

impl Schedule for Home {
    fn schedule(&self, task: Runnable) {
        self.0.scheduled.fetch_add(1, SeqCst);
        self.0.queue.lock().unwrap().push_back(task);
    }

    fn reschedule(&self, task: Runnable) {
        self.0.rescheduled.fetch_add(1, SeqCst);
        self.0.queue.lock().unwrap().push_back(task);
    }

    fn release(&self, task: &TaskRef) -> Option<TaskRef> {
        self.0.released.fetch_add(1, SeqCst);
        // SAFETY: the tests bind tasks of this scheduler to its registry or to none; this is called
        // once for each.
        unsafe { self.0.owned.remove(task) }
    }
}

impl Home {
    /// A task in no registry and no queue.
    #[track_caller]
    fn allocate<F>(&self, future: F) -> (TaskRef, Runnable, JoinHandle<F::Output>)
    where
        F: Future + Send + 'static,
        F::Output: Send,
    {
        // SAFETY: the future and its output are Send.
        unsafe { allocate(future, self.clone(), Identity::new(Id::next(), Location::caller())) }
    }

    #[track_caller]
    fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send,
    {
        let (task, runnable, handle) = self.allocate(future);
        self.0.owned.bind(0, task).expect("the registry is open");
        self.0.queue.lock().unwrap().push_back(runnable);
        handle
    }

    fn pop(&self) -> Option<Runnable> {
        self.0.queue.lock().unwrap().pop_front()
    }

    fn queued(&self) -> usize {
        self.0.queue.lock().unwrap().len()
    }

    /// Runs until nothing is queued.
    fn run(&self) {
        while let Some(task) = self.pop() {
            task.run();
        }
    }

    /// Ends all tasks, as a runtime that is dropped does.
    fn shut_down(&self) {
        self.0.owned.close(TaskRef::shut_down);
        while let Some(task) = self.pop() {
            task.cancel();
        }
        assert!(self.0.owned.is_empty());
    }

    /// Cells that are not freed: each holds a clone of its scheduler.
    fn cells(&self) -> usize {
        Arc::strong_count(&self.0) - 1
    }
}

/// Counts of the events.
#[derive(Default, Debug)]
struct Counts {
    polls: AtomicUsize,
    future_drops: AtomicUsize,
    outputs: AtomicUsize,
    output_drops: AtomicUsize,
}

/// An output that counts.
#[derive(Debug)]
struct Output {
    counts: Arc<Counts>,
    panics_in_drop: bool,
}

impl Drop for Output {
    fn drop(&mut self) {
        self.counts.output_drops.fetch_add(1, SeqCst);
        if self.panics_in_drop {
            resume_unwind(Box::new("output drop"));
        }
    }
}

/// One step of the script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Pending,
    Ready,
    Panic,
}

type Inside = Box<dyn FnMut(&Waker) + Send>;

/// A future that follows a script, one step a poll, the last one forever.
struct Scripted {
    steps: VecDeque<Step>,
    inside: Option<Inside>,
    counts: Arc<Counts>,
    /// The waker of the last poll.
    waker: Arc<Mutex<Option<Waker>>>,
    panics_in_drop: bool,
    output_panics_in_drop: bool,
}

impl Scripted {
    fn new(steps: &[Step]) -> Self {
        Self {
            steps: steps.iter().copied().collect(),
            inside: None,
            counts: Arc::default(),
            waker: Arc::default(),
            panics_in_drop: false,
            output_panics_in_drop: false,
        }
    }

    /// Does `inside` in each poll.
    fn inside(mut self, inside: impl FnMut(&Waker) + Send + 'static) -> Self {
        self.inside = Some(Box::new(inside));
        self
    }
}

impl Future for Scripted {
    type Output = Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Output> {
        self.counts.polls.fetch_add(1, SeqCst);
        *self.waker.lock().unwrap() = Some(context.waker().clone());
        if let Some(inside) = &mut self.inside {
            inside(context.waker());
        }
        let step = if self.steps.len() > 1 { self.steps.pop_front() } else { self.steps.front().copied() };
        match step.expect("a script has a step") {
            Step::Pending => Poll::Pending,
            Step::Panic => resume_unwind(Box::new("poll")),
            Step::Ready => {
                self.counts.outputs.fetch_add(1, SeqCst);
                Poll::Ready(Output { counts: Arc::clone(&self.counts), panics_in_drop: self.output_panics_in_drop })
            }
        }
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.counts.future_drops.fetch_add(1, SeqCst);
        if self.panics_in_drop {
            resume_unwind(Box::new("future drop"));
        }
    }
}

/// A waker that counts.
#[derive(Default)]
struct Bell {
    rings: AtomicUsize,
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.rings.fetch_add(1, SeqCst);
    }
}

impl Bell {
    fn rings(&self) -> usize {
        self.rings.load(SeqCst)
    }
}

/// Polls a handle once.
fn poll<T>(handle: &mut JoinHandle<T>, bell: &Arc<Bell>) -> Poll<Result<T, JoinError>> {
    Pin::new(handle).poll(&mut Context::from_waker(&Waker::from(Arc::clone(bell))))
}

/// The result of a task that is complete.
fn result<T>(mut handle: JoinHandle<T>) -> Result<T, JoinError> {
    match poll(&mut handle, &Arc::default()) {
        Poll::Ready(result) => result,
        Poll::Pending => panic!("task {} is not complete", handle.id()),
    }
}

/// The payload of a task's panic.
fn panic_message<T>(result: Result<T, JoinError>) -> &'static str {
    let payload = result.err().expect("no output").into_panic();
    payload.downcast_ref::<&'static str>().expect("the tests panic with `&str`")
}
