//! Dumps: the state of each task of a runtime, read without the help of any task.

#[cfg(feature = "drop-in")]
mod awaited;
mod json;
mod no_progress;
#[cfg(all(unix, feature = "signal"))]
pub(super) mod on_signal;
mod text;

use std::panic::Location;
use std::time::{Duration, Instant};

pub(super) use self::no_progress::no_progress;
use super::{Handle, Running, TaskKind, WaitsOn};
use crate::observe::dump::{self, Seen, SeenTask};
use crate::task::{Id, Phase, StatsRead};

impl Handle {
    /// Returns the state of every live task of the runtime: its name, where it was spawned, whether
    /// it runs, and the sockets, timers and tasks it waits for.
    ///
    /// It polls, wakes and waits for no task: it returns even if every processor is stuck, on any
    /// thread, in a task or outside the runtime. With 100,000 tasks it takes some tens of
    /// milliseconds, on the calling thread, and holds the locks that spawns, sockets and timers
    /// need for some tens of microseconds at a time. (tokio's method of this name is async, polls
    /// every task, and waits for its workers.)
    ///
    /// The limits:
    ///
    /// * It is no snapshot. Tasks are read one after the other while the others run: a task that is
    ///   spawned, ends or waits for something else during the dump may be shown or not, or in its
    ///   earlier state.
    /// * A task waits for each source that holds a waker of it: wsrt's sockets and other sources of
    ///   events, timers and join handles; and for one lock or channel of
    ///   [`wsrt::sync`](crate::sync), the last that its last poll began to wait for: of several in
    ///   a `select!` or `join!`, the others are not shown. The wait is unknown if the task waits
    ///   for something else, such as a [`JoinSet`](crate::task::JoinSet) or another library's
    ///   channel, or if a library wraps its wakers, as `FuturesUnordered` does. A waker that was
    ///   left behind, such as the waker of a read that was dropped halfway, still counts as a wait.
    /// * The holder of a lock is the task that took it: see [`SyncWait`](super::SyncWait).
    /// * On targets whose pointers have fewer than 64 bits, waits for locks and channels are
    ///   unknown.
    /// * The system is queried for the addresses of sockets for 40 ms in all. With tens of
    ///   thousands of sockets, the rest of them are shown without.
    /// * Tasks of a [`LocalSet`](crate::task::LocalSet) are shown by the runtime in which the set
    ///   was polled last. Futures given to `block_on` are no tasks, and are not shown.
    /// * Ages, times and counts of polls are there for tasks that were spawned with
    ///   [`Builder::task_stats`](crate::runtime::Builder::task_stats).
    ///
    /// Two dumps at the same time wait for each other.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::net::TcpListener;
    /// use wsrt::runtime::{Handle, TaskState, WaitsOn};
    /// use wsrt::task;
    ///
    /// # wsrt::runtime::Runtime::new()?.run(async {
    /// let listener = TcpListener::bind("127.0.0.1:0").await?;
    /// let address = listener.local_addr()?;
    /// task::Builder::new().name("accept").spawn(async move { listener.accept().await });
    ///
    /// // Until the task has come as far as to wait.
    /// loop {
    ///     let dump = Handle::current().dump();
    ///     let accept = dump.tasks().iter().find(|task| task.name() == Some("accept")).expect("it never ends");
    ///     if let [WaitsOn::Source(source)] = accept.waits_on() {
    ///         assert_eq!((accept.state(), source.kind()), (TaskState::Idle, "TcpListener"));
    ///         assert_eq!(source.local_addr().expect("it is bound").to_string(), address.to_string());
    ///         println!("{dump}");
    ///         break;
    ///     }
    ///     task::yield_now().await;
    /// }
    /// # std::io::Result::Ok(())
    /// # })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[must_use]
    pub fn dump(&self) -> Dump {
        let began = Instant::now();
        Dump::of(dump::look(self.scheduler()), began)
    }
}

impl Dump {
    /// The dump of the tasks that were seen since `began`.
    pub(crate) fn of(seen: Seen, began: Instant) -> Self {
        let Seen { tasks, cycles } = seen;
        let tasks: Vec<_> = tasks.into_iter().map(TaskDump).collect();
        let of_tasks = |cycle: Vec<usize>| Cycle { tasks: cycle.into_iter().map(|at| tasks[at].clone()).collect() };
        let cycles = cycles.into_iter().map(of_tasks).collect();
        Self { tasks, cycles, took: began.elapsed() }
    }
}

/// The states of the tasks of a runtime: see [`Handle::dump`].
///
/// Its `Display` is a headline and a line for each task, after the cycles of waits, if there are
/// any.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Dump {
    tasks: Vec<TaskDump>,
    cycles: Vec<Cycle>,
    took: Duration,
}

impl Dump {
    /// Returns the tasks by id, which is about the order in which they were spawned.
    #[must_use]
    pub fn tasks(&self) -> &[TaskDump] {
        &self.tasks
    }

    /// Returns the cycles of waits among the tasks. The tasks of a cycle are deadlocked.
    ///
    /// A cycle is a list of tasks each of which waits for a `Mutex`, `RwLock` or `OnceCell` that
    /// the next one holds, and for nothing else that is known: a task with a timeout around its
    /// wait is in none. A task that locks a mutex twice is a cycle by itself.
    ///
    /// Not found are cycles through semaphores, channels, join handles, blocking calls and futures
    /// of `block_on`. One that is shown may be none if a task has given its guard to another, or
    /// if a reader waits because of
    /// [`RwLock::with_max_readers`](crate::sync::RwLock::with_max_readers).
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::Arc;
    /// use wsrt::runtime::Handle;
    /// use wsrt::sync::Mutex;
    ///
    /// # wsrt::runtime::Runtime::new()?.run(async {
    /// let mutex = Arc::new(Mutex::new(0));
    /// wsrt::spawn(async move {
    ///     let outer = mutex.lock().await;
    ///     *mutex.lock().await += *outer;
    /// });
    /// loop {
    ///     let dump = Handle::current().dump();
    ///     if let [cycle] = dump.cycles() {
    ///         assert_eq!(cycle.tasks().len(), 1);
    ///         println!("{cycle}");
    ///         break;
    ///     }
    ///     wsrt::task::yield_now().await;
    /// }
    /// # });
    /// # std::io::Result::Ok(())
    /// ```
    #[must_use]
    pub fn cycles(&self) -> &[Cycle] {
        &self.cycles
    }

    /// Returns how long the dump took.
    #[must_use]
    pub fn took(&self) -> Duration {
        self.took
    }

    /// Returns the dump as one JSON object, on one line.
    ///
    /// Durations are in whole microseconds; an unknown value is `null`, or an empty list. For the
    /// fields see the example.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::runtime::{Builder, Handle};
    /// use wsrt::task;
    ///
    /// let runtime = Builder::new_current_thread().task_stats(true).build()?;
    /// let json = runtime.block_on(async {
    ///     let _sleeper = task::Builder::new().name("sleeper").spawn(wsrt::time::sleep(std::time::Duration::from_secs(60)));
    ///     task::yield_now().await;
    ///     Handle::current().dump().to_json()
    /// });
    /// // {"took_us":21,"cycles":[],"tasks":[{"id":1,"kind":"task","name":"sleeper",
    /// //  "spawned_at":{"file":"src/main.rs","line":6,"column":62},
    /// //  "state":"idle","processor":null,"in_poll_us":null,"in_block_in_place":false,
    /// //  "waits_on":[{"kind":"timer","due_in_us":59999871}],
    /// //  "stats":{"age_us":130,"polls":1,"total_poll_us":6,"longest_poll_us":6,"since_wake_us":null}}]}
    /// assert!(json.contains(r#""kind":"task","name":"sleeper","spawned_at":{"file":""#));
    /// assert!(json.contains(r#""waits_on":[{"kind":"timer","due_in_us":"#), "{json}");
    /// // A wait for a socket is {"kind":"source","source":"TcpStream","read":true,"write":false,"descriptor":7,
    /// //  "local_addr":"127.0.0.1:80","peer_addr":"127.0.0.1:4242"},
    /// // one for another task {"kind":"task","id":7}, or "blocking_job" for its kind, and one for a
    /// // lock {"kind":"sync","sync":"mutex","made_at":{"file":"src/main.rs","line":9,"column":17},
    /// // "held_by":7,"held_us":3100}. A cycle of waits is a list of ids: "cycles":[[7,9]].
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub fn to_json(&self) -> String {
        json::of(self)
    }
}

/// Tasks that wait for each other in a cycle: see [`Dump::cycles`].
///
/// Its `Display` is a headline and a line for each task.
#[derive(Debug, Clone)]
pub struct Cycle {
    tasks: Vec<TaskDump>,
}

impl Cycle {
    /// Returns the tasks: each waits for the next, and the last one for the first.
    ///
    /// [`waits_on`](TaskDump::waits_on) of each names one lock, and its holder.
    #[must_use]
    pub fn tasks(&self) -> &[TaskDump] {
        &self.tasks
    }
}

/// One task of a [`Dump`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TaskDump(SeenTask);

impl TaskDump {
    /// Returns the id of the task.
    #[must_use]
    pub fn id(&self) -> Id {
        self.0.snapshot.id
    }

    /// Returns its name, if [`task::Builder::name`](crate::task::Builder::name) gave it one.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.0.snapshot.name.as_deref()
    }

    pub(crate) fn host_name(&self) -> Option<&str> {
        self.0.host.as_deref()
    }

    /// Returns where it was spawned.
    #[must_use]
    pub fn spawned_at(&self) -> &'static Location<'static> {
        self.0.snapshot.spawned_at
    }

    /// Returns the kind of the task.
    #[must_use]
    pub fn kind(&self) -> TaskKind {
        self.0.kind
    }

    /// Returns whether it ran, was in a queue, or waited to be woken.
    #[must_use]
    pub fn state(&self) -> TaskState {
        match self.0.snapshot.phase {
            Phase::Scheduled => TaskState::Scheduled,
            Phase::Running => TaskState::Running(self.0.running),
            Phase::Idle | Phase::Complete => TaskState::Idle,
        }
    }

    /// Returns the sources that an idle task is known to wait for: any of them wakes it. Empty for
    /// tasks that are not idle.
    #[must_use]
    pub fn waits_on(&self) -> &[WaitsOn] {
        &self.0.waits_on
    }

    /// Returns its statistics, if they were [kept](crate::runtime::Builder::task_stats) when it was
    /// spawned.
    #[must_use]
    pub fn stats(&self) -> Option<TaskStats> {
        self.0.snapshot.counts.map(TaskStats)
    }
}

/// The state of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TaskState {
    /// It is in a queue; a blocking job waits for a thread.
    Scheduled,
    /// It is being polled, or its future dropped; a blocking job has begun.
    Running(Running),
    /// It waits to be woken.
    Idle,
}

/// The statistics of a task since it was spawned: see
/// [`Builder::task_stats`](crate::runtime::Builder::task_stats).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskStats(StatsRead);

impl TaskStats {
    /// Returns how long ago it was spawned.
    #[must_use]
    pub fn age(&self) -> Duration {
        self.0.age
    }

    /// Returns how often it was polled, the poll under way included.
    #[must_use]
    pub fn polls(&self) -> u64 {
        self.0.polls
    }

    /// Returns how long its polls took together, the one under way included.
    #[must_use]
    pub fn total_poll_time(&self) -> Duration {
        self.0.total
    }

    /// Returns how long its longest poll took, which may be the one under way.
    #[must_use]
    pub fn longest_poll(&self) -> Duration {
        self.0.longest
    }

    /// Returns how long ago it was last woken; `None` if it never was. A task that is woken during
    /// its poll counts as woken at the end of that poll.
    #[must_use]
    pub fn since_wake(&self) -> Option<Duration> {
        self.0.since_wake
    }
}
