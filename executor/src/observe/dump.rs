//! The state of all tasks of a runtime, found without the help of any: from the registries, the
//! processors' poll states, and the places where wakers wait.
//!
//! A task's wakers show its waits: the holder of one will wake it. They lie with sockets, with
//! timers, and in the slots of tasks that are awaited. A waker that foreign code has wrapped is not
//! recognised. Waits for locks and channels are known from the task itself, which keeps the last
//! that it began; a lock with tasks in line knows these, and its holder.

use std::collections::BTreeMap;
use std::time::Duration;

use wsrt_reactor::{Address, Interest, WatchedSource};
use wsrt_sync::contended::{self, ContendedLock};

use super::sync_waits::{SyncWait, cycles};
use crate::scheduler::Scheduler;
use crate::scheduler::core::processor::Shared;
use crate::task::{Id, OwnedTasks, Phase, TaskSnapshot, task_woken_by};
use crate::util::sync;
use crate::util::world::host_name_of;

/// How long the system is asked for sockets' addresses, at a microsecond or so for each: it
/// would be the longest part of a dump with many sockets.
const TIME_FOR_ADDRESSES: Duration = Duration::from_millis(40);

/// One task, as the dump found it.
#[derive(Debug, Clone)]
pub(crate) struct SeenTask {
    pub(crate) snapshot: TaskSnapshot,
    /// The simulated host that it belongs to.
    pub(crate) host: Option<String>,
    pub(crate) kind: TaskKind,
    pub(crate) running: Running,
    pub(crate) waits_on: Vec<WaitsOn>,
}

/// The kind of the task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TaskKind {
    /// Spawned on the runtime's processors.
    Task,
    /// Spawned on a [`LocalSet`](crate::task::LocalSet).
    Local,
    /// A job of [`spawn_blocking`](crate::task::spawn_blocking), with its own thread or
    /// waiting for one.
    BlockingJob,
}

/// The facts about a poll under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Running {
    processor: Option<usize>,
    elapsed: Option<Duration>,
    in_block_in_place: bool,
}

impl Running {
    /// Returns the index of the processor that the task runs on.
    ///
    /// `None` for one that runs elsewhere: in a [`LocalSet`](crate::task::LocalSet), on a thread
    /// for blocking jobs, or in the middle of a poll of another task, which has called `block_on`.
    #[must_use]
    pub fn processor(&self) -> Option<usize> {
        self.processor
    }

    /// Returns for how long the poll has lasted.
    ///
    /// With [`task_stats`](crate::runtime::Builder::task_stats), that is exact. Without, it is as
    /// the watcher has seen it, which looks each millisecond or every few: it comes short of the
    /// truth by as much, and is `None` for a poll that it has not seen twice, and on current-thread
    /// runtimes, which have no watcher.
    #[must_use]
    pub fn elapsed(&self) -> Option<Duration> {
        self.elapsed
    }

    /// Returns `true` if the task is inside [`block_in_place`](crate::task::block_in_place).
    #[must_use]
    pub fn is_in_block_in_place(&self) -> bool {
        self.in_block_in_place
    }
}

/// A source that will wake a task that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WaitsOn {
    /// A socket, or another source of events.
    Source(SourceWait),
    /// A timer.
    Timer(TimerWait),
    /// The end of a task, whose [`JoinHandle`](crate::task::JoinHandle) it awaits.
    Task(Id),
    /// The end of a blocking job, whose handle it awaits.
    BlockingJob(Id),
    /// A lock or channel of [`wsrt::sync`](crate::sync).
    Sync(SyncWait),
}

/// A socket, or another source of events, that a task waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceWait {
    kind: &'static str,
    interest: Interest,
    descriptor: Option<u64>,
    local: Option<Address>,
    peer: Option<Address>,
}

impl SourceWait {
    fn of(source: &WatchedSource<'_>, with_addresses: bool) -> Self {
        Self {
            kind: source.kind(),
            interest: source.interest(),
            descriptor: source.descriptor(),
            local: with_addresses.then(|| source.local_addr()).flatten(),
            peer: with_addresses.then(|| source.peer_addr()).flatten(),
        }
    }

    /// Returns the kind of the source: the name of its type, such as `TcpStream`, or `signal`,
    /// `process` and the like.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// Returns whether the task waits to read, accept or receive, or for urgent data or an error.
    #[must_use]
    pub fn is_for_reading(&self) -> bool {
        self.interest.is_readable() || self.interest.is_priority() || self.interest.is_error()
    }

    /// Returns whether the task waits to write, connect or send.
    #[must_use]
    pub fn is_for_writing(&self) -> bool {
        self.interest.is_writable()
    }

    /// Returns the number of its descriptor, or socket, where that is known.
    #[must_use]
    pub fn descriptor(&self) -> Option<u64> {
        self.descriptor
    }

    /// Returns the address that the socket is bound to, if it is a socket and has one.
    ///
    /// Addresses are asked of the system, for 40 ms in all: with tens of thousands of sockets, the
    /// rest of them are shown without. The descriptor identifies them.
    #[must_use]
    pub fn local_addr(&self) -> Option<&Address> {
        self.local.as_ref()
    }

    /// Returns the address that the socket is connected to, if it is: see
    /// [`local_addr`](Self::local_addr).
    #[must_use]
    pub fn peer_addr(&self) -> Option<&Address> {
        self.peer.as_ref()
    }
}

/// A timer that a task waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimerWait {
    due_in: Duration,
}

impl TimerWait {
    /// Returns how long it is until the deadline, counted from the dump; zero if it has passed.
    ///
    /// It goes by the clock that timers go by, which may stand: see
    /// [`time::pause`](crate::time::pause).
    #[must_use]
    pub fn due_in(&self) -> Duration {
        self.due_in
    }
}

/// The live tasks of a runtime by id, and the cycles among their waits, as indices of tasks.
pub(crate) struct Seen {
    pub(crate) tasks: Vec<SeenTask>,
    pub(crate) cycles: Vec<Vec<usize>>,
}

/// Looks at all tasks of a runtime that are live.
pub(crate) fn look(scheduler: &Scheduler) -> Seen {
    let mut crowd = Crowd::default();
    crowd.enlist(&scheduler.tasks, TaskKind::Task);
    crowd.enlist(&scheduler.blocking.jobs, TaskKind::BlockingJob);
    for set in scheduler.observer.local_sets.alive() {
        crowd.enlist(set.live(), TaskKind::Local);
    }
    crowd.sort();
    crowd.note_polls(scheduler);
    crowd.note_sources(scheduler);
    crowd.note_timers(scheduler);
    crowd.note_joins();
    crowd.note_sync_waits();
    let locks = contended::locks();
    crowd.note_locks(&locks);
    let cycles = cycles(&crowd.tasks, &locks);
    Seen { tasks: crowd.tasks, cycles }
}

#[derive(Default)]
struct Crowd {
    tasks: Vec<SeenTask>,
}

impl Crowd {
    fn enlist(&mut self, registry: &OwnedTasks, kind: TaskKind) {
        self.tasks.reserve(registry.len());
        registry.walk(|snapshot| {
            let elapsed = snapshot.counts.and_then(|counts| counts.in_poll);
            let running = Running { elapsed, ..Running::default() };
            self.tasks.push(SeenTask {
                host: host_name_of(snapshot.id.as_u64()),
                snapshot,
                kind,
                running,
                waits_on: Vec::new(),
            });
        });
    }

    fn sort(&mut self) {
        self.tasks.sort_unstable_by_key(|task| task.snapshot.id.as_u64());
        // A walk may visit a task again that has moved; none does today.
        self.tasks.dedup_by_key(|task| task.snapshot.id);
    }

    fn find(&mut self, id: u64) -> Option<&mut SeenTask> {
        let index = self.tasks.binary_search_by_key(&id, |task| task.snapshot.id.as_u64()).ok()?;
        Some(&mut self.tasks[index])
    }

    /// Notes which processor runs which task, and for how long.
    fn note_polls(&mut self, scheduler: &Scheduler) {
        let now = scheduler.clock.elapsed();
        for (index, processor) in scheduler.processors.iter().enumerate() {
            if scheduler.idle.is_idle(index) {
                continue;
            }
            let state = processor.watch().state();
            // A processor whose machine searches still has the last task in state.
            if state.searching {
                continue;
            }
            let watched = time_of_poll(processor, now);
            let Some(task) = self.find(state.task) else { continue };
            if task.snapshot.phase == Phase::Running {
                let elapsed = task.running.elapsed.or(watched);
                task.running = Running { processor: Some(index), elapsed, in_block_in_place: state.blocking };
            }
        }
    }

    fn note_sources(&mut self, scheduler: &Scheduler) {
        let began = sync::now();
        scheduler.netpoller.for_each_waiter(|waker, source| {
            let Some(task) = task_woken_by(waker).and_then(|id| self.find(id.as_u64())) else { return };
            task.wait_for_source(source, began.elapsed() < TIME_FOR_ADDRESSES);
        });
    }

    fn note_timers(&mut self, scheduler: &Scheduler) {
        let now = scheduler.clock.timer_now();
        for processor in scheduler.processors.iter() {
            processor.timers().for_each_waiter(|deadline, waker| {
                let Some(task) = task_woken_by(waker).and_then(|id| self.find(id.as_u64())) else { return };
                let due_in = Duration::from_nanos(deadline.saturating_sub(now));
                task.wait_for(WaitsOn::Timer(TimerWait { due_in }));
            });
        }
    }

    /// Notes the locks and channels that the tasks have kept note of themselves.
    fn note_sync_waits(&mut self) {
        for task in &mut self.tasks {
            if let Some(wait) = task.snapshot.wait {
                task.wait_for(WaitsOn::Sync(SyncWait::new(wait)));
            }
        }
    }

    /// Notes the holders of the locks that tasks are in line for.
    fn note_locks(&mut self, locks: &[ContendedLock]) {
        let now = sync::now();
        for lock in locks {
            for waiter in lock.waiters() {
                if let Some(task) = waiter.owner.task().and_then(|task| self.find(task.get())) {
                    task.wait_for_lock(SyncWait::for_lock(lock, waiter.kind, now));
                }
            }
        }
    }

    fn note_joins(&mut self) {
        let joined = |task: &SeenTask| {
            let on = match task.kind {
                TaskKind::BlockingJob => WaitsOn::BlockingJob,
                TaskKind::Task | TaskKind::Local => WaitsOn::Task,
            };
            task.snapshot.joiner.map(|joiner| (joiner, on(task.snapshot.id)))
        };
        let joins: Vec<_> = self.tasks.iter().filter_map(joined).collect();
        if joins.is_empty() {
            return;
        }
        let places: BTreeMap<_, _> =
            self.tasks.iter().enumerate().map(|(index, task)| (task.snapshot.address, index)).collect();
        for (joiner, on) in joins {
            if let Some(&index) = places.get(&joiner) {
                self.tasks[index].wait_for(on);
            }
        }
    }
}

impl SeenTask {
    fn wait_for_source(&mut self, source: &WatchedSource<'_>, with_addresses: bool) {
        if self.snapshot.phase != Phase::Idle {
            return;
        }
        if let (Some(WaitsOn::Source(before)), true) = (self.waits_on.last_mut(), source.descriptor().is_some()) {
            if before.descriptor == source.descriptor() {
                before.interest |= source.interest();
                return;
            }
        }
        self.wait_for(WaitsOn::Source(SourceWait::of(source, with_addresses)));
    }

    /// Wakers that were left behind by a task that waits no more mean nothing.
    fn wait_for(&mut self, on: WaitsOn) {
        if self.snapshot.phase == Phase::Idle && !self.waits_on.contains(&on) {
            // Most tasks wait for one thing.
            self.waits_on.reserve_exact(1);
            self.waits_on.push(on);
        }
    }
}

/// How long the processor's poll has lasted, if the watcher has seen it twice.
fn time_of_poll(processor: &Shared, now: u64) -> Option<Duration> {
    let since = processor.watch().under_way_since(processor.counters().polls())?;
    Some(Duration::from_nanos(now.saturating_sub(since)))
}
