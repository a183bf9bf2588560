//! Runs blocking calls on the pool while a task waits, the base of files, directories and the
//! standard streams.

use std::future::Future;
use std::panic::{Location, resume_unwind};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::{io, mem};

use wsrt_sync::drop_in;

use crate::blocking::jobs;
use crate::task::spawn::with_scheduler;
use crate::task::{JoinError, JoinHandle};

/// Runs `call` on a thread of the pool and waits for its result. Outside a runtime, panics with a
/// message that names `caller`.
pub(crate) async fn offload<T, F>(caller: &str, call: F) -> io::Result<T>
where
    T: Send + 'static,
    F: FnOnce() -> io::Result<T> + Send + 'static,
{
    result_of(begin(caller, call).await)?
}

/// Starts `call` on a thread of the pool. The call runs only if the runtime does not shut down
/// first.
pub(crate) fn begin<T, F>(caller: &str, call: F) -> JoinHandle<T>
where
    T: Send + 'static,
    F: FnOnce() -> T + Send + 'static,
{
    with_scheduler(caller, |scheduler| jobs::spawn_blocking(scheduler, call, Location::caller()))
}

/// Starts `call` on a thread of the pool. If this function returns `Ok`, the call runs even if the
/// runtime shuts down first.
pub(crate) fn promise<T, F>(caller: &str, call: F) -> io::Result<JoinHandle<T>>
where
    T: Send + 'static,
    F: FnOnce() -> T + Send + 'static,
{
    with_scheduler(caller, |scheduler| jobs::spawn_promised(scheduler, call, Location::caller())).ok_or_else(shut_down)
}

/// Returns the result of a started call, and resumes the call's panic if there was one.
fn result_of<T>(outcome: Result<T, JoinError>) -> io::Result<T> {
    outcome.map_err(|error| match error.try_into_panic() {
        Ok(payload) => resume_unwind(payload),
        Err(_cancelled) if drop_in::IS_ON => io::Error::other(drop_in::CALL_LOST),
        Err(_cancelled) => shut_down(),
    })
}

fn shut_down() -> io::Error {
    wsrt_reactor::rt_shutdown_err("the wsrt runtime that was to make this call was shut down")
}

/// A value that pool jobs use one after the other, such as a buffer. The value is either here, or
/// lent to the job in progress, which returns it together with an outcome.
#[derive(Debug)]
pub(crate) enum Lent<T, O> {
    Here(T),
    WithJob(JoinHandle<(T, O)>),
}

impl<T: Default, O> Lent<T, O> {
    /// Waits for the job in progress, if any, and returns its outcome, after which the value is
    /// here. The value is a new one if the job was cancelled or has panicked.
    pub(crate) fn poll_outcome(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Option<O>>> {
        let Self::WithJob(job) = self else { return Poll::Ready(Ok(None)) };
        let ended = ready!(Pin::new(job).poll(cx));
        *self = Self::Here(T::default());
        let (value, outcome) = result_of(ended)?;
        *self = Self::Here(value);
        Poll::Ready(Ok(Some(outcome)))
    }

    /// Takes the value, which must be here: no job may be in progress.
    pub(crate) fn take(&mut self) -> T {
        match mem::replace(self, Self::Here(T::default())) {
            Self::Here(value) => value,
            Self::WithJob(_) => unreachable!("the job in progress was waited for"),
        }
    }
}
