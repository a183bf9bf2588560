//! Calls that block, made by the blocking pool while a task waits: what files, directories and the
//! standard streams rest on.

mod buffer;
mod writer;

use std::io;
use std::panic::{Location, resume_unwind};

use crate::task::spawn::with_scheduler;
use crate::task::{JoinError, JoinHandle};

pub(crate) use self::buffer::Buffer;
pub(crate) use self::writer::Writer;

/// The most that is handed to the pool at a time: larger reads and writes are short. Beyond it a
/// system call costs far more than the hand-over, so that more memory would buy nothing.
pub(crate) const MOST_AT_ONCE: usize = 2 * 1024 * 1024;

/// Makes `call` on a thread of the pool and waits for its answer. `caller` is who is named when
/// there is no runtime.
pub(crate) async fn offload<T, F>(caller: &str, call: F) -> io::Result<T>
where
    T: Send + 'static,
    F: FnOnce() -> io::Result<T> + Send + 'static,
{
    answer_of(begin(caller, call).await)?
}

/// Begins `call` on a thread of the pool; it is made only if the runtime is not shut down first.
pub(crate) fn begin<T, F>(caller: &str, call: F) -> JoinHandle<T>
where
    T: Send + 'static,
    F: FnOnce() -> T + Send + 'static,
{
    with_scheduler(caller, |scheduler| scheduler.spawn_blocking(call, Location::caller()))
}

/// Begins `call` on a thread of the pool. Once this is `Ok`, the call is made, even if the runtime
/// shuts down meanwhile.
pub(crate) fn promise<T, F>(caller: &str, call: F) -> io::Result<JoinHandle<T>>
where
    T: Send + 'static,
    F: FnOnce() -> T + Send + 'static,
{
    with_scheduler(caller, |scheduler| scheduler.spawn_promised(call, Location::caller())).ok_or_else(shut_down)
}

/// The answer of a call that was begun. A panic in it goes on here.
pub(crate) fn answer_of<T>(outcome: Result<T, JoinError>) -> io::Result<T> {
    outcome.map_err(|error| match error.try_into_panic() {
        Ok(payload) => resume_unwind(payload),
        Err(_cancelled) => shut_down(),
    })
}

fn shut_down() -> io::Error {
    io::Error::other("the wsrt runtime that was to make this call was shut down")
}
