//! Draining: a shutdown that lets tasks finish.

use std::fmt;
use std::future::{Future, poll_fn};
use std::panic::Location;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use super::{Handle, Runtime};
use crate::local::tasks::LocalTasks;
use crate::runtime::services::TimerDelay;
use crate::scheduler::drain;
use crate::task::{Id, current_id};
use crate::time::Instant;

impl Runtime {
    /// Refuses new work, and blocks this thread until all tasks have ended, or until `deadline`.
    /// Returns the remaining tasks.
    ///
    /// It fires the runtime's [shutdown token](Handle::shutdown_token), and cancels no task: tasks
    /// that would not end by themselves have to watch that token, and loops that accept have to
    /// stop accepting. The tasks that are left end with the runtime: drop it, or call
    /// [`shutdown_background`](Self::shutdown_background).
    ///
    /// From the call on, forever:
    ///
    /// * A spawn from outside is refused: its handle returns cancelled. Outside are other threads,
    ///   other runtimes, and the futures given to `block_on`.
    /// * The tasks and blocking jobs of this runtime may still spawn, and the drain waits for the
    ///   tasks that they spawn too: they complete the work that they were given.
    ///
    /// Tasks of a [`LocalSet`](crate::task::LocalSet) are the set's, and are not waited for. On a
    /// current-thread runtime the tasks run in this call. Called inside a task, it does not wait
    /// for that one.
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
    /// Refuses new work, and waits until all tasks have ended, or until `deadline`. Returns the
    /// remaining tasks.
    ///
    /// Like [`Runtime::drain`], which lists the spawns that are refused, but for use inside a
    /// task: it does not wait for the task that awaits it, nor for tasks that await a drain of the
    /// runtime too: all of them continue once no other task is left.
    ///
    /// It may be awaited outside the runtime too. A current-thread runtime has to be in some
    /// `block_on` during the wait, or neither its tasks end nor its deadline comes. If the runtime
    /// is shut down, the wait is over, and the tasks that were left at that moment are returned.
    ///
    /// # Cancel safety
    ///
    /// The runtime takes no new work from the first poll on, and its shutdown token has fired, even
    /// after the future is dropped.
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

/// The result of draining a runtime: see [`Runtime::drain`].
///
/// Its `Display` names each place where tasks that are left were spawned, with the first few of
/// them.
#[derive(Debug, Clone)]
#[non_exhaustive]
#[must_use = "tasks may be left"]
pub struct Drained {
    /// The tasks that had not ended at the deadline, and the blocking jobs, in no order.
    pub left: Vec<LeftTask>,
    /// How long it took.
    pub waited: Duration,
}

impl Drained {
    /// Returns whether every task has ended.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.left.is_empty()
    }
}

/// A task that had not ended when its runtime was drained.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LeftTask {
    /// Its id.
    pub id: Id,
    /// Its name, if it was given one with [`task::Builder::name`](crate::task::Builder::name).
    pub name: Option<Arc<str>>,
    /// Where it was spawned.
    pub spawned_at: &'static Location<'static>,
    /// True if it is a job of [`spawn_blocking`](crate::task::spawn_blocking).
    pub is_blocking: bool,
}

impl fmt::Display for LeftTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.is_blocking { "blocking job" } else { "task" };
        write!(f, "{kind} {}", self.id)?;
        if let Some(name) = &self.name {
            write!(f, " \"{name}\"")?;
        }
        write!(f, ", spawned at {}", self.spawned_at)
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
