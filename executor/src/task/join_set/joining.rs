//! Taking the results of tasks out of a `JoinSet`.

use std::future::poll_fn;
use std::panic::resume_unwind;
use std::task::{Context, Poll, ready};

use wsrt_reactor::budget;

use super::JoinSet;
use crate::task::{Id, JoinError};

/// A result, and whose it is.
type Joined<T> = (Id, Result<T, JoinError>);

impl<T> JoinSet<T> {
    /// Waits until a task in the set finishes, and returns its result. Returns `None` if the set is
    /// empty. The task is removed from the set.
    ///
    /// Results are returned roughly in the order in which the tasks finish. The order is
    /// unspecified for tasks that finish at the same time on different processors.
    ///
    /// # Errors
    ///
    /// The result is a [`JoinError`] if the task panicked or was cancelled.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: a result that was not returned stays in the set.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::task::JoinSet;
    ///
    /// # let runtime = wsrt::runtime::Runtime::new().unwrap();
    /// # runtime.block_on(async {
    /// let mut set = JoinSet::new();
    /// set.spawn(async { 7 });
    /// assert_eq!(set.join_next().await.unwrap().unwrap(), 7);
    /// assert!(set.join_next().await.is_none());
    /// # });
    /// ```
    pub async fn join_next(&mut self) -> Option<Result<T, JoinError>> {
        poll_fn(|cx| self.poll_join_next(cx)).await
    }

    /// Waits until a task in the set finishes, and returns its id and output, or `None` if the set
    /// is empty.
    ///
    /// This method waits like [`join_next`](Self::join_next), and returns the task's id as well. If
    /// the task has no output, [`JoinError::id`] returns the task's id.
    ///
    /// # Errors
    ///
    /// The result is a [`JoinError`] if the task panicked or was cancelled.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: a result that was not returned stays in the set.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::task::JoinSet;
    ///
    /// # let runtime = wsrt::runtime::Runtime::new().unwrap();
    /// # runtime.block_on(async {
    /// let mut set = JoinSet::new();
    /// let id = set.spawn(async { 7 }).id();
    /// assert_eq!(set.join_next_with_id().await.unwrap().unwrap(), (id, 7));
    /// # });
    /// ```
    pub async fn join_next_with_id(&mut self) -> Option<Result<(Id, T), JoinError>> {
        poll_fn(|cx| self.poll_join_next_with_id(cx)).await
    }

    /// Returns the result of a finished task, without waiting, or `None` if the set knows of none.
    ///
    /// A set learns that a task has finished a moment later. This method may return `None` although
    /// an [`AbortHandle`](crate::task::AbortHandle) reports that a task has finished.
    ///
    /// # Errors
    ///
    /// The result is a [`JoinError`] if the task panicked or was cancelled.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::task::JoinSet;
    ///
    /// # let runtime = wsrt::runtime::Runtime::new().unwrap();
    /// # runtime.block_on(async {
    /// let mut set = JoinSet::<()>::new();
    /// set.spawn(std::future::pending());
    /// assert!(set.try_join_next().is_none());
    /// # });
    /// ```
    pub fn try_join_next(&mut self) -> Option<Result<T, JoinError>> {
        self.take_joined().map(|(_, result)| result)
    }

    /// Returns the id and output of a finished task, without waiting, or `None` if the set knows of
    /// none.
    ///
    /// This method is like [`try_join_next`](Self::try_join_next), and returns the task's id too.
    ///
    /// # Errors
    ///
    /// The result is a [`JoinError`] if the task panicked or was cancelled.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut set = wsrt::task::JoinSet::new();
    /// let handle = set.spawn(async { 7 });
    /// let (id, value) = loop {
    ///     match set.try_join_next_with_id() {
    ///         Some(joined) => break joined?,
    ///         None => wsrt::task::yield_now().await,
    ///     }
    /// };
    /// assert_eq!((id, value), (handle.id(), 7));
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub fn try_join_next_with_id(&mut self) -> Option<Result<(Id, T), JoinError>> {
        self.take_joined().map(with_id)
    }

    /// Polls for the result of a finished task, as [`join_next`](Self::join_next) does. Returns
    /// `Poll::Pending` and arranges to wake the task of `cx` if no task has finished, and
    /// `Poll::Ready(None)` if the set is empty.
    ///
    /// Only the waker of the most recent call is woken, also for tasks that are spawned later.
    ///
    /// # Errors
    ///
    /// The result is a [`JoinError`] if the task panicked or was cancelled.
    pub fn poll_join_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T, JoinError>>> {
        self.poll_joined(cx).map(|joined| joined.map(|(_, result)| result))
    }

    /// Polls for the id and output of a finished task, as
    /// [`join_next_with_id`](Self::join_next_with_id) does. Returns `Poll::Pending` and arranges to
    /// wake the task of `cx` if no task has finished, and `Poll::Ready(None)` if the set is empty.
    ///
    /// Only the waker of the most recent call is woken, also for tasks that are spawned later.
    ///
    /// # Errors
    ///
    /// The result is a [`JoinError`] if the task panicked or was cancelled.
    pub fn poll_join_next_with_id(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<(Id, T), JoinError>>> {
        self.poll_joined(cx).map(|joined| joined.map(with_id))
    }

    /// Aborts all tasks in the set, and waits until they have ended. Their results are dropped.
    ///
    /// Jobs of [`spawn_blocking`](Self::spawn_blocking) that have begun are not interrupted:
    /// `shutdown` waits until they return.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before it completes, all tasks have been aborted, and tasks that
    /// have not ended are still in the set.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::Arc;
    /// use wsrt::task::JoinSet;
    ///
    /// # let runtime = wsrt::runtime::Runtime::new().unwrap();
    /// # runtime.block_on(async {
    /// let resource = Arc::new(());
    /// let mut set = JoinSet::new();
    /// for _ in 0..10 {
    ///     let held = Arc::clone(&resource);
    ///     set.spawn(async move {
    ///         std::future::pending::<()>().await;
    ///         drop(held);
    ///     });
    /// }
    /// set.shutdown().await;
    /// assert_eq!(Arc::strong_count(&resource), 1);
    /// # });
    /// ```
    pub async fn shutdown(&mut self) {
        self.abort_all();
        while self.join_next().await.is_some() {}
    }

    /// Waits for all tasks in the set, and returns their outputs in the order of completion.
    ///
    /// # Panics
    ///
    /// If a task panicked, this method panics with the same payload. Panics if a task was
    /// cancelled. The remaining tasks are then aborted.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before it completes, the outputs collected so far are lost, and the
    /// remaining tasks are aborted, because the future owns the set. To keep the outputs, call
    /// [`join_next`](Self::join_next) in a loop instead.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::task::JoinSet;
    ///
    /// # let runtime = wsrt::runtime::Runtime::new().unwrap();
    /// # runtime.block_on(async {
    /// let set: JoinSet<u32> = (0..4).map(|n| async move { n }).collect();
    /// let mut outputs = set.join_all().await;
    /// outputs.sort();
    /// assert_eq!(outputs, [0, 1, 2, 3]);
    /// # });
    /// ```
    pub async fn join_all(mut self) -> Vec<T> {
        let mut outputs = Vec::with_capacity(self.len());
        while let Some(result) = self.join_next().await {
            outputs.push(result.unwrap_or_else(|error| rethrow(error)));
        }
        outputs
    }

    fn poll_joined(&mut self, cx: &mut Context<'_>) -> Poll<Option<Joined<T>>> {
        budget::poll_spending(cx, |cx| self.poll_arrived(cx))
    }

    fn poll_arrived(&mut self, cx: &mut Context<'_>) -> Poll<Option<Joined<T>>> {
        loop {
            if let Some(joined) = self.take_arrived() {
                return Poll::Ready(Some(joined));
            }
            if self.is_empty() {
                return Poll::Ready(None);
            }
            ready!(self.arrivals.poll_take(cx, &mut self.arrived));
        }
    }

    fn take_joined(&mut self) -> Option<Joined<T>> {
        self.take_arrived().or_else(|| {
            self.arrivals.take(&mut self.arrived);
            self.take_arrived()
        })
    }

    /// A result that the set knows to be there, without a look at the list.
    fn take_arrived(&mut self) -> Option<Joined<T>> {
        while let Some(key) = self.arrived.pop_front() {
            let Some(child) = self.children.get_mut(key) else { continue };
            if let Poll::Ready(result) = child.poll() {
                let child = self.children.remove(key);
                return Some((child.handle.id(), result));
            }
        }
        None
    }
}

fn with_id<T>((id, result): Joined<T>) -> Result<(Id, T), JoinError> {
    result.map(|output| (id, output))
}

/// Continues with a task's panic; panics with the error's text if it was cancelled.
fn rethrow(error: JoinError) -> ! {
    match error.try_into_panic() {
        Ok(payload) => resume_unwind(payload),
        Err(error) => panic!("wsrt: `JoinSet::join_all`: {error}"),
    }
}
