//! Finds the state of all tasks of a runtime without their help: from the registries, the
//! processors' poll states, and the places where wakers are stored.
//!
//! A task's stored wakers show what the task waits for, because the owner of a waker will wake the
//! task. Wakers are stored with sockets, with timers, and in the slots of awaited tasks. A waker
//! that foreign code has wrapped is not recognised. Waits for locks and channels are found through
//! the task itself, which records its latest wait, and through contended locks, which know their
//! waiters and their holder.

use std::collections::BTreeMap;
use std::time::Duration;

use wsrt_reactor::{Address, Interest, WatchedSource};
use wsrt_stack::Backtrace;
use wsrt_sync::current_task::LockOwner;
use wsrt_sync::waited_locks::{ContendedLock, locks_with};

use super::deadlocks::deadlocks;
use super::sync_waits::SyncWait;
use crate::scheduler::Scheduler;
use crate::scheduler::core::processor::Shared;
use crate::task::{Id, OwnedTasks, TaskPhase, TaskSnapshot, is_last_waker, task_woken_by};
use crate::util::sync;
use crate::util::world::host_name_of;

/// The total time spent on asking the OS for sockets' addresses, at about a microsecond each. With
/// many sockets, the addresses would otherwise take the longest part of a dump.
const TIME_FOR_ADDRESSES: Duration = Duration::from_millis(40);

/// One task in the state in which the dump found it.
#[derive(Debug, Clone)]
pub(crate) struct SeenTask {
    pub(crate) snapshot: TaskSnapshot,
    /// The name of the simulated host that the task belongs to.
    pub(crate) host: Option<String>,
    pub(crate) kind: TaskKind,
    pub(crate) running: Running,
    pub(crate) waits_on: Vec<WaitsOn>,
    /// Where the task waits, in dumps that ask for it.
    pub(crate) await_chains: Vec<Backtrace>,
}

/// The kind of a task in a dump, which tells where the task runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TaskKind {
    /// A task spawned on the runtime's processors.
    Task,
    /// A task spawned on a [`LocalSet`](crate::task::LocalSet).
    Local,
    /// A closure given to [`spawn_blocking`](crate::task::spawn_blocking), which runs on a thread
    /// of its own or waits for a thread.
    BlockingJob,
}

/// Details of the poll that a running task is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Running {
    processor: Option<usize>,
    elapsed: Option<Duration>,
    in_block_in_place: bool,
}

impl Running {
    /// Returns the index of the processor that runs the task.
    ///
    /// Returns `None` for a task that runs elsewhere: in a [`LocalSet`](crate::task::LocalSet), on
    /// a thread for blocking jobs, or inside the poll of another task that has called `block_on`.
    #[must_use]
    pub fn processor(&self) -> Option<usize> {
        self.processor
    }

    /// Returns how long the current poll has lasted.
    ///
    /// The duration is exact if [`task_stats`](crate::runtime::Builder::task_stats) is enabled.
    /// Otherwise the duration comes from the watcher thread, which samples every few milliseconds:
    /// the result is too short by up to one sampling interval, and `None` for a poll that the
    /// watcher has not seen twice, and on current-thread runtimes, which have no watcher.
    #[must_use]
    pub fn elapsed(&self) -> Option<Duration> {
        self.elapsed
    }

    /// Returns whether the task is inside a call of
    /// [`block_in_place`](crate::task::block_in_place).
    #[must_use]
    pub fn is_in_block_in_place(&self) -> bool {
        self.in_block_in_place
    }
}

/// The reason why a task is waiting: the source that will wake the task.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WaitsOn {
    /// A socket or another source of I/O events.
    Source(SourceWait),
    /// A timer, such as a sleep or a timeout.
    Timer(TimerWait),
    /// The completion of another task, whose [`JoinHandle`](crate::task::JoinHandle) is awaited.
    Task(Id),
    /// The completion of a blocking job, whose handle is awaited.
    BlockingJob(Id),
    /// A lock or channel from [`wsrt::sync`](crate::sync).
    Sync(SyncWait),
}

/// A socket or another source of I/O events that a task waits for.
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

    /// Returns the kind of the source: a type name like `TcpStream`, or a word like `signal` or
    /// `process`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// Returns whether the task waits to read, accept or receive, for urgent data, or for an error.
    #[must_use]
    pub fn is_for_reading(&self) -> bool {
        self.interest.is_readable() || self.interest.is_priority() || self.interest.is_error()
    }

    /// Returns whether the task waits to write, connect or send.
    #[must_use]
    pub fn is_for_writing(&self) -> bool {
        self.interest.is_writable()
    }

    /// Returns the source's file descriptor or socket number, or `None` if the number is unknown.
    #[must_use]
    pub fn descriptor(&self) -> Option<u64> {
        self.descriptor
    }

    /// Returns the local address that the socket is bound to, or `None` if the source is no socket
    /// or has no address.
    ///
    /// A dump spends at most 40 ms on asking the OS for addresses. With tens of thousands of
    /// sockets, the remaining ones have no address and are identified by their descriptors.
    #[must_use]
    pub fn local_addr(&self) -> Option<&Address> {
        self.local.as_ref()
    }

    /// Returns the remote address that the socket is connected to, or `None` under the same
    /// conditions as [`local_addr`](Self::local_addr), or if the socket is not connected.
    #[must_use]
    pub fn peer_addr(&self) -> Option<&Address> {
        self.peer.as_ref()
    }
}

/// A timer that a task waits for, such as a sleep or a timeout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimerWait {
    due_in: Duration,
}

impl TimerWait {
    /// Returns the time from the dump to the timer's deadline, or zero if the deadline has passed.
    ///
    /// The time is measured on the runtime's clock, which may be paused: see
    /// [`time::pause`](crate::time::pause).
    #[must_use]
    pub fn due_in(&self) -> Duration {
        self.due_in
    }
}

/// All live tasks of a runtime, sorted by ID, and the cycles of waits in the process: in each,
/// every task waits for the next one.
pub(crate) struct Seen {
    pub(crate) tasks: Vec<SeenTask>,
    pub(crate) cycles: Vec<Vec<LockOwner>>,
}

/// Collects the state of all live tasks of a runtime.
pub(crate) fn look(scheduler: &Scheduler) -> Seen {
    let mut crowd = DumpCrowd::default();
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
    let locks = locks_with(usize::MAX, is_last_waker).unwrap_or_default();
    crowd.note_locks(&locks);
    let cycles = deadlocks(locks).into_iter().map(|deadlock| deadlock.tasks).collect();
    Seen { tasks: crowd.tasks, cycles }
}

#[derive(Default)]
struct DumpCrowd {
    tasks: Vec<SeenTask>,
}

impl DumpCrowd {
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
                await_chains: Vec::new(),
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

    /// Records which processor runs which task, and how long the poll has lasted.
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
            if task.snapshot.phase == TaskPhase::Running {
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

    /// Records the locks and channels that the tasks themselves have noted.
    fn note_sync_waits(&mut self) {
        for task in &mut self.tasks {
            if let Some(wait) = task.snapshot.wait {
                task.wait_for(WaitsOn::Sync(SyncWait::new(wait)));
            }
        }
    }

    /// Records the holders of all locks that tasks are waiting for.
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
        if self.snapshot.phase != TaskPhase::Idle {
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
        if self.snapshot.phase == TaskPhase::Idle && !self.waits_on.contains(&on) {
            // Most tasks wait for one thing.
            self.waits_on.reserve_exact(1);
            self.waits_on.push(on);
        }
    }
}

/// Returns how long the processor's poll has lasted, if the watcher has seen it twice.
fn time_of_poll(processor: &Shared, now: u64) -> Option<Duration> {
    let since = processor.watch().under_way_since(processor.counters().poll_stamp())?;
    Some(Duration::from_nanos(now.saturating_sub(since)))
}
