//! The longest poll that a test allows: a thread watches the polls of the test's runtime, and the
//! test fails with the stack of the first poll that takes longer.
//!
//! The watcher of multi-thread runtimes (`sysmon/`) is not asked: a current-thread runtime, which
//! most tests have, has none, and it calms down where nothing waits.

use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use pin_project_lite::pin_project;
use wsrt_stack::{Backtrace, StackSampling};
use wsrt_trace::place::ShortLocation;

use crate::scheduler::{RuntimeFlavor, Scheduler};
use crate::sysmon::cpu_meter::BurnMeter;
use crate::sysmon::stall::backtraces;
use crate::sysmon::watcher::stalls::poll_under_way;
use crate::util::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use crate::util::sync::atomic::{AtomicU32, AtomicU64};
use crate::util::sync::{self, thread};
use crate::util::thread_state::{current_thread_number, is_asleep};

/// How long the thread waits between two looks at a long poll, whose stack is on its way.
const CLOSE_LOOK: Duration = Duration::from_micros(100);

/// The watch over the polls of a test. Dropping this ends it.
pub(super) struct PollLimit {
    limit: Duration,
    root: Arc<RootWatch>,
    /// Ends the thread when it is dropped.
    stop: Option<mpsc::Sender<()>>,
    thread: Option<thread::JoinHandle<Option<LongPoll>>>,
}

impl PollLimit {
    /// Begins the watch over the polls of `scheduler`, if they have a limit.
    pub(super) fn begin(scheduler: &Arc<Scheduler>) -> Option<Self> {
        let limit = scheduler.config.longest_poll?;
        let (root, (stop, stopped)) = (Arc::new(RootWatch::default()), mpsc::channel());
        let watch = LimitWatch {
            scheduler: Arc::clone(scheduler),
            root: Arc::clone(&root),
            limit,
            began: sync::now(),
            watched: Vec::new(),
        };
        let thread = thread::Builder::new().name("wsrt-longest-poll".into()).spawn(move || watch.serve(&stopped));
        let thread = thread.unwrap_or_else(|error| panic!("wsrt: no thread for `longest_poll`: {error}"));
        Some(Self { limit, root, stop: Some(stop), thread: Some(thread) })
    }

    /// Returns what the test's own future has to tell of its polls.
    pub(super) fn root(&self) -> Arc<RootWatch> {
        Arc::clone(&self.root)
    }

    /// Fails the test if a poll has taken too long.
    ///
    /// # Panics
    ///
    /// Panics if a poll has taken longer than the limit.
    #[track_caller]
    pub(super) fn check(mut self) {
        if let Some(poll) = self.end() {
            panic!("wsrt: a poll took longer than the {:?} that `longest_poll` allows: {poll}", self.limit);
        }
    }

    /// Ends the thread, and returns the first poll that took too long.
    fn end(&mut self) -> Option<LongPoll> {
        drop(self.stop.take());
        self.thread.take()?.join().ok().flatten()
    }
}

impl Drop for PollLimit {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

/// The polls of a test's own future, which is no task where it runs on the test's thread.
#[derive(Debug, Default)]
pub(super) struct RootWatch {
    /// The number of the poll, counted by twos, and one more while it is under way.
    polls: AtomicU64,
    /// The system's number for the thread of the poll.
    thread: AtomicU32,
}

pin_project! {
    /// A test's own future, whose polls are watched if they have a limit.
    pub(super) struct WatchedRoot<F> {
        #[pin]
        future: F,
        watch: Option<Arc<RootWatch>>,
    }
}

impl<F> WatchedRoot<F> {
    pub(super) fn new(future: F, limit: Option<&PollLimit>) -> Self {
        Self { future, watch: limit.map(PollLimit::root) }
    }
}

impl<F: Future> Future for WatchedRoot<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let Some(watch) = this.watch else { return this.future.poll(cx) };
        watch.thread.store(current_thread_number(), Relaxed);
        // Release pairs with the Acquire in `LimitWatch::poll_at`: the thread that sees the poll
        // finds the number of its thread.
        watch.polls.fetch_add(1, Release);
        let answer = this.future.poll(cx);
        watch.polls.fetch_add(1, Release);
        answer
    }
}

/// A poll that the thread sees under way.
#[derive(Clone, Copy)]
struct PollSeen {
    /// Another number for each poll at the same place.
    number: u64,
    thread: u32,
    /// The task, if it is not the test's own future.
    task: Option<(u64, &'static Location<'static>)>,
}

/// The thread's record of one place: the test's own future, or a processor.
#[derive(Default)]
struct WatchedPlace {
    /// The poll that was under way on the last look.
    number: Option<u64>,
    /// When the thread first saw it, in nanoseconds since the beginning.
    since: u64,
    burnt: BurnMeter,
}

/// A poll that took too long.
struct LongPoll {
    task: Option<(u64, Option<Arc<str>>, &'static Location<'static>)>,
    lasted: Duration,
    asleep: bool,
    backtrace: Option<Backtrace>,
}

/// The thread that watches.
struct LimitWatch {
    scheduler: Arc<Scheduler>,
    root: Arc<RootWatch>,
    limit: Duration,
    began: Instant,
    watched: Vec<WatchedPlace>,
}

impl LimitWatch {
    /// Looks until the test ends or a poll takes too long, and returns that poll.
    fn serve(mut self, stopped: &mpsc::Receiver<()>) -> Option<LongPoll> {
        // A poll is seen for the first time so much after its beginning, and is then watched for
        // the whole of the limit.
        let period = self.limit / 8;
        loop {
            let found = self.look();
            if let Some((place, poll, asleep)) = found {
                return Some(self.follow(place, poll, asleep, stopped));
            }
            if stopped.recv_timeout(period) != Err(RecvTimeoutError::Timeout) {
                return None;
            }
        }
    }

    /// Looks at all places, and returns the first where a poll has taken too long, and whether its
    /// thread sleeps.
    fn look(&mut self) -> Option<(usize, PollSeen, bool)> {
        let now = self.now();
        let places = 1 + self.scheduler.processors.scan_len();
        self.watched.resize_with(places.max(self.watched.len()), WatchedPlace::default);
        (0..places).find_map(|place| {
            let poll = self.poll_at(place);
            let watched = &mut self.watched[place];
            if poll.map(|poll| poll.number) != watched.number {
                *watched =
                    WatchedPlace { number: poll.map(|poll| poll.number), since: now, burnt: BurnMeter::default() };
            }
            let poll = poll?;
            // On each look, since the first begins the count.
            let had_core = watched.burnt.had_core(poll.thread, now, self.limit);
            if Duration::from_nanos(now - watched.since) < self.limit {
                return None;
            }
            // A thread that neither sleeps nor had a core was kept from a core by other programs.
            let asleep = is_asleep(poll.thread) == Some(true);
            (asleep || had_core).then_some((place, poll, asleep))
        })
    }

    /// Returns the poll that is under way at a place. A poll in `block_in_place` or in a parallel
    /// call holds up no other task.
    fn poll_at(&self, place: usize) -> Option<PollSeen> {
        let polls = self.root.polls.load(Acquire);
        let is_root_polled = polls % 2 == 1;
        let Some(index) = place.checked_sub(1) else {
            let thread = self.root.thread.load(Relaxed);
            return is_root_polled.then_some(PollSeen { number: polls, thread, task: None });
        };
        let is_held_for_root = is_root_polled && self.scheduler.config.flavor == RuntimeFlavor::CurrentThread;
        if is_held_for_root {
            return None;
        }
        let (state, number) = poll_under_way(&self.scheduler, index)?;
        if state.blocking || state.computing {
            return None;
        }
        Some(PollSeen { number, thread: state.thread, task: Some((state.task, state.spawned_at?)) })
    }

    /// Captures the stack of a poll, and waits until the poll or the test is over.
    fn follow(&self, place: usize, poll: PollSeen, asleep: bool, stopped: &mpsc::Receiver<()>) -> LongPoll {
        let mut sampling = StackSampling::begin(poll.thread, self.now());
        // Taken while the task is listed.
        let task = poll.task.map(|(task, spawned_at)| (task, self.scheduler.names.of(task), spawned_at));
        let mut is_captured = false;
        loop {
            let is_over = stopped.recv_timeout(CLOSE_LOOK) != Err(RecvTimeoutError::Timeout);
            let lasts = || self.poll_at(place).is_some_and(|now| now.number == poll.number);
            is_captured = is_captured || sampling.look(self.now(), lasts);
            if is_captured && (is_over || !lasts()) {
                break;
            }
        }
        let lasted = Duration::from_nanos(self.now() - self.watched[place].since);
        let samples = sampling.finish().unwrap_or_default();
        let backtrace = backtraces(&samples).ok().and_then(|all| all.into_iter().next());
        LongPoll { task, lasted, asleep, backtrace }
    }

    fn now(&self) -> u64 {
        sync::now().saturating_duration_since(self.began).as_nanos() as u64
    }
}

impl fmt::Display for LongPoll {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.task {
            None => f.write_str("the test's own future")?,
            Some((task, name, spawned_at)) => {
                write!(f, "task {task}")?;
                name.iter().try_for_each(|name| write!(f, " \"{name}\""))?;
                write!(f, ", spawned at {},", ShortLocation(spawned_at))?;
            }
        }
        let doing = if self.asleep { "asleep in a blocking call" } else { "burning CPU time" };
        write!(f, " was in one poll for {} ms, {doing}", self.lasted.as_millis())?;
        let Some(backtrace) = &self.backtrace else { return Ok(()) };
        backtrace.place().into_iter().try_for_each(|place| write!(f, " in {place}"))?;
        write!(f, "\n{backtrace}")?;
        backtrace.missing().into_iter().try_for_each(|missing| write!(f, "\n    ({missing})"))
    }
}
