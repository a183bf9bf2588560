//! Hooks: the user's functions that the runtime calls on its threads, and around tasks: when a
//! task is spawned, before and after its polls, when it ends, and when it panics.

use std::sync::Arc;

use crate::runtime::{Builder, NewTask, PanicAction, TaskMeta, TaskPanic};
use crate::sysmon::stall::Stall;
use crate::util::report::Report;

impl Builder {
    /// Calls `hook` on each thread of the runtime when the thread starts, before it runs anything
    /// else. A panic in `hook` aborts the process.
    ///
    /// If `hook` owns a [`Handle`](crate::runtime::Handle) of this runtime, the runtime's memory
    /// and file descriptors are never freed, not even in a simulation.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread()
    ///     .on_thread_start(|| println!("a thread begins"))
    ///     .build()?;
    /// # drop(runtime);
    /// # std::io::Result::Ok(())
    /// ```
    pub fn on_thread_start(&mut self, hook: impl Fn() + Send + Sync + 'static) -> &mut Self {
        self.config.on_thread_start = Some(Arc::new(hook));
        self
    }

    /// Calls `hook` on each thread of the runtime before the thread exits. A panic in `hook` aborts
    /// the process.
    ///
    /// If `hook` owns a [`Handle`](crate::runtime::Handle) of this runtime, the runtime's memory
    /// and file descriptors are never freed, not even in a simulation.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread()
    ///     .on_thread_stop(|| println!("a thread ends"))
    ///     .build()?;
    /// # drop(runtime);
    /// # std::io::Result::Ok(())
    /// ```
    pub fn on_thread_stop(&mut self, hook: impl Fn() + Send + Sync + 'static) -> &mut Self {
        self.config.on_thread_stop = Some(Arc::new(hook));
        self
    }

    /// Calls `hook` on a thread that runs tasks each time the thread is about to sleep because
    /// there is nothing to run. On a current-thread runtime, `hook` is called on the thread in
    /// `block_on`. A panic in `hook` aborts the process.
    ///
    /// `hook` may wake and spawn tasks. The thread then stays awake to run them, unless another
    /// thread has taken them. Inside `hook`, [`Handle::current`](crate::runtime::Handle::current)
    /// returns a handle to the runtime. If `hook` owns such a handle, the runtime's memory and file
    /// descriptors are never freed, not even in a simulation.
    ///
    /// `hook` should not block, because its thread may poll the network. On a current-thread
    /// runtime, calling this runtime's `block_on` inside `hook` panics, which aborts the process.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    ///
    /// static PARKED: AtomicU64 = AtomicU64::new(0);
    ///
    /// let runtime = wsrt::runtime::Builder::new_current_thread()
    ///     .on_thread_park(|| _ = PARKED.fetch_add(1, Relaxed))
    ///     .build()?;
    /// while PARKED.load(Relaxed) == 0 {
    ///     runtime.block_on(wsrt::time::sleep(std::time::Duration::from_millis(1)));
    /// }
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn on_thread_park(&mut self, hook: impl Fn() + Send + Sync + 'static) -> &mut Self {
        self.config.on_thread_park = Some(Arc::new(hook));
        self
    }

    /// Calls `hook` on a thread that runs tasks each time the thread wakes up, or finds work just
    /// before it would have slept. `hook` is called once for each call of the
    /// [`on_thread_park`](Self::on_thread_park) hook. A panic in `hook` aborts the process.
    ///
    /// If `hook` owns a [`Handle`](crate::runtime::Handle) of this runtime, the runtime's memory
    /// and file descriptors are never freed, not even in a simulation.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread()
    ///     .on_thread_unpark(|| println!("a thread wakes"))
    ///     .build()?;
    /// # drop(runtime);
    /// # std::io::Result::Ok(())
    /// ```
    pub fn on_thread_unpark(&mut self, hook: impl Fn() + Send + Sync + 'static) -> &mut Self {
        self.config.on_thread_unpark = Some(Arc::new(hook));
        self
    }

    /// Calls `hook` for each poll that occupies its processor for longer than `WSRT_STALL_MS`
    /// milliseconds. Most such polls are still running when `hook` is called. One that is longer by
    /// less than 6 ms may be missed: beside workers whose polls return it is looked at late.
    ///
    /// [`Stall::backtrace`] says where the poll's thread is. To learn it, wsrt sends the thread
    /// SIGURG up to twice, with a handler that copies registers and the top of the stack, and calls
    /// the program's own handler for any other SIGURG. System calls continue after it
    /// (`SA_RESTART`). A thread that sleeps in a call that would not continue, such as `poll`,
    /// gets no signal: its stack is read while it sleeps, as far as that goes. The handler runs on
    /// the thread's alternative signal stack, if there is one, and needs a kilobyte of it. A
    /// `nanosleep` in C may end early, as after any signal; the standard library's `sleep` does
    /// not. There is no backtrace if the thread blocks SIGURG, or if the program installs its own
    /// handler after the first stall. Without one `hook` waits for the poll's end, for a second.
    ///
    /// `hook` runs on a thread of the runtime that is there while there are stalls to report. The
    /// thread first reads the program's debug information, which may take seconds. A panic in
    /// `hook` aborts the process.
    ///
    /// The stalls are the hook's alone: no report of them is written to standard error.
    /// [`on_report`](Self::on_report) takes reports of all kinds, each stack of stalls once.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread()
    ///     .on_stall(|stall| eprintln!("{stall}"))
    ///     .build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn on_stall(&mut self, hook: impl Fn(&Stall) + Send + Sync + 'static) -> &mut Self {
        self.config.findings.on_stall = Some(Arc::new(hook));
        self
    }

    /// Calls `hook` for each report of this runtime: what it has found out about the program
    /// without being asked, such as a stall or a deadlock. Like findings are reported once.
    ///
    /// A report goes to one place. Without this hook, that is a subscriber of `tracing` (an event
    /// with the target `wsrt`, the level `WARN` and the field `kind`), with feature `tracing` and
    /// if a subscriber takes it; or else standard error. Other messages, about a variable that
    /// makes no sense or a thread that cannot be started, are written to standard error in any
    /// case.
    ///
    /// `hook` runs on a thread of the runtime that is there while there are reports; in a
    /// simulation, where the finding was made. A panic in `hook` aborts the process.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread()
    ///     .on_report(|report| eprintln!("{}: {report}", report.kind().name()))
    ///     .build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn on_report(&mut self, hook: impl Fn(&Report) + Send + Sync + 'static) -> &mut Self {
        self.config.findings.on_report = Some(Arc::new(hook));
        self
    }

    /// Sets whether orphans are reported, which is the default.
    ///
    /// An orphan is a task that waits, and that nothing can wake or abort any more: no waker, no
    /// [`JoinHandle`](crate::task::JoinHandle) and no [`AbortHandle`](crate::task::AbortHandle) of
    /// the task is left. Its memory is freed when the runtime ends. A multi-thread runtime reports
    /// each spawn site of orphans once, usually within a second or two.
    /// `#[wsrt::test]` fails if the test leaves orphans.
    ///
    /// [Dumps](crate::runtime::TaskDump::is_orphan) and
    /// [metrics](crate::runtime::Metrics::num_orphan_tasks) show orphans in either case.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().report_orphans(false).build()?;
    /// drop(runtime.spawn(std::future::pending::<()>()));
    /// # std::io::Result::Ok(())
    /// ```
    pub fn report_orphans(&mut self, yes: bool) -> &mut Self {
        self.config.reports_orphans = yes;
        self
    }
}

/// Hooks on tasks.
///
/// They see the runtime's own tasks, of [`spawn`](crate::task::spawn()), and the tasks that
/// [`spawn_local`](crate::task::spawn_local) puts on a current-thread runtime. They see neither
/// blocking jobs, nor the tasks of a [`LocalSet`](crate::task::LocalSet), nor futures in
/// `block_on`.
///
/// Each is called where it happens, and the task waits for it: hooks have to be short, and must not
/// block. A panic in one aborts the process. A runtime without hooks pays nothing for them.
impl Builder {
    /// Calls `hook` for each task that is about to be spawned. `hook` runs on the spawning thread,
    /// inside the spawning task if there is one.
    ///
    /// `hook` can attach data to the task, which the other task hooks receive. The data can be, for
    /// example, a tenant whose CPU time is accounted for, or the span that is current at the spawn.
    /// If the runtime is shutting down and refuses the task, `hook` is still called, followed by
    /// the [`on_task_terminate`](Self::on_task_terminate) hook.
    ///
    /// # Examples
    ///
    /// Measures the time that the tasks of each name take:
    ///
    /// ```
    /// use std::collections::HashMap;
    /// use std::sync::{Arc, Mutex};
    /// use std::time::{Duration, Instant};
    ///
    /// /// An account for each task.
    /// struct Account {
    ///     name: String,
    ///     began: Mutex<Instant>,
    /// }
    ///
    /// let totals = Arc::new(Mutex::new(HashMap::<String, Duration>::new()));
    /// let sums = Arc::clone(&totals);
    /// let runtime = wsrt::runtime::Builder::new_multi_thread()
    ///     .on_task_spawn(|task| {
    ///         let name = task.name().unwrap_or("others").to_owned();
    ///         task.set_data(Account { name, began: Mutex::new(Instant::now()) });
    ///     })
    ///     .on_before_task_poll(|task| {
    ///         if let Some(account) = task.data::<Account>() {
    ///             *account.began.lock().unwrap() = Instant::now();
    ///         }
    ///     })
    ///     .on_after_task_poll(move |task| {
    ///         if let Some(account) = task.data::<Account>() {
    ///             let took = account.began.lock().unwrap().elapsed();
    ///             *sums.lock().unwrap().entry(account.name.clone()).or_default() += took;
    ///         }
    ///     })
    ///     .build()?;
    /// runtime.run(async {
    ///     let work = async { std::hint::black_box((0..1000_u64).sum::<u64>()) };
    ///     wsrt::task::Builder::new().name("tenant 7").spawn(work).await.expect("it does not panic");
    /// });
    /// drop(runtime);
    /// assert!(totals.lock().unwrap().contains_key("tenant 7"));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn on_task_spawn(&mut self, hook: impl Fn(&mut NewTask<'_>) + Send + Sync + 'static) -> &mut Self {
        self.config.task_hooks.on_spawn = Some(Arc::new(hook));
        self
    }

    /// Calls `hook` before each poll of a task, on the thread that polls the task.
    ///
    /// When it is the turn of an aborted task, `hook` is also called before the task's future is
    /// dropped. A shutdown drops futures without a poll, and therefore without this call.
    pub fn on_before_task_poll(&mut self, hook: impl Fn(&TaskMeta<'_>) + Send + Sync + 'static) -> &mut Self {
        self.config.task_hooks.before_poll = Some(Arc::new(hook));
        self
    }

    /// Calls `hook` after each poll of a task, on the same thread, once for each call of the
    /// [`on_before_task_poll`](Self::on_before_task_poll) hook. Even if the poll completed the
    /// task, the task's data are still available.
    pub fn on_after_task_poll(&mut self, hook: impl Fn(&TaskMeta<'_>) + Send + Sync + 'static) -> &mut Self {
        self.config.task_hooks.after_poll = Some(Arc::new(hook));
        self
    }

    /// Calls `hook` once for each task that ends, with an output, by a panic, or cancelled.
    ///
    /// `hook` is called after the task's future has been dropped, and before the
    /// [`on_after_task_poll`](Self::on_after_task_poll) hook of the task's last poll. By then, the
    /// task that awaits the join handle may already have been woken.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    ///
    /// let ended = Arc::new(AtomicUsize::new(0));
    /// let count = Arc::clone(&ended);
    /// let runtime = wsrt::runtime::Builder::new_multi_thread()
    ///     .on_task_terminate(move |_| _ = count.fetch_add(1, Relaxed))
    ///     .build()?;
    /// runtime.spawn(async {});
    /// runtime.spawn(std::future::pending::<()>());
    /// drop(runtime);
    /// assert_eq!(ended.load(Relaxed), 2);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn on_task_terminate(&mut self, hook: impl Fn(&TaskMeta<'_>) + Send + Sync + 'static) -> &mut Self {
        self.config.task_hooks.on_terminate = Some(Arc::new(hook));
        self
    }

    /// Calls `hook` for each task that panics, before the task's join handle returns the panic. The
    /// return value of `hook` decides whether the runtime continues or shuts down, or the process
    /// aborts.
    ///
    /// `hook` is called for panics in a poll and in the drop of the task's future, with or without
    /// a join handle ([`TaskMeta::has_join_handle`]). The process's panic hook runs first.
    ///
    /// With [`PanicAction::ShutDown`], the runtime shuts down as with
    /// [`Runtime::shutdown_background`](crate::runtime::Runtime::shutdown_background), and all
    /// tasks are cancelled. The root task of [`Runtime::run`](crate::runtime::Runtime::run) and
    /// `#[wsrt::main]` is cancelled too, and both then panic with the reason. A future in
    /// `block_on` is not dropped: its operations on sockets return errors, and waits for timers
    /// panic.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::runtime::{Builder, PanicAction};
    ///
    /// let runtime = Builder::new_multi_thread()
    ///     .on_task_panic(|panic| {
    ///         eprintln!("{panic}");
    ///         if panic.task().has_join_handle() { PanicAction::GoOn } else { PanicAction::ShutDown }
    ///     })
    ///     .build()?;
    /// runtime.block_on(async {
    ///     let error = wsrt::spawn(async { panic!("boom") }).await.unwrap_err();
    ///     assert!(error.is_panic());
    /// });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn on_task_panic(&mut self, hook: impl Fn(&TaskPanic<'_>) -> PanicAction + Send + Sync + 'static) -> &mut Self {
        self.config.task_hooks.on_panic = Some(Arc::new(hook));
        self
    }
}
