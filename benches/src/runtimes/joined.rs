//! A join handle that gives the task's output itself, and makes a task that was lost a panic.

use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Wraps a handle whose output is a `Result`, as tokio's and wsrt's are, to be awaited as smol's
/// is.
#[derive(Debug)]
pub struct Joined<H>(
    /// The runtime's own handle.
    pub H,
);

impl<H, T, E> Future for Joined<H>
where
    H: Future<Output = Result<T, E>> + Unpin,
    E: Debug,
{
    type Output = T;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let handle = Pin::new(&mut self.get_mut().0);
        handle.poll(context).map(|outcome| outcome.expect("a task of the workload panicked or was cancelled"))
    }
}
