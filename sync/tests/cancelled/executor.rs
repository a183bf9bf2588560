//! An executor that polls a task only when it was woken, in a random order, with a budget that is
//! spent at random, and that drops one task after a number of polls.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::task::{Context, Poll, Wake, Waker};
use wsrt_sync::budget;

pub(crate) struct Task {
    future: Option<Pin<Box<dyn Future<Output = ()>>>>,
    woken: Arc<Woken>,
    polls: usize,
    /// It is done by the end of the program, unless it is dropped.
    ends: bool,
}

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, SeqCst);
    }
}

impl Task {
    pub(crate) fn ends(future: impl Future<Output = ()> + 'static) -> Self {
        Self { future: Some(Box::pin(future)), woken: Arc::new(Woken(AtomicBool::new(true))), polls: 0, ends: true }
    }

    /// A task that may wait forever.
    pub(crate) fn waits(future: impl Future<Output = ()> + 'static) -> Self {
        Self { ends: false, ..Self::ends(future) }
    }

    fn can_run(&self) -> bool {
        self.future.is_some() && self.woken.0.load(SeqCst)
    }

    fn poll(&mut self, random: &mut fastrand::Rng) {
        let Some(future) = &mut self.future else { return };
        self.woken.0.store(false, SeqCst);
        self.polls += 1;
        budget::refill();
        // Few units, and none at times: then the operation wakes its task and is pending.
        (0..budget::PER_POLL - random.u32(..4)).for_each(|_| budget::spend());
        let waker = Waker::from(Arc::clone(&self.woken));
        if future.as_mut().poll(&mut Context::from_waker(&waker)).is_ready() {
            self.future = None;
        }
    }
}

/// Tasks, and what holds when all is over.
pub(crate) struct Program {
    tasks: Vec<Task>,
    /// The tasks that must not be dropped early: others wait for them.
    steady: &'static [usize],
    check: Box<dyn FnOnce()>,
}

impl Program {
    pub(crate) fn new(tasks: Vec<Task>, check: impl FnOnce() + 'static) -> Self {
        Self::of_steady(tasks, &[], check)
    }

    pub(crate) fn of_steady(tasks: Vec<Task>, steady: &'static [usize], check: impl FnOnce() + 'static) -> Self {
        Self { tasks, steady, check: Box::new(check) }
    }

    /// Runs until no task is woken. Drops `victim` after so many polls. Returns true if it did.
    fn run(mut self, victim: usize, polls: usize, random: &mut fastrand::Rng) -> bool {
        let mut was_dropped = false;
        let _kept = budget::keep();
        loop {
            let task = &mut self.tasks[victim];
            if task.polls == polls && task.future.take().is_some() {
                was_dropped = true;
            }
            let can_run: Vec<usize> = (0..self.tasks.len()).filter(|at| self.tasks[*at].can_run()).collect();
            let Some(at) = random.choice(can_run) else { break };
            self.tasks[at].poll(random);
        }
        let asleep: Vec<usize> = (0..self.tasks.len()).filter(|at| self.tasks[*at].never_woken()).collect();
        assert_eq!(asleep, [0; 0], "these tasks were never woken");
        drop(self.tasks);
        (self.check)();
        was_dropped
    }
}

impl Task {
    fn never_woken(&self) -> bool {
        self.ends && self.future.is_some()
    }
}

/// Lets the others run.
pub(crate) async fn yield_now() {
    let mut has_yielded = false;
    poll_fn(|cx| {
        if std::mem::replace(&mut has_yielded, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Drops each task of the program after each number of polls, in many orders. Names the one that
/// fails.
pub(crate) fn explore(make: impl Fn() -> Program) {
    let Program { tasks, steady, .. } = make();
    for victim in (0..tasks.len()).filter(|at| !steady.contains(at)) {
        let mut most = 0;
        for seed in 0..60 {
            let polls = (0..).take_while(|polls| run_one(&make, victim, *polls, seed)).count();
            most = most.max(polls);
        }
        assert!(most > 1, "it waits somewhere");
    }
}

fn run_one(make: impl Fn() -> Program, victim: usize, polls: usize, seed: u64) -> bool {
    struct Name(String);

    impl Drop for Name {
        fn drop(&mut self) {
            if std::thread::panicking() {
                eprintln!("{}", self.0);
            }
        }
    }

    let _name = Name(format!("task {victim} was dropped after {polls} polls, with seed {seed}"));
    // A task that waits forever is dropped at last, too.
    polls < 200 && make().run(victim, polls, &mut fastrand::Rng::with_seed(seed))
}
