//! Timers beside tasks whose polls are long.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicU64, AtomicUsize};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake};
use std::time::Duration;

use wsrt::runtime::{Builder, Runtime};
use wsrt::task::{block_in_place, yield_now};
use wsrt::time::{Instant, sleep, sleep_until};
use wsrt_tests::{Gate, Hold, Manner, runtime_with, spin_for, within_a_minute};

/// Tasks that compute, so many that a task behind all of them waits for as many polls.
const COMPUTING: usize = 12;
const POLL: Duration = Duration::from_millis(1);
const TICKS: usize = 20;

/// The tasks that compute, and the polls that they have begun since the deadline of the tick.
#[derive(Default)]
struct Load {
    is_over: AtomicBool,
    /// In nanoseconds after the start; 0 where no tick is due.
    deadline: AtomicU64,
    polls_begun_late: AtomicUsize,
}

impl Load {
    async fn compute(self: Arc<Self>, start: Instant) {
        while !self.is_over.load(SeqCst) {
            let deadline = self.deadline.load(SeqCst);
            if deadline != 0 && start.elapsed().as_nanos() as u64 > deadline {
                self.polls_begun_late.fetch_add(1, SeqCst);
            }
            spin_for(POLL);
            yield_now().await;
        }
    }
}

/// Polls that began between a deadline and the task that slept until then, in four of five ticks
/// at most.
async fn polls_before_a_tick() -> usize {
    let (load, start) = (Arc::new(Load::default()), Instant::now());
    let computing: Vec<_> = (0..COMPUTING).map(|_| wsrt::spawn(Arc::clone(&load).compute(start))).collect();
    let mut waits = Vec::new();
    for _ in 0..TICKS {
        let deadline = Instant::now() + 5 * POLL / 2;
        load.polls_begun_late.store(0, SeqCst);
        load.deadline.store((deadline - start).as_nanos() as u64, SeqCst);
        sleep_until(deadline).await;
        load.deadline.store(0, SeqCst);
        waits.push(load.polls_begun_late.load(SeqCst));
    }
    load.is_over.store(true, SeqCst);
    for task in computing {
        task.await.expect("no task panics");
    }
    waits.sort_unstable();
    waits[TICKS * 4 / 5]
}

#[test]
fn a_due_timer_comes_before_tasks_with_long_polls() {
    within_a_minute(|| {
        let runtime = Builder::new_multi_thread().worker_threads(1).max_machines(1).build().expect("a runtime");
        let ticks = runtime.spawn(polls_before_a_tick());
        let polls = runtime.block_on(ticks).expect("it does not panic");
        assert!(polls <= 3, "{polls} polls began before the task of a due timer");
    });
}

/// A waker that tells a thread of its wake.
struct Bell(Mutex<Sender<Instant>>);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        // The thread may have given up.
        let _ = self.0.lock().expect("no panic").send(Instant::now());
    }
}

/// A runtime with one processor and three machines at rest, one of them in the netpoller.
fn with_spare_machines() -> Runtime {
    let runtime = runtime_with(1);
    runtime.run(async {
        let gate = Gate::new();
        let (began, has_begun) = channel();
        let blocks = |hold: Hold| {
            let began = began.clone();
            wsrt::spawn(async move {
                block_in_place(|| {
                    began.send(()).expect("the root waits");
                    hold.wait(Manner::Asleep);
                });
            })
        };
        let blocked = [blocks(gate.hold()), blocks(gate.hold())];
        // In a poll, which the two and their spares are beside.
        (0..2).for_each(|_| has_begun.recv_timeout(PATIENCE).expect("both begin"));
        gate.open();
        for task in blocked {
            task.await.expect("no panic");
        }
        sleep(Duration::from_millis(20)).await;
    });
    runtime
}

/// In one poll: spawns tasks that yield without end, arms a timer, and waits for it in `wait`.
fn fired_during_the_poll(wait: fn(Receiver<Instant>) -> Option<Instant>) -> Option<Duration> {
    let is_over = Arc::new(AtomicBool::new(false));
    let busy = Arc::clone(&is_over);
    let fired = with_spare_machines().run(async move {
        for _ in 0..4 {
            let is_over = Arc::clone(&busy);
            wsrt::spawn(async move {
                while !is_over.load(SeqCst) {
                    yield_now().await;
                }
            });
        }
        let (rings, rung) = channel();
        let mut rung = Some(rung);
        let waker = Arc::new(Bell(Mutex::new(rings))).into();
        let deadline = Instant::now() + Duration::from_millis(50);
        let mut timer = pin!(sleep_until(deadline));
        let fired = poll_fn(move |_| match timer.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Pending => Poll::Ready(wait(rung.take().expect("it is polled once"))),
            Poll::Ready(()) => Poll::Ready(Some(deadline)),
        });
        fired.await.map(|at| at - deadline)
    });
    is_over.store(true, SeqCst);
    fired
}

/// How long a poll waits for a timer that was forgotten.
const PATIENCE: Duration = Duration::from_secs(20);

#[test]
fn timers_of_a_long_poll_fire_beside_busy_processors() {
    within_a_minute(|| {
        let asleep = fired_during_the_poll(|rung| rung.recv_timeout(PATIENCE).ok());
        assert!(asleep.is_some(), "not before the poll was over");
        let burning = fired_during_the_poll(|rung| {
            let began = Instant::now();
            std::iter::repeat_with(|| rung.try_recv().ok()).find(|at| at.is_some() || began.elapsed() > PATIENCE)?
        });
        assert!(burning.is_some(), "not before the poll was over");
    });
}
