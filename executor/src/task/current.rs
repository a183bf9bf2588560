//! The task whose code runs here, as the code itself sees it.

use std::any::Any;
use std::fmt;

use crate::task::inherited::task_here;
use crate::task::{Id, KeptMeta, current_id};

/// The running task, as returned by [`current`].
///
/// This is a reference to the task, and may be kept: it keeps the memory of a task with a name or
/// data allocated.
pub struct CurrentTask {
    id: Id,
    /// `None` if there is nothing to be known but the id.
    task: Option<KeptMeta>,
}

impl CurrentTask {
    /// Returns the task's id.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let task = wsrt::spawn(async { wsrt::task::current().id() });
    /// assert_eq!(task.id(), task.await?);
    /// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn id(&self) -> Id {
        self.id
    }

    /// Returns the name set by [`task::Builder::name`](crate::task::Builder::name), if any.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::task::{Builder, current};
    ///
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let greeting = Builder::new().name("greeter").spawn(async {
    ///     current().name().map(|name| format!("hello from the {name}"))
    /// });
    /// assert_eq!(greeting.await?.as_deref(), Some("hello from the greeter"));
    /// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.task.as_ref()?.meta().name()
    }

    /// Returns the data that a hook of [`Builder::on_task_spawn`] has attached to the task with
    /// [`NewTask::set_data`]. Returns `None` if there are no data, or if they are not of type `T`.
    ///
    /// For values that the spawning code gives, use [task-locals](crate::task_local).
    ///
    /// [`Builder::on_task_spawn`]: crate::runtime::Builder::on_task_spawn
    /// [`NewTask::set_data`]: crate::task::NewTask::set_data
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Instant;
    ///
    /// let runtime = wsrt::runtime::Builder::new_multi_thread()
    ///     .on_task_spawn(|task| task.set_data(Instant::now()))
    ///     .build()?;
    /// runtime.run(async {
    ///     let spawned = *wsrt::task::current().data::<Instant>().expect("each task has it");
    ///     println!("this task is {:?} old", spawned.elapsed());
    /// });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub fn data<T: Any>(&self) -> Option<&T> {
        self.task.as_ref()?.meta().data()
    }
}

impl fmt::Debug for CurrentTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CurrentTask").field("id", &self.id).field("name", &self.name()).finish_non_exhaustive()
    }
}

/// Returns the task whose code calls this function: its id, name and data. A blocking job is a
/// task, too.
///
/// # Panics
///
/// Panics if called outside a task. The future passed to `block_on` is not a task. [`try_current`]
/// returns `None` instead of panicking.
///
/// # Examples
///
/// ```
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let task = wsrt::task::Builder::new().name("counter").spawn(async {
///     let task = wsrt::task::current();
///     println!("task {} is called {:?}", task.id(), task.name());
/// });
/// task.await?;
/// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[track_caller]
pub fn current() -> CurrentTask {
    try_current()
        .expect("wsrt: `task::current` was called outside a task; use `task::try_current` where there may be none")
}

/// Returns the task whose code calls this function, or `None` if called outside a task.
///
/// # Examples
///
/// ```
/// assert!(wsrt::task::try_current().is_none());
/// ```
pub fn try_current() -> Option<CurrentTask> {
    let id = current_id()?;
    // Not the task of a layer further out, if the code that runs here is in a future of `block_on`.
    let task = task_here().filter(|task| task.meta().id() == id);
    Some(CurrentTask { id, task })
}
