//! `TimedWakes`: how long a task waits for a worker, from each wake to the poll that follows.
//!
//! The runtime samples such waits, one in eight (`Builder::latency_histograms`); a server that
//! sheds load needs the wait of each request. So the future is polled with a waker that notes the
//! time and then wakes the task. A connection costs one allocation more, and each wake reads the
//! clock.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use pin_project_lite::pin_project;
use wsrt::time::Instant;

/// The value of a time that is not known.
const UNKNOWN: u64 = 0;

/// When a task was woken, as nanoseconds after `origin`, plus one; see `docs/ATOMICS.md`.
///
/// Relaxed throughout: a wake notes its time before it wakes the task, which orders the note and
/// the poll, and nothing else is read by the values.
#[derive(Debug)]
pub(super) struct WakeTimes {
    origin: Instant,
    /// The first wake since the last poll began.
    woken: AtomicU64,
    /// The wake that the poll under way follows.
    due: AtomicU64,
}

impl WakeTimes {
    /// Creates the times of a task that is ready since `woken` for its first poll.
    pub(super) fn new(woken: Instant) -> Self {
        Self { origin: woken, woken: AtomicU64::new(UNKNOWN + 1), due: AtomicU64::new(UNKNOWN) }
    }

    /// Returns when the task was woken for the poll under way, or the current time if that is not
    /// known. Called in a poll.
    pub(super) fn due(&self) -> Instant {
        match self.due.load(Relaxed) {
            UNKNOWN => Instant::now(),
            due => self.origin + Duration::from_nanos(due - 1),
        }
    }

    fn begin_poll(&self) {
        self.due.store(self.woken.swap(UNKNOWN, Relaxed), Relaxed);
    }

    /// Notes a wake, unless an earlier one waits for its poll.
    fn note_wake(&self) {
        if self.woken.load(Relaxed) == UNKNOWN {
            let nanos = u64::try_from(self.origin.elapsed().as_nanos()).unwrap_or(u64::MAX);
            // If it fails, another wake was earlier.
            let _ = self.woken.compare_exchange(UNKNOWN, nanos.saturating_add(1), Relaxed, Relaxed);
        }
    }
}

pin_project! {
    /// A future that is all of a task, or all that the task waits for, and whose wakes are timed.
    pub(super) struct TimedWakes<F> {
        #[pin]
        future: F,
        // `None` if nobody wants the times.
        times: Option<Arc<WakeTimes>>,
        waker: Option<TimedWaker>,
    }
}

/// The waker that the future gets, and the task's waker that it was made of.
struct TimedWaker {
    timed: Waker,
    task: Waker,
}

struct NotingWaker {
    times: Arc<WakeTimes>,
    task: Waker,
}

impl<F> TimedWakes<F> {
    pub(super) fn new(future: F, times: Option<Arc<WakeTimes>>) -> Self {
        Self { future, times, waker: None }
    }
}

impl TimedWaker {
    fn new(times: &Arc<WakeTimes>, task: &Waker) -> Self {
        let noting = NotingWaker { times: Arc::clone(times), task: task.clone() };
        Self { timed: Arc::new(noting).into(), task: task.clone() }
    }
}

impl Wake for NotingWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.times.note_wake();
        self.task.wake_by_ref();
    }
}

impl<F: Future> Future for TimedWakes<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let Some(times) = this.times else { return this.future.poll(context) };
        times.begin_poll();
        if this.waker.as_ref().is_some_and(|waker| !waker.task.will_wake(context.waker())) {
            *this.waker = None;
        }
        let waker = this.waker.get_or_insert_with(|| TimedWaker::new(times, context.waker()));
        this.future.poll(&mut Context::from_waker(&waker.timed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;
    use tokio_test::task::spawn;
    use wsrt::runtime::Builder;
    use wsrt::time::advance;

    const WAIT: Duration = Duration::from_millis(7);

    fn on_a_stopped_clock(test: impl Future<Output = ()>) {
        Builder::new_current_thread().start_paused(true).build().expect("a runtime is to be had").block_on(test);
    }

    /// Returns a future that says at each poll how long its task has waited for the poll, and that
    /// shows its waker.
    fn waits(times: &Arc<WakeTimes>, seen: &std::sync::Mutex<Option<Waker>>) -> impl Future<Output = Duration> {
        poll_fn(move |context| {
            *seen.lock().expect("no panic") = Some(context.waker().clone());
            Poll::Ready(times.due().elapsed())
        })
    }

    /// Polls a task once more, after `pause`.
    async fn polled_after(pause: Duration, times: &Arc<WakeTimes>, seen: &std::sync::Mutex<Option<Waker>>) -> Duration {
        advance(pause).await;
        let mut task = spawn(TimedWakes::new(waits(times, seen), Some(Arc::clone(times))));
        let Poll::Ready(waited) = task.poll() else { panic!("it is ready") };
        waited
    }

    #[test]
    fn a_wait_counts_from_the_first_wake_to_the_poll() {
        on_a_stopped_clock(async {
            let (times, seen) = (Arc::new(WakeTimes::new(Instant::now())), std::sync::Mutex::default());
            assert_eq!(polled_after(WAIT, &times, &seen).await, WAIT, "the task was ready from the start");
            assert_eq!(polled_after(WAIT, &times, &seen).await, Duration::ZERO, "nothing has woken it");
            let waker = seen.lock().expect("no panic").take().expect("it was polled");
            waker.wake_by_ref();
            advance(WAIT).await;
            waker.wake();
            assert_eq!(polled_after(WAIT, &times, &seen).await, 2 * WAIT);
        });
    }

    #[test]
    fn a_wake_during_a_poll_is_of_the_next_poll() {
        on_a_stopped_clock(async {
            let times = Arc::new(WakeTimes::new(Instant::now()));
            let waits = poll_fn(|context| {
                context.waker().wake_by_ref();
                Poll::<()>::Pending
            });
            let mut task = spawn(TimedWakes::new(waits, Some(Arc::clone(&times))));
            advance(WAIT).await;
            assert!(task.poll().is_pending() && task.is_woken(), "it wakes its task");
            assert_eq!(times.due().elapsed(), WAIT);
            advance(WAIT).await;
            assert!(task.poll().is_pending());
            assert_eq!(times.due().elapsed(), WAIT, "since the wake, and not since the poll before it");
        });
    }

    #[test]
    fn a_task_keeps_its_waker_from_poll_to_poll() {
        let times = Arc::new(WakeTimes::new(Instant::now()));
        let mut last: Option<Waker> = None;
        let mut kept = Vec::new();
        let waits = poll_fn(|context| {
            kept.push(last.as_ref().is_some_and(|last| last.will_wake(context.waker())));
            last = Some(context.waker().clone());
            Poll::<()>::Pending
        });
        let mut task = spawn(TimedWakes::new(waits, Some(times)));
        for _ in 0..3 {
            assert!(task.poll().is_pending());
        }
        drop(task);
        assert_eq!(kept, [false, true, true]);
    }
}
