//! Hooks on tasks: functions of the user's that the runtime calls at a task's spawn, around its
//! polls, at its end, and at its panic.

use std::sync::Arc;

use crate::runtime::{Builder, NewTask, PanicAction, TaskMeta, TaskPanic};

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
    /// Calls `hook` with each task that is about to be spawned, on the thread that spawns it,
    /// inside the task that does.
    ///
    /// It may attach data to the task, which the other hooks get: a tenant to account the task's
    /// time to, or a span that was current at the spawn. A task that is refused, since the runtime
    /// shuts down, is shown as well, and then its end.
    ///
    /// # Examples
    ///
    /// The time that the tasks of each name take:
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

    /// Calls `hook` before each poll of a task, on the thread that polls it.
    ///
    /// A task that was aborted is shown as well when its future is about to be dropped in its turn;
    /// the shutdown drops futures without a poll.
    pub fn on_before_task_poll(&mut self, hook: impl Fn(&TaskMeta<'_>) + Send + Sync + 'static) -> &mut Self {
        self.config.task_hooks.before_poll = Some(Arc::new(hook));
        self
    }

    /// Calls `hook` after each poll of a task: once for each call of
    /// [`on_before_task_poll`](Self::on_before_task_poll)'s, on the same thread. The task may be
    /// complete by then; its data are still there.
    pub fn on_after_task_poll(&mut self, hook: impl Fn(&TaskMeta<'_>) + Send + Sync + 'static) -> &mut Self {
        self.config.task_hooks.after_poll = Some(Arc::new(hook));
        self
    }

    /// Calls `hook` once for each task that has ended, with an output, by a panic or because it was
    /// cancelled: after its future was dropped, and before
    /// [`on_after_task_poll`](Self::on_after_task_poll)'s of the poll in which it ended. The task
    /// that awaits its handle may have been woken by then.
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

    /// Calls `hook` with the panic of each task, before the handle of the task returns it, and does
    /// about it what the hook says: the runtime continues, shuts down, or the process aborts.
    ///
    /// It is called for a panic in a poll or in the drop of the task's future, whether the task's
    /// handle is there or not ([`TaskMeta::has_join_handle`]). The process's panic hook was called
    /// before.
    ///
    /// With [`PanicAction::ShutDown`] the runtime ends as by
    /// [`Runtime::shutdown_background`](crate::runtime::Runtime::shutdown_background): its tasks
    /// are cancelled, the one in [`Runtime::run`](crate::runtime::Runtime::run) and `#[wsrt::main]`
    /// included, which then panics with the reason. A future in `block_on` is not dropped: its
    /// waits for the runtime's sockets return errors, and those for timers panic.
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
