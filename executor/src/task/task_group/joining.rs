//! Waiting for the children of a `TaskGroup`.

use std::panic::resume_unwind;

use super::{Failure, TaskGroup};
use crate::task::JoinError;

impl<T, E> TaskGroup<T, E> {
    /// Waits until a child has ended, and returns its output, or `None` if the group is empty.
    ///
    /// Outputs are returned in the order in which the children end. If a child has failed, this
    /// method waits until all other children have ended, drops their outputs, and returns the first
    /// error. The group is then empty.
    ///
    /// # Panics
    ///
    /// If a child panicked, this method panics with the same payload, after the other children have
    /// ended. Panics if a child was cancelled by the shutdown of its runtime.
    ///
    /// # Errors
    ///
    /// Returns the error of the child that failed first.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: outputs and errors not yet returned stay in the group.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::task::TaskGroup;
    ///
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut group = TaskGroup::<u32, std::io::Error>::new();
    /// for n in 1..=4 {
    ///     group.spawn(async move { Ok(n) });
    /// }
    /// let mut sum = 0;
    /// while let Some(output) = group.next().await {
    ///     sum += output?;
    /// }
    /// assert_eq!(sum, 10);
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub async fn next(&mut self) -> Option<Result<T, E>> {
        let next = self.next_numbered().await?;
        Some(next.map(|(_, output)| output))
    }

    /// Waits for all children, and returns their outputs in the order of the spawns.
    ///
    /// # Panics
    ///
    /// If a child panicked, this method panics with the same payload, after the other children have
    /// ended. Panics if a child was cancelled by the shutdown of its runtime.
    ///
    /// # Errors
    ///
    /// Returns the error of the child that failed first, after the other children have ended.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before it completes, the outputs collected so far are lost, and the
    /// remaining children are aborted, because the future owns the group. Therefore a
    /// [`timeout`](crate::time::timeout) around this call cancels the whole group.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wsrt::task::TaskGroup;
    /// use wsrt::time::{sleep, timeout};
    ///
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut group = TaskGroup::<_, std::io::Error>::new();
    /// for n in [2_u64, 1] {
    ///     group.spawn(async move {
    ///         sleep(Duration::from_millis(n)).await;
    ///         Ok(n)
    ///     });
    /// }
    /// let outputs = timeout(Duration::from_secs(5), group.join_all()).await??;
    /// assert_eq!(outputs, [2, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn join_all(mut self) -> Result<Vec<T>, E> {
        let mut outputs = Vec::with_capacity(self.len());
        while let Some(next) = self.next_numbered().await {
            outputs.push(next?);
        }
        outputs.sort_unstable_by_key(|(number, _)| *number);
        Ok(outputs.into_iter().map(|(_, output)| output).collect())
    }

    /// Waits until the group has room for another child: fewer children run than the limit allows,
    /// and none wait in line. Returns immediately if the group has no limit.
    ///
    /// Outputs of children that have ended stay in the group until they are taken.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: it does not reserve the room.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::task::TaskGroup;
    ///
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut group = TaskGroup::<(), std::io::Error>::with_limit(8);
    /// for request in 0..100 {
    ///     group.room().await;
    ///     group.spawn(async move { Ok(drop(request)) });
    ///     while group.len() > 50 {
    ///         group.next().await.expect("it is not empty")?;
    ///     }
    /// }
    /// group.join_all().await?;
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub async fn room(&mut self) {
        drop(self.siblings.place().await);
    }

    /// Aborts all children, and waits until they have ended. Their results are dropped.
    ///
    /// # Cancel safety
    ///
    /// All children are aborted by the first poll, and end even if the future is then dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::task::TaskGroup;
    ///
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut group = TaskGroup::<(), ()>::new();
    /// group.spawn(std::future::pending());
    /// group.cancel().await;
    /// assert!(group.is_empty() && group.is_cancelled());
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub async fn cancel(&mut self) {
        self.siblings.cancel();
        self.children.shutdown().await;
        self.failure = Failure::none();
    }

    async fn next_numbered(&mut self) -> Option<Result<(usize, T), E>> {
        while let Some(joined) = self.children.join_next().await {
            match joined {
                Ok((number, Ok(output))) if !self.is_cancelled() => return Some(Ok((number, output))),
                // The others are on their way out.
                Ok((_, Ok(_))) => {}
                Ok((number, Err(error))) => {
                    if self.siblings.first_failure() == Some(number) {
                        self.failure.error = Some(error);
                    }
                }
                Err(error) => self.keep(error),
            }
        }
        self.failure.take().map(Err)
    }

    /// Records a panic, or a cancellation that the group did not ask for.
    fn keep(&mut self, error: JoinError) {
        if error.is_cancelled() && self.is_cancelled() {
            return;
        }
        self.siblings.cancel();
        self.failure.lost.get_or_insert(error);
    }
}

impl<E> Failure<E> {
    /// Takes the error, once all children are gone. A panic continues here.
    fn take(&mut self) -> Option<E> {
        let error = self.error.take();
        match self.lost.take().map(JoinError::try_into_panic) {
            None => error,
            Some(Ok(payload)) => resume_unwind(payload),
            Some(Err(lost)) => panic!("wsrt: a child of a `TaskGroup` was lost: {lost}"),
        }
    }
}
