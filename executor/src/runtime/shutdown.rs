//! The end of a runtime: the token that tells its tasks of the end, and draining, a shutdown that
//! lets its tasks finish.

use std::future::poll_fn;
use std::panic::Location;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;
use std::{fmt, io};

use wsrt_sync::CancellationToken;
use wsrt_trace::place::ShortLocation;

use crate::local::tasks::LocalTasks;
use crate::runtime::services::TimerDelay;
use crate::runtime::{Handle, Runtime};
use crate::scheduler::drain;
use crate::task::{Id, current_id};
use crate::time::Instant;

impl Runtime {
    /// Stops accepting new work, and blocks the current thread until all tasks have ended or
    /// `deadline` has passed. Returns the tasks that are left.
    ///
    /// Draining cancels the runtime's [shutdown token](Handle::shutdown_token), but not its tasks.
    /// Tasks that run forever should watch the token, and servers should stop accepting connections
    /// when it is cancelled. Tasks that are left at the deadline keep running until the runtime is
    /// dropped or [`shutdown_background`](Self::shutdown_background) is called.
    ///
    /// From this call on, for the rest of the runtime's life:
    ///
    /// * Spawning from outside the runtime is refused: the join handle returns a cancelled error.
    ///   Other threads, other runtimes, and the futures passed to `block_on` are outside.
    /// * The runtime's own tasks and blocking jobs may still spawn tasks, and the drain waits for
    ///   the new tasks too, so that work that was accepted can be completed.
    ///
    /// The drain does not wait for tasks of a [`LocalSet`](crate::task::LocalSet), which belong to
    /// the set. On a current-thread runtime, this call runs the tasks. If called inside a task, the
    /// drain does not wait for the calling task.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wsrt::time::{Instant, sleep};
    ///
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// runtime.spawn(sleep(Duration::from_millis(5)));
    /// wsrt::task::Builder::new().name("stubborn").spawn_on(std::future::pending::<()>(), runtime.handle());
    ///
    /// let drained = runtime.drain(Instant::now() + Duration::from_millis(50));
    /// assert!(drained.left.iter().any(|task| task.name.as_deref() == Some("stubborn")));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn drain(&self, deadline: Instant) -> Drained {
        self.block_on(self.handle().drain(deadline))
    }
}

impl Handle {
    /// Stops accepting new work, and waits until all tasks have ended or `deadline` has passed.
    /// Returns the tasks that are left.
    ///
    /// This is the async version of [`Runtime::drain`], which lists the spawns that are refused.
    /// The drain does not wait for the task that awaits it, nor for other tasks that await a drain
    /// of the same runtime. All of these tasks continue once no other task is left.
    ///
    /// The future may also be awaited outside the runtime. On a current-thread runtime, a thread
    /// has to be in `block_on` meanwhile: otherwise neither the tasks nor the deadline make
    /// progress. If the runtime is shut down, the wait ends, and returns the tasks that were left
    /// at that moment.
    ///
    /// # Cancel safety
    ///
    /// After the first poll, the runtime stays closed for new work even if the future is dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wsrt::runtime::Handle;
    /// use wsrt::time::Instant;
    ///
    /// # wsrt::runtime::Runtime::new()?.run(async {
    /// wsrt::spawn(async { /* the last request */ });
    /// let drained = Handle::current().drain(Instant::now() + Duration::from_secs(10)).await;
    /// assert!(drained.is_complete(), "{drained}");
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub async fn drain(&self, deadline: Instant) -> Drained {
        let began = Instant::now();
        let scheduler = self.scheduler();
        drain::begin(scheduler);
        let deadline = scheduler.clock.nanos(deadline.into_std());
        // A task of a set is no task of the runtime: that is the one which polls the set.
        let awaited_by = current_id().into_iter().chain(LocalTasks::polled_by()).collect();
        let last = drain::watch_for_the_last(scheduler, awaited_by);
        let mut expiry = pin!(TimerDelay::until(deadline, scheduler));
        let is_complete = poll_fn(|cx| {
            if last.poll(cx.waker()).is_ready() {
                return Poll::Ready(true);
            }
            let is_late = deadline <= scheduler.clock.timer_now() || expiry.as_mut().poll(cx).is_ready();
            if is_late { Poll::Ready(false) } else { Poll::Pending }
        })
        .await;
        let (excepted, mut left) = (last.excepted(), Vec::new());
        drop(last);
        drain::for_each_left(scheduler, |task, is_blocking| {
            if !is_complete && !excepted.contains(&task.id) {
                left.push(LeftTask { id: task.id, name: task.name, spawned_at: task.spawned_at, is_blocking });
            }
        });
        Drained { left, waited: began.elapsed() }
    }
}

/// The result of draining a runtime, returned by [`Runtime::drain`] and [`Handle::drain`].
///
/// The `Display` output lists the locations that spawned the remaining tasks, with a few of them
/// each.
#[derive(Debug, Clone)]
#[non_exhaustive]
#[must_use = "tasks may be left"]
pub struct Drained {
    /// The tasks and blocking jobs that had not ended at the deadline, in no particular order.
    pub left: Vec<LeftTask>,
    /// How long the drain waited.
    pub waited: Duration,
}

impl Drained {
    /// Returns `true` if no task is left.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.left.is_empty()
    }
}

/// A task or blocking job that had not ended when the drain of its runtime ended.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LeftTask {
    /// The task's id.
    pub id: Id,
    /// The name set by [`task::Builder::name`](crate::task::Builder::name), if any.
    pub name: Option<Arc<str>>,
    /// The source location that spawned the task.
    pub spawned_at: &'static Location<'static>,
    /// True if this is a blocking job of [`spawn_blocking`](crate::task::spawn_blocking).
    pub is_blocking: bool,
}

impl fmt::Display for LeftTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.is_blocking { "blocking job" } else { "task" };
        write!(f, "{kind} {}", self.id)?;
        if let Some(name) = &self.name {
            write!(f, " \"{name}\"")?;
        }
        write!(f, ", spawned at {}", ShortLocation(self.spawned_at))
    }
}

/// How many tasks of one place are named.
const NAMED: usize = 3;

impl fmt::Display for Drained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let waited = self.waited.as_millis();
        if self.is_complete() {
            return write!(f, "every task has ended, within {waited} ms");
        }
        write!(f, "tasks left after {waited} ms: {}", self.left.len())?;
        for (site, tasks) in self.by_site() {
            write!(f, "\n  spawned at {site}: ")?;
            for (index, task) in tasks.iter().take(NAMED).enumerate() {
                let separator = if index == 0 { "" } else { ", " };
                match &task.name {
                    Some(name) => write!(f, "{separator}{} \"{name}\"", task.id)?,
                    None => write!(f, "{separator}{}", task.id)?,
                }
            }
            if tasks.len() > NAMED {
                write!(f, " and {} more", tasks.len() - NAMED)?;
            }
        }
        Ok(())
    }
}

impl Drained {
    /// Returns the tasks that are left by the place of their spawn, the most frequent place first.
    fn by_site(&self) -> Vec<(&'static Location<'static>, Vec<&LeftTask>)> {
        let mut sites = std::collections::BTreeMap::<_, Vec<_>>::new();
        for task in &self.left {
            sites.entry(task.spawned_at).or_default().push(task);
        }
        let mut sites: Vec<_> = sites.into_iter().collect();
        sites.sort_by_key(|(_, tasks)| std::cmp::Reverse(tasks.len()));
        sites
    }
}

impl Handle {
    /// Returns the token that is cancelled when the runtime's tasks should end.
    ///
    /// Both [`drain`](Self::drain) and the shutdown of the runtime cancel the token. All calls
    /// return clones of one token, which has no parent and may outlive the runtime. Cancel it to
    /// ask all tasks to end some time before the runtime is drained: this has no other effect, and
    /// the runtime keeps accepting new work. To end a part of the program, cancel a
    /// [child](CancellationToken::child_token) instead.
    ///
    /// # Not guaranteed
    ///
    /// A task may never see the token cancelled if the runtime shuts down without a drain, because
    /// the shutdown drops tasks where they wait. Code outside the runtime always sees it.
    ///
    /// # Examples
    ///
    /// A server that stops accepting connections once the runtime is drained:
    ///
    /// ```
    /// use std::time::Duration;
    /// use wsrt::net::TcpListener;
    /// use wsrt::runtime::Handle;
    /// use wsrt::time::Instant;
    ///
    /// async fn serve(listener: TcpListener) -> std::io::Result<()> {
    ///     let ending = Handle::current().shutdown_token();
    ///     while let Some(accepted) = ending.run_until_cancelled(listener.accept()).await {
    ///         let (_stream, _) = accepted?;
    ///         wsrt::spawn(async { /* the connection */ });
    ///     }
    ///     Ok(())
    /// }
    ///
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// let server = runtime.block_on(async {
    ///     let listener = TcpListener::bind("127.0.0.1:0").await?;
    ///     std::io::Result::Ok(wsrt::spawn(serve(listener)))
    /// })?;
    /// let drained = runtime.drain(Instant::now() + Duration::from_secs(10));
    /// assert!(drained.is_complete(), "{drained}");
    /// runtime.block_on(server)??;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn shutdown_token(&self) -> CancellationToken {
        self.scheduler().ending.clone()
    }
}

/// Returns `true` if `error` occurred because a runtime has shut down: the runtime of the socket
/// that was used, or the runtime that should have performed the operation.
///
/// # Examples
///
/// ```
/// use wsrt::net::TcpListener;
/// use wsrt::runtime::{Runtime, is_rt_shutdown_err};
///
/// let (ended, runtime) = (Runtime::new()?, Runtime::new()?);
/// let listener = ended.block_on(TcpListener::bind("127.0.0.1:0"))?;
/// drop(ended);
/// let error = runtime.block_on(listener.accept()).expect_err("no thread watches it");
/// assert!(is_rt_shutdown_err(&error));
/// # Ok::<(), std::io::Error>(())
/// ```
#[must_use]
pub fn is_rt_shutdown_err(error: &io::Error) -> bool {
    wsrt_reactor::is_rt_shutdown_err(error)
}
