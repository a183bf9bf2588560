//! Waiting for any file descriptor that the system can poll.
//!
//! Users meet it as `wsrt::io::unix`.

mod descriptor;
mod errors;
mod guards;

pub use self::errors::{AsyncFdTryNewError, TryIoError};
pub use self::guards::{AsyncFdReadyGuard, AsyncFdReadyMutGuard};

use self::descriptor::Descriptor;
use self::guards::Noticed;
use crate::context;
use crate::drop_in::ASYNC_FD_POLLS;
use crate::evented::Evented;
use crate::interest::Interest;
use crate::walk::Label;
use std::fmt;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::task::{Context, Poll, ready};

/// Waits for a file descriptor that wsrt has no type for: a C library's socket, a timerfd, inotify.
///
/// The descriptor must be **non-blocking**: `AsyncFd` does not make it so. Reading and writing
/// remain the caller's: wait with [`readable`](AsyncFd::readable) or
/// [`writable`](AsyncFd::writable), then try, inside [`try_io`](AsyncFdReadyGuard::try_io) of the
/// guard, which notes when the OS returns `WouldBlock`. Or leave both to
/// [`async_io`](AsyncFd::async_io).
///
/// The OS reports a change once. So readiness counts as present until it is cleared, which the
/// guard does on `WouldBlock`; where that is never returned,
/// [`clear_ready`](AsyncFdReadyGuard::clear_ready) does it by hand. Unlike wsrt's own sockets it
/// does not count as ready before the OS reports it.
///
/// Regular files cannot be polled, and are refused. Any number of tasks may wait in each direction,
/// in futures and in polls. (tokio's poll methods keep the last waker only.)
///
/// Dropping it takes the descriptor out of the poll first and drops the inner value then.
///
/// # Examples
///
/// ```
/// use std::io::{self, Read, Write};
/// use std::os::unix::net::UnixStream;
/// # mod wsrt { pub mod io { pub mod unix { pub use wsrt_reactor::async_fd::AsyncFd; } } }
/// use wsrt::io::unix::AsyncFd;
///
/// /// Reads once the socket is readable.
/// async fn read_some(socket: &AsyncFd<UnixStream>, buf: &mut [u8]) -> io::Result<usize> {
///     loop {
///         let mut guard = socket.readable().await?;
///         match guard.try_io(|socket| socket.get_ref().read(buf)) {
///             Ok(outcome) => return outcome,
///             Err(_would_block) => continue,
///         }
///     }
/// }
///
/// # wsrt_reactor_testing::run(async {
/// let (near, mut far) = UnixStream::pair()?;
/// near.set_nonblocking(true)?;
/// let near = AsyncFd::new(near)?;
/// far.write_all(b"hello")?;
/// let mut buf = [0; 16];
/// assert_eq!(read_some(&near, &mut buf).await?, 5);
/// # io::Result::Ok(()) }).unwrap();
/// ```
pub struct AsyncFd<T: AsRawFd> {
    evented: Evented<Descriptor<T>>,
}

impl<T: AsRawFd> AsyncFd<T> {
    /// Registers `inner` with the current runtime's netpoller, for both directions.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the OS error when the system refuses it (it cannot be polled, is registered already,
    /// or resources are short), or an error if the runtime has been shut down. `inner` is dropped
    /// then; [`try_new`](AsyncFd::try_new) returns it.
    #[track_caller]
    pub fn new(inner: T) -> io::Result<AsyncFd<T>> {
        Self::with_interest(inner, Interest::READABLE | Interest::WRITABLE)
    }

    /// Registers `inner` for some events. A wait for an event that is left out never ends, but for
    /// errors, which are reported always.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`new`](AsyncFd::new).
    #[track_caller]
    pub fn with_interest(inner: T, interest: Interest) -> io::Result<AsyncFd<T>> {
        Self::try_with_interest(inner, interest).map_err(io::Error::from)
    }

    /// Registers `inner` like [`new`](AsyncFd::new), and gives it back on an error.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`new`](AsyncFd::new).
    #[track_caller]
    pub fn try_new(inner: T) -> Result<AsyncFd<T>, AsyncFdTryNewError<T>> {
        Self::try_with_interest(inner, Interest::READABLE | Interest::WRITABLE)
    }

    /// Registers `inner` like [`with_interest`](AsyncFd::with_interest), and gives it back on an
    /// error.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`new`](AsyncFd::new).
    #[track_caller]
    pub fn try_with_interest(inner: T, interest: Interest) -> Result<AsyncFd<T>, AsyncFdTryNewError<T>> {
        let context = context::required("AsyncFd::new");
        let label = Label::of_foreign("AsyncFd", inner.as_raw_fd());
        match Evented::watching(Descriptor(inner), context.handle(), interest, Interest::NONE, label) {
            Ok(evented) => Ok(AsyncFd { evented }),
            Err((Descriptor(inner), cause)) => Err(AsyncFdTryNewError { inner, cause }),
        }
    }

    /// Registers `inner` as [`try_new`](AsyncFd::try_new) does, under the name that programs for
    /// tokio 1.54 use.
    ///
    /// # Safety
    ///
    /// The descriptor is open, and stays the one of `inner` until this is dropped.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`new`](AsyncFd::new).
    #[track_caller]
    pub unsafe fn register(inner: T) -> Result<AsyncFd<T>, AsyncFdTryNewError<T>> {
        Self::try_new(inner)
    }

    /// Registers `inner` as [`try_with_interest`](AsyncFd::try_with_interest) does, under the name
    /// that programs written for tokio 1.54 use.
    ///
    /// # Safety
    ///
    /// The descriptor is open, and stays the one of `inner` until this is dropped.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`new`](AsyncFd::new).
    #[track_caller]
    pub unsafe fn register_with_interest(inner: T, interest: Interest) -> Result<AsyncFd<T>, AsyncFdTryNewError<T>> {
        Self::try_with_interest(inner, interest)
    }

    /// Returns the inner value.
    #[must_use]
    pub fn get_ref(&self) -> &T {
        &self.evented.get_ref().0
    }

    /// Returns the inner value. It must keep its descriptor: one put in its place is not polled.
    #[must_use]
    pub fn get_mut(&mut self) -> &mut T {
        &mut self.evented.get_mut().0
    }

    /// Takes the descriptor out of the poll and returns the inner value.
    #[must_use]
    pub fn into_inner(self) -> T {
        self.evented.release().0
    }

    /// Waits until one of the directions in `interest` is ready.
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime has been shut down.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before completion, no readiness event is lost.
    pub async fn ready(&self, interest: Interest) -> io::Result<AsyncFdReadyGuard<'_, T>> {
        let noticed = Noticed::new(self.evented.seen(interest).await?, interest);
        Ok(AsyncFdReadyGuard { async_fd: self, noticed })
    }

    /// Waits like [`ready`](AsyncFd::ready), for operations that need the inner value exclusively.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`ready`](AsyncFd::ready).
    ///
    /// # Cancel safety
    ///
    /// It is cancel safe in the way of [`ready`](AsyncFd::ready).
    pub async fn ready_mut(&mut self, interest: Interest) -> io::Result<AsyncFdReadyMutGuard<'_, T>> {
        let noticed = Noticed::new(self.evented.seen(interest).await?, interest);
        Ok(AsyncFdReadyMutGuard { async_fd: self, noticed })
    }

    /// Waits until it is readable.
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime has been shut down.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before completion, no readiness event is lost.
    pub async fn readable(&self) -> io::Result<AsyncFdReadyGuard<'_, T>> {
        self.ready(Interest::READABLE).await
    }

    /// Waits like [`readable`](AsyncFd::readable), for operations that need the inner value
    /// exclusively.
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime has been shut down.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before completion, no readiness event is lost.
    pub async fn readable_mut(&mut self) -> io::Result<AsyncFdReadyMutGuard<'_, T>> {
        self.ready_mut(Interest::READABLE).await
    }

    /// Waits until it is writable.
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime has been shut down.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before completion, no readiness event is lost.
    pub async fn writable(&self) -> io::Result<AsyncFdReadyGuard<'_, T>> {
        self.ready(Interest::WRITABLE).await
    }

    /// Waits like [`writable`](AsyncFd::writable), for operations that need the inner value
    /// exclusively.
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime has been shut down.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before completion, no readiness event is lost.
    pub async fn writable_mut(&mut self) -> io::Result<AsyncFdReadyMutGuard<'_, T>> {
        self.ready_mut(Interest::WRITABLE).await
    }

    /// Polls [`readable`](AsyncFd::readable). Any number of tasks may poll concurrently.
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime has been shut down.
    pub fn poll_read_ready<'a>(&'a self, cx: &mut Context<'_>) -> Poll<io::Result<AsyncFdReadyGuard<'a, T>>> {
        let noticed = ready!(self.poll_noticed(Interest::READABLE, cx))?;
        Poll::Ready(Ok(AsyncFdReadyGuard { async_fd: self, noticed }))
    }

    /// Polls [`readable_mut`](AsyncFd::readable_mut).
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime has been shut down.
    pub fn poll_read_ready_mut<'a>(
        &'a mut self,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<AsyncFdReadyMutGuard<'a, T>>> {
        let noticed = ready!(self.poll_noticed(Interest::READABLE, cx))?;
        Poll::Ready(Ok(AsyncFdReadyMutGuard { async_fd: self, noticed }))
    }

    /// Polls [`writable`](AsyncFd::writable). Any number of tasks may poll concurrently.
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime has been shut down.
    pub fn poll_write_ready<'a>(&'a self, cx: &mut Context<'_>) -> Poll<io::Result<AsyncFdReadyGuard<'a, T>>> {
        let noticed = ready!(self.poll_noticed(Interest::WRITABLE, cx))?;
        Poll::Ready(Ok(AsyncFdReadyGuard { async_fd: self, noticed }))
    }

    /// Polls [`writable_mut`](AsyncFd::writable_mut).
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime has been shut down.
    pub fn poll_write_ready_mut<'a>(
        &'a mut self,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<AsyncFdReadyMutGuard<'a, T>>> {
        let noticed = ready!(self.poll_noticed(Interest::WRITABLE, cx))?;
        Poll::Ready(Ok(AsyncFdReadyMutGuard { async_fd: self, noticed }))
    }

    fn poll_noticed(&self, interest: Interest, cx: &mut Context<'_>) -> Poll<io::Result<Noticed>> {
        self.evented.poll_seen(ASYNC_FD_POLLS, interest, cx).map_ok(|seen| Noticed::new(seen, interest))
    }

    /// Runs `operation` once if it is ready; `WouldBlock` otherwise, without running it.
    ///
    /// If `operation` returns `WouldBlock`, the directions in `interest` count as not ready until
    /// the next event. `operation` must therefore return `WouldBlock` only if a system call on the
    /// descriptor did; otherwise a task may wait for an event that never comes.
    ///
    /// # Errors
    ///
    /// Returns the error of `operation`, `WouldBlock` if it was not run, or an error if the runtime
    /// has been shut down.
    pub fn try_io<R>(&self, interest: Interest, operation: impl FnOnce(&T) -> io::Result<R>) -> io::Result<R> {
        self.evented.try_io(interest, |descriptor| operation(&descriptor.0))
    }

    /// Runs `operation` like [`try_io`](AsyncFd::try_io), for an operation that needs the inner
    /// value exclusively.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`try_io`](AsyncFd::try_io).
    pub fn try_io_mut<R>(
        &mut self,
        interest: Interest,
        operation: impl FnOnce(&mut T) -> io::Result<R>,
    ) -> io::Result<R> {
        let noticed = Noticed::new(self.evented.try_seen(interest)?, interest);
        let outcome = AsyncFdReadyMutGuard { async_fd: self, noticed }.try_io(|this| operation(this.get_mut()));
        outcome.unwrap_or_else(|would_block| Err(would_block.into()))
    }

    /// Runs `operation` until it answers anything but `WouldBlock`, waiting in between.
    ///
    /// `operation` has to follow the rules of [`try_io`](AsyncFd::try_io).
    ///
    /// # Errors
    ///
    /// Returns the error of `operation`, or an error if the runtime has been shut down.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before completion, `operation` has not succeeded, so no data is
    /// lost.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::io::{self, Read, Write};
    /// use std::os::unix::net::UnixStream;
    /// # use wsrt_reactor::Interest;
    /// # use wsrt_reactor::async_fd::AsyncFd;
    ///
    /// # wsrt_reactor_testing::run(async {
    /// let (near, mut far) = UnixStream::pair()?;
    /// near.set_nonblocking(true)?;
    /// let near = AsyncFd::new(near)?;
    /// far.write_all(b"hello")?;
    /// let mut buf = [0; 16];
    /// let count = near.async_io(Interest::READABLE, |mut socket| socket.read(&mut buf)).await?;
    /// assert_eq!(&buf[..count], b"hello");
    /// # io::Result::Ok(()) }).unwrap();
    /// ```
    pub async fn async_io<R>(
        &self,
        interest: Interest,
        mut operation: impl FnMut(&T) -> io::Result<R>,
    ) -> io::Result<R> {
        self.evented.io(interest, |descriptor| operation(&descriptor.0)).await
    }

    /// Runs `operation` like [`async_io`](AsyncFd::async_io), for an operation that needs the inner
    /// value exclusively.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`async_io`](AsyncFd::async_io).
    ///
    /// # Cancel safety
    ///
    /// It is cancel safe in the way of [`async_io`](AsyncFd::async_io).
    pub async fn async_io_mut<R>(
        &mut self,
        interest: Interest,
        mut operation: impl FnMut(&mut T) -> io::Result<R>,
    ) -> io::Result<R> {
        loop {
            let mut guard = self.ready_mut(interest).await?;
            if let Ok(outcome) = guard.try_io(|this| operation(this.get_mut())) {
                return outcome;
            }
        }
    }
}

impl<T: AsRawFd> AsRawFd for AsyncFd<T> {
    fn as_raw_fd(&self) -> RawFd {
        self.get_ref().as_raw_fd()
    }
}

impl<T: AsRawFd + AsFd> AsFd for AsyncFd<T> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.get_ref().as_fd()
    }
}

impl<T: AsRawFd + fmt::Debug> fmt::Debug for AsyncFd<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsyncFd").field("inner", self.get_ref()).finish_non_exhaustive()
    }
}
