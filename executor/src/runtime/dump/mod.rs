//! Dumps: the state of every task of a runtime, read without the tasks' cooperation.

#[cfg(feature = "drop-in")]
pub(super) mod drop_in;
mod json;
#[cfg(all(unix, feature = "signal"))]
pub(super) mod on_signal;
mod text;

use std::panic::Location;
use std::sync::Arc;
use std::time::{Duration, Instant};

use wsrt_sync::current_task::LockOwner;

use crate::observe::await_chains::await_chains;
use crate::observe::dump::{self, Seen, SeenTask};
use crate::observe::no_progress::look;
use crate::runtime::{Backtrace, Handle, Running, SyncWait, TaskKind, WaitsOn};
use crate::scheduler::Scheduler;
use crate::scheduler::scheduler::RootSeen;
use crate::sysmon::reporter::report;
use crate::task::{Id, StatsRead, TaskPhase};
use crate::util::report::ReportKind;
use crate::util::sync;

impl Handle {
    /// Returns a dump of the runtime: for every live task, its name, the location that spawned it,
    /// whether it is running, and the sockets, timers and tasks that it waits for.
    ///
    /// Taking a dump does not poll, wake or wait for any task. The method can be called on any
    /// thread, inside a task or outside the runtime, and returns even if every processor is stuck.
    /// With 100,000 tasks, a dump takes some tens of milliseconds on the calling thread. It holds
    /// the locks that spawns, sockets and timers need, for some tens of microseconds at a time.
    /// (tokio's method of the same name is async, polls every task, and waits for its workers.)
    ///
    /// Dumps have these limits:
    ///
    /// * A dump is not a snapshot of a single moment. Tasks are read one after the other while the
    ///   others run. A task that is spawned, ends, or begins to wait for something else during the
    ///   dump may be missing, or may be shown in its earlier state.
    /// * A dump shows each source that holds a waker of the task: wsrt's sockets and other event
    ///   sources, timers, and join handles. Of the locks and channels of
    ///   [`wsrt::sync`](crate::sync), a dump shows only the last one for which the task's last poll
    ///   began to wait. If the task waits for several in a `select!` or `join!`, the others are not
    ///   shown. The wait is unknown if the task waits for something else, such as a
    ///   [`JoinSet`](crate::task::JoinSet) or another library's channel, or if a library wraps its
    ///   wakers, as `FuturesUnordered` does. A stale waker, such as the waker of a read that was
    ///   dropped halfway, still counts as a wait.
    /// * The holder of a lock is the task that acquired the lock. [`SyncWait`]
    ///   describes what happens if the guard moves to another task.
    /// * On targets with pointers of fewer than 64 bits, waits for locks and channels are unknown.
    /// * Looking up socket addresses is limited to 40 ms for the whole dump. With tens of thousands
    ///   of sockets, the remaining sockets are shown without addresses.
    /// * Tasks of a [`LocalSet`](crate::task::LocalSet) are shown in the dump of the runtime that
    ///   polled the set last. Futures passed to `block_on` are not tasks, and are not shown.
    /// * Ages, durations and counts of polls are shown for tasks that were spawned while
    ///   [`Builder::task_stats`](crate::runtime::Builder::task_stats) was on.
    ///
    /// Only one dump is taken at a time: a second caller waits for the first.
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

    /// Returns a dump that tells of each waiting task *where* it waits: the `async fn`s that await
    /// each other, with their lines ([`TaskDump::await_chains`]).
    ///
    /// To learn the lines, the runtime polls each waiting task once more than it would, with a
    /// waker that takes note of the stacks. The polls follow the dump, so that a chain may be of a
    /// later wait than the one that the dump shows. So this is a *spurious poll*, which futures
    /// have to bear, as all executors make some. It changes which task runs when, and it may find a
    /// task ready and make progress. It counts in no statistics, and no hook and no timeline shows
    /// it. Programs that never ask for chains pay nothing.
    ///
    /// The calling thread blocks until all tasks were polled, by tasks that the runtime's workers
    /// run, or until no worker has answered for as long as `limit`: the other tasks then have no
    /// chains. The first call may take seconds more, in which it reads the program's debug
    /// information. In a task, use [`spawn_blocking`](crate::task::spawn_blocking). Call it with no
    /// lock held that a task takes in a poll.
    ///
    /// There are no chains of these:
    ///
    /// * Tasks that run or are in a queue: see
    ///   [`Stall::backtrace`](crate::runtime::Stall::backtrace) for those that run for long.
    /// * Futures that the extra poll does not reach: those inside a combinator that polls only
    ///   what was woken, such as `FuturesUnordered` and large `join_all`s. The chain ends there.
    ///   `select!`, `join!` and `timeout` poll all of their futures. At most 16 chains are kept of
    ///   a task.
    /// * Tasks of a [`LocalSet`](crate::task::LocalSet), blocking jobs, and futures in `block_on`.
    /// * Tasks of a [simulation](crate::guide::simulating), where another poll is another run. With
    ///   feature `console`, whose wakers are its own, chains end at the task itself.
    /// * All tasks on systems other than Linux on x86-64 and AArch64, and without feature
    ///   `backtrace`. Without debug information (`debug = "line-tables-only"`), the chains have no
    ///   lines, and no functions that were inlined.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wsrt::runtime::Runtime;
    ///
    /// async fn order() {
    ///     payment().await;
    /// }
    ///
    /// async fn payment() {
    ///     wsrt::time::sleep(Duration::from_secs(60)).await;
    /// }
    ///
    /// let runtime = Runtime::new()?;
    /// let handle = runtime.spawn(order());
    /// # while !matches!(runtime.handle().dump().tasks()[0].waits_on(), [wsrt::runtime::WaitsOn::Timer(_)]) {}
    /// let dump = runtime.handle().dump_with_chains(Duration::from_secs(1));
    /// println!("{dump}");
    /// // task 2, spawned at src/main.rs:13:22: idle, waits for a timer due in 60.0s
    /// //   - main::order at src/main.rs:5
    /// //     main::payment at src/main.rs:9
    /// //     <wsrt::time::sleep::Sleep as core::future::future::Future>::poll at …
    /// # handle.abort();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub fn dump_with_chains(&self, limit: Duration) -> Dump {
        let began = Instant::now();
        let mut dump = self.dump();
        let mut chains = await_chains(self.scheduler(), limit);
        for task in dump.tasks.iter_mut().filter(|task| task.state() == TaskState::Idle) {
            task.0.await_chains = chains.remove(&task.id()).unwrap_or_default();
        }
        dump.took = began.elapsed();
        dump
    }
}

impl Dump {
    /// The dump of the tasks that were seen since `began`.
    pub(crate) fn of(seen: Seen, began: Instant) -> Self {
        let Seen { tasks, cycles } = seen;
        let tasks = tasks.into_iter().map(TaskDump::of).collect();
        let mut dump = Self { tasks, cycles: Vec::new(), took: Duration::ZERO };
        dump.cycles = cycles.iter().filter_map(|cycle| dump.cycle_of(cycle)).collect();
        dump.took = began.elapsed();
        dump
    }
}

/// The state of every live task of a runtime, returned by [`Handle::dump`].
///
/// The `Display` output has any cycles of waits first, then a headline and one line for each task.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Dump {
    tasks: Vec<TaskDump>,
    cycles: Vec<Cycle>,
    took: Duration,
}

impl Dump {
    /// Returns the tasks, ordered by id. This is roughly the order in which the tasks were spawned.
    #[must_use]
    pub fn tasks(&self) -> &[TaskDump] {
        &self.tasks
    }

    /// Returns the cycles of waits among the tasks. The tasks of a cycle are deadlocked.
    ///
    /// A cycle is a list of tasks in which each task waits for a `Mutex`, `RwLock` or `OnceCell`
    /// that the next task holds, and nothing else can wake the task: a task whose wait has a
    /// timeout, or that waits for something else as well, is in no cycle. Nor is a task that has an
    /// [`AbortHandle`](crate::task::AbortHandle), or has left a waker behind elsewhere. A task that
    /// locks the same mutex twice is a cycle of its own, and so is a task in a
    /// [futurelock](Cycle::is_futurelock).
    ///
    /// Other cycles through semaphores and channels, and cycles through join handles, blocking
    /// calls and futures in `block_on` are not found. A reported cycle may be no deadlock if a task
    /// has passed its guard to another task, or if a reader waits because of
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

    /// Returns the cycle of these tasks, each of which waits for the next. `None` if a task is not
    /// in the dump, or was read before it began to wait for its lock alone.
    pub(super) fn cycle_of(&self, owners: &[LockOwner]) -> Option<Cycle> {
        let find = |owner: &LockOwner| {
            let id = Id::from_number(owner.task()?);
            let task = &self.tasks[self.tasks.binary_search_by_key(&id, TaskDump::id).ok()?];
            matches!(task.waits_on(), [WaitsOn::Sync(_)]).then(|| task.clone())
        };
        let tasks = owners.iter().map(find).collect::<Option<_>>()?;
        Some(Cycle { tasks })
    }

    /// Returns how long it took to take the dump.
    #[must_use]
    pub fn took(&self) -> Duration {
        self.took
    }

    /// Returns the dump as a single JSON object on one line.
    ///
    /// Durations are whole microseconds. Unknown values are `null` or an empty list. For all fields
    /// see the example.
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
    /// //  "waits_on":[{"kind":"timer","due_in_us":59999871}],"orphan":false,
    /// //  "stats":{"age_us":130,"polls":1,"total_poll_us":6,"longest_poll_us":6,"since_wake_us":null}}]}
    /// assert!(json.contains(r#""kind":"task","name":"sleeper","spawned_at":{"file":""#));
    /// assert!(json.contains(r#""waits_on":[{"kind":"timer","due_in_us":"#), "{json}");
    /// // A wait for a socket is {"kind":"source","source":"TcpStream","read":true,"write":false,"descriptor":7,
    /// //  "local_addr":"127.0.0.1:80","peer_addr":"127.0.0.1:4242"},
    /// // one for another task {"kind":"task","id":7}, or "blocking_job" for its kind, and one for a
    /// // lock {"kind":"sync","sync":"mutex","made_at":{"file":"src/main.rs","line":9,"column":17},
    /// // "held_by":7,"held_us":3100,"promised":false}. A cycle of waits is a list of ids: "cycles":[[7,9]].
    /// // A dump with chains has in each task "await_chains":[[{"function":"main::order","file":"src/main.rs","line":5}]].
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub fn to_json(&self) -> String {
        json::of(self)
    }
}

/// A cycle of tasks that wait for each other, returned by [`Dump::cycles`].
///
/// The `Display` output is a headline and one line for each task.
#[derive(Debug, Clone)]
pub struct Cycle {
    tasks: Vec<TaskDump>,
}

impl Cycle {
    /// Returns the tasks of the cycle. Each task waits for the next one, and the last for the
    /// first.
    ///
    /// The [`waits_on`](TaskDump::waits_on) list of each task has a single lock and its holder.
    #[must_use]
    pub fn tasks(&self) -> &[TaskDump] {
        &self.tasks
    }

    /// Returns whether the cycle is a futurelock: a lock of the cycle was handed to a future that
    /// waited for it, and whose task keeps the future and no longer polls it.
    ///
    /// The guide's page [`futurelock`](crate::guide::futurelock) has an example, and the cures.
    #[must_use]
    pub fn is_futurelock(&self) -> bool {
        self.futurelocks().next().is_some()
    }

    /// Returns the waits for locks that were handed to a future that is not polled.
    fn futurelocks(&self) -> impl Iterator<Item = &SyncWait> {
        let waits = self.tasks.iter().flat_map(TaskDump::waits_on);
        waits.filter_map(|on| match on {
            WaitsOn::Sync(wait) if wait.is_promised() => Some(wait),
            _ => None,
        })
    }
}

/// The state of a single task in a [`Dump`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TaskDump(
    SeenTask,
    /// The task by tokio's name, once somebody asks.
    #[cfg(feature = "drop-in")]
    std::sync::OnceLock<Box<drop_in::Trace>>,
);

impl TaskDump {
    fn of(seen: SeenTask) -> Self {
        Self(
            seen,
            #[cfg(feature = "drop-in")]
            std::sync::OnceLock::new(),
        )
    }

    /// Returns the task's id.
    #[must_use]
    pub fn id(&self) -> Id {
        self.0.snapshot.id
    }

    /// Returns the name set by [`task::Builder::name`](crate::task::Builder::name), if any.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.0.snapshot.name.as_deref()
    }

    pub(crate) fn host_name(&self) -> Option<&str> {
        self.0.host.as_deref()
    }

    /// Returns the source location that spawned the task.
    #[must_use]
    pub fn spawned_at(&self) -> &'static Location<'static> {
        self.0.snapshot.spawned_at
    }

    /// Returns whether this is a task, a local task, or a blocking job.
    #[must_use]
    pub fn kind(&self) -> TaskKind {
        self.0.kind
    }

    /// Returns whether the task was running, was in a queue, or was waiting to be woken.
    #[must_use]
    pub fn state(&self) -> TaskState {
        match self.0.snapshot.phase {
            TaskPhase::Scheduled => TaskState::Scheduled,
            TaskPhase::Running => TaskState::Running(self.0.running),
            TaskPhase::Idle | TaskPhase::Complete => TaskState::Idle,
        }
    }

    /// Returns the sources that an idle task is known to wait for. Any of these sources wakes the
    /// task. Empty if the task is not idle.
    #[must_use]
    pub fn waits_on(&self) -> &[WaitsOn] {
        &self.0.waits_on
    }

    /// Returns the places where the task waits, in a dump by [`Handle::dump_with_chains`]: a chain
    /// for each future that waits, so that a `select!` of two has two. Empty in other dumps, and
    /// for what that method does not see.
    ///
    /// The frames of a chain are the `async fn`s and other functions of the program and of the
    /// packages that it uses, each with the line of its `.await`. As in each [`Backtrace`], the
    /// innermost comes first: the one of the runtime that waits. A dump's text and JSON begin with
    /// the outermost.
    #[must_use]
    pub fn await_chains(&self) -> &[Backtrace] {
        &self.0.await_chains
    }

    /// Returns whether the task is an orphan: it waits, and no waker, `JoinHandle` or `AbortHandle`
    /// of the task is left, so that nothing can wake or end it before the runtime ends.
    ///
    /// The answer `true` is exact. The answer `false` does not mean that the task will run again: a
    /// handle that nobody uses keeps a task from being an orphan, and so does a waker that is kept
    /// by a channel or lock which only the task itself refers to.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::runtime::Handle;
    ///
    /// # wsrt::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let handle = wsrt::spawn(std::future::pending::<()>());
    /// wsrt::task::yield_now().await;
    /// let is_orphan = || Handle::current().dump().tasks()[0].is_orphan();
    /// assert!(!is_orphan(), "the handle may abort it");
    /// drop(handle);
    /// assert!(is_orphan());
    /// # });
    /// # std::io::Result::Ok(())
    /// ```
    #[must_use]
    pub fn is_orphan(&self) -> bool {
        self.0.snapshot.is_orphan
    }

    /// Returns whether this is a [background task](crate::task::spawn_background).
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::runtime::Handle;
    ///
    /// # wsrt::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let _task = wsrt::task::spawn_background(async {});
    /// assert!(Handle::current().dump().tasks()[0].is_background());
    /// # });
    /// # std::io::Result::Ok(())
    /// ```
    #[must_use]
    pub fn is_background(&self) -> bool {
        self.0.snapshot.is_background
    }

    /// Returns the task's statistics, or `None` if
    /// [`Builder::task_stats`](crate::runtime::Builder::task_stats) was off at its spawn.
    #[must_use]
    pub fn stats(&self) -> Option<TaskStats> {
        self.0.snapshot.counts.map(TaskStats)
    }
}

/// The state of a task: it runs, is in a queue, or waits to be woken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TaskState {
    /// The task is in a queue, waiting to be polled. A blocking job is waiting for a thread.
    Scheduled,
    /// The task is being polled, or its future is being dropped. A blocking job is running.
    Running(Running),
    /// The task is waiting to be woken.
    Idle,
}

/// The statistics of a single task since its spawn. They are kept while
/// [`Builder::task_stats`](crate::runtime::Builder::task_stats) is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskStats(StatsRead);

impl TaskStats {
    /// Returns the time since the task was spawned.
    #[must_use]
    pub fn age(&self) -> Duration {
        self.0.age
    }

    /// Returns the number of times the task was polled, including the poll in progress.
    #[must_use]
    pub fn polls(&self) -> u64 {
        self.0.polls
    }

    /// Returns the total duration of the task's polls, including the poll in progress.
    #[must_use]
    pub fn total_poll_time(&self) -> Duration {
        self.0.total
    }

    /// Returns the duration of the task's longest poll, which may be the poll in progress.
    #[must_use]
    pub fn longest_poll(&self) -> Duration {
        self.0.longest
    }

    /// Returns the time since the task was last woken, or `None` if the task was never woken. If a
    /// task is woken during its own poll, the wake counts from the end of the poll.
    #[must_use]
    pub fn since_wake(&self) -> Option<Duration> {
        self.0.since_wake
    }
}

/// Returns a report, with a dump, if it is proven that neither the future in `block_on` nor any
/// task can ever continue. A mere suspicion is reported, once for each runtime.
pub(in crate::runtime) fn no_progress(scheduler: &Arc<Scheduler>, root: &RootSeen<'_>) -> Option<String> {
    let began = sync::now();
    let stuck = look(scheduler, root)?;
    let dump = Dump::of(stuck.seen, began);
    let waits = in_words(&stuck.root);
    if stuck.is_proven {
        return Some(format!(
            "wsrt: this runtime can make no progress: no task can continue, and the future in `block_on` waits for {waits}; no \
             waker is left that could wake any of them\n{dump}"
        ));
    }
    scheduler.suspicion.call_once(|| {
        let text = format!(
            "this runtime seems to make no progress: no task can continue, and the future in `block_on` waits for {waits}, \
             unless another thread releases a lock or aborts a task (reported once)\n{dump}"
        );
        report(scheduler, ReportKind::NoProgress, text);
    });
    None
}

fn in_words(waits: &[WaitsOn]) -> String {
    if waits.is_empty() {
        return "something that has not kept its waker".to_owned();
    }
    waits.iter().map(WaitsOn::to_string).collect::<Vec<_>>().join(" or ")
}
