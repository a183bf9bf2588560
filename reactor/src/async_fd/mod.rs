//! Waiting for the readiness of any file descriptor that the OS can poll.
//!
//! Exported as `wsrt::io::unix`.

mod descriptor;
mod errors;

pub use self::errors::{AsyncFdTryNewError, TryIoError};

use self::descriptor::PolledDescriptor;
use crate::context;
use crate::evented::{Evented, Sharing};
use crate::interest::Interest;
use crate::readiness::{Readiness, SeenReadiness};
use crate::ready::Ready;
use crate::walk::Label;
use std::fmt;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::task::{Context, Poll, ready};
use wsrt_sync::drop_in::IS_ON;

/// Says whether any number of tasks may wait in the polls of one `AsyncFd`. In the drop-in the last
/// one is woken and no other: code written for tokio may count its wakes.
const POLLS: Sharing = if IS_ON { Sharing::Exclusive } else { Sharing::Shared };

/// Waits for the readiness of a file descriptor for which wsrt has no type of its own: a C
/// library's socket, a timerfd, or an inotify descriptor.
///
/// The descriptor must be in **non-blocking** mode; `AsyncFd` does not set this mode. The caller
/// performs the reads and writes: wait with [`readable`](AsyncFd::readable) or
/// [`writable`](AsyncFd::writable), then perform the operation inside
/// [`try_io`](AsyncFdReadyGuard::try_io) of the returned guard, which notices when the OS returns
/// `WouldBlock`. Alternatively, [`async_io`](AsyncFd::async_io) does both.
///
/// The OS reports each change only once, so the descriptor counts as ready until its readiness is
/// cleared. The guard clears the readiness on `WouldBlock`; if the operation never returns
/// `WouldBlock`, clear it with [`clear_ready`](AsyncFdReadyGuard::clear_ready). In contrast to
/// wsrt's sockets, the descriptor does not count as ready before the OS reports it.
///
/// Regular files cannot be polled and are rejected. Any number of tasks may wait in each direction,
/// through futures or poll methods. (tokio's poll methods keep only the last waker.)
///
/// Dropping an `AsyncFd` first deregisters the descriptor from the netpoller, and then drops the
/// inner value.
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
    evented: Evented<PolledDescriptor<T>>,
}

impl<T: AsRawFd> AsyncFd<T> {
    /// Registers the file descriptor of `inner` with the current runtime's netpoller, for both
    /// reading and writing.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the descriptor cannot be registered, because it cannot be polled, is
    /// already registered, or resources are exhausted; or an error if the runtime has been shut
    /// down. In each case `inner` is dropped; use [`try_new`](AsyncFd::try_new) to get it back.
    #[track_caller]
    pub fn new(inner: T) -> io::Result<AsyncFd<T>> {
        Self::with_interest(inner, Interest::READABLE | Interest::WRITABLE)
    }

    /// Registers the file descriptor of `inner` for the events in `interest` only. A wait for any
    /// other event never completes, except that errors are always reported.
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

    /// Registers the file descriptor of `inner` as [`new`](AsyncFd::new) does, and returns `inner`
    /// inside the error on failure.
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

    /// Registers the file descriptor of `inner` as [`with_interest`](AsyncFd::with_interest) does,
    /// and returns `inner` inside the error on failure.
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
        match Evented::watching(PolledDescriptor(inner), context.handle(), interest, Interest::NONE, label) {
            Ok(evented) => Ok(AsyncFd { evented }),
            Err((PolledDescriptor(inner), cause)) => Err(AsyncFdTryNewError { inner, cause }),
        }
    }

    /// Registers the file descriptor of `inner` as [`try_new`](AsyncFd::try_new) does. This name
    /// exists for programs written for tokio 1.54.
    ///
    /// # Safety
    ///
    /// The descriptor returned by `inner` must be open, and must stay open and unchanged until the
    /// returned `AsyncFd` is dropped.
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

    /// Registers the file descriptor of `inner` as
    /// [`try_with_interest`](AsyncFd::try_with_interest) does. This name exists for programs
    /// written for tokio 1.54.
    ///
    /// # Safety
    ///
    /// The descriptor returned by `inner` must be open, and must stay open and unchanged until the
    /// returned `AsyncFd` is dropped.
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

    /// Returns a shared reference to the inner value.
    #[must_use]
    pub fn get_ref(&self) -> &T {
        &self.evented.get_ref().0
    }

    /// Returns a mutable reference to the inner value. The inner value must keep its file
    /// descriptor: a replacement descriptor is not polled.
    #[must_use]
    pub fn get_mut(&mut self) -> &mut T {
        &mut self.evented.get_mut().0
    }

    /// Deregisters the descriptor from the netpoller, and returns the inner value.
    #[must_use]
    pub fn into_inner(self) -> T {
        self.evented.release().0
    }

    /// Waits until the descriptor is ready for at least one event in `interest`, and returns a
    /// guard that represents the readiness.
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

    /// Waits as [`ready`](AsyncFd::ready) does, and returns a guard with exclusive access to the
    /// inner value, for operations that require `&mut T`.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`ready`](AsyncFd::ready).
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe, as [`ready`](AsyncFd::ready) is.
    pub async fn ready_mut(&mut self, interest: Interest) -> io::Result<AsyncFdReadyMutGuard<'_, T>> {
        let noticed = Noticed::new(self.evented.seen(interest).await?, interest);
        Ok(AsyncFdReadyMutGuard { async_fd: self, noticed })
    }

    /// Waits until the descriptor is ready for reading, and returns a guard that represents the
    /// readiness.
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

    /// Waits as [`readable`](AsyncFd::readable) does, and returns a guard with exclusive access to
    /// the inner value, for operations that require `&mut T`.
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

    /// Waits until the descriptor is ready for writing, and returns a guard that represents the
    /// readiness.
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

    /// Waits as [`writable`](AsyncFd::writable) does, and returns a guard with exclusive access to
    /// the inner value, for operations that require `&mut T`.
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

    /// Polls for readiness to read, as [`readable`](AsyncFd::readable) does. If the descriptor is
    /// not ready, registers the current task to be woken. Any number of tasks may poll
    /// concurrently.
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime has been shut down.
    pub fn poll_read_ready<'a>(&'a self, cx: &mut Context<'_>) -> Poll<io::Result<AsyncFdReadyGuard<'a, T>>> {
        let noticed = ready!(self.poll_noticed(Interest::READABLE, cx))?;
        Poll::Ready(Ok(AsyncFdReadyGuard { async_fd: self, noticed }))
    }

    /// Polls for readiness to read, as [`readable_mut`](AsyncFd::readable_mut) does. If the
    /// descriptor is not ready, registers the current task to be woken.
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

    /// Polls for readiness to write, as [`writable`](AsyncFd::writable) does. If the descriptor is
    /// not ready, registers the current task to be woken. Any number of tasks may poll
    /// concurrently.
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime has been shut down.
    pub fn poll_write_ready<'a>(&'a self, cx: &mut Context<'_>) -> Poll<io::Result<AsyncFdReadyGuard<'a, T>>> {
        let noticed = ready!(self.poll_noticed(Interest::WRITABLE, cx))?;
        Poll::Ready(Ok(AsyncFdReadyGuard { async_fd: self, noticed }))
    }

    /// Polls for readiness to write, as [`writable_mut`](AsyncFd::writable_mut) does. If the
    /// descriptor is not ready, registers the current task to be woken.
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
        self.evented.poll_seen(POLLS, interest, cx).map_ok(|seen| Noticed::new(seen, interest))
    }

    /// Runs `operation` once if the descriptor is ready for `interest`. Otherwise, returns
    /// `WouldBlock` without running `operation`.
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

    /// Runs `operation` as [`try_io`](AsyncFd::try_io) does, with exclusive access to the inner
    /// value.
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

    /// Runs `operation` whenever the descriptor is ready for `interest`, until `operation` returns
    /// something other than `WouldBlock`, and returns that result.
    ///
    /// As with [`try_io`](AsyncFd::try_io), `operation` must return `WouldBlock` only if a system
    /// call on the descriptor did.
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

    /// Runs `operation` as [`async_io`](AsyncFd::async_io) does, with exclusive access to the inner
    /// value.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`async_io`](AsyncFd::async_io).
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe, as [`async_io`](AsyncFd::async_io) is.
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

// The guards.

/// The readiness word as the wait saw it, and the conditions of it that are not cleared yet.
#[derive(Clone, Copy, Debug)]
struct Noticed {
    seen: SeenReadiness,
    interest: Interest,
    ready: Ready,
}

impl Noticed {
    fn new(seen: SeenReadiness, interest: Interest) -> Self {
        Self { seen, interest, ready: seen.ready() & Ready::concerning(interest) }
    }

    /// Clears on the word of the guard's holder. The holder may have concluded it from a short
    /// read, which proves nothing about the end behind the data: a closed side stays closed.
    fn clear(&mut self, ready: Ready, readiness: &Readiness) {
        readiness.clear_ready(self.seen, (ready & self.ready) - Ready::CLOSED);
        self.ready = self.ready - ready;
    }

    /// Clears because the OS returned `WouldBlock`.
    fn clear_would_block(&mut self, readiness: &Readiness) {
        readiness.clear_would_block(self.seen, self.interest);
        self.ready = Ready::EMPTY;
    }
}

/// A guard that represents the readiness of an [`AsyncFd`], and clears the readiness on request.
///
/// Returned by [`AsyncFd::readable`], [`AsyncFd::writable`] and [`AsyncFd::ready`]. Perform the
/// operation through [`try_io`](Self::try_io), or call [`clear_ready`](Self::clear_ready) after the
/// OS has returned `WouldBlock`.
#[must_use = "the conditions count as ready until the guard clears them"]
pub struct AsyncFdReadyGuard<'a, T: AsRawFd> {
    async_fd: &'a AsyncFd<T>,
    noticed: Noticed,
}

/// A guard that represents the readiness of an exclusively borrowed [`AsyncFd`], and clears the
/// readiness on request.
///
/// Returned by [`AsyncFd::readable_mut`], [`AsyncFd::writable_mut`] and [`AsyncFd::ready_mut`].
#[must_use = "the conditions count as ready until the guard clears them"]
pub struct AsyncFdReadyMutGuard<'a, T: AsRawFd> {
    async_fd: &'a mut AsyncFd<T>,
    noticed: Noticed,
}

impl<'a, T: AsRawFd> AsyncFdReadyGuard<'a, T> {
    /// Returns a reference to the [`AsyncFd`] that is ready.
    #[must_use]
    pub fn get_ref(&self) -> &'a AsyncFd<T> {
        self.async_fd
    }

    /// Returns a reference to the inner value of the [`AsyncFd`].
    #[must_use]
    pub fn get_inner(&self) -> &'a T {
        self.async_fd.get_ref()
    }
}

impl<T: AsRawFd> AsyncFdReadyMutGuard<'_, T> {
    /// Returns a reference to the [`AsyncFd`] that is ready.
    #[must_use]
    pub fn get_ref(&self) -> &AsyncFd<T> {
        self.async_fd
    }

    /// Returns a reference to the [`AsyncFd`] that is ready.
    #[must_use]
    pub fn get_mut(&mut self) -> &mut AsyncFd<T> {
        self.async_fd
    }

    /// Returns a reference to the inner value of the [`AsyncFd`].
    #[must_use]
    pub fn get_inner(&self) -> &T {
        self.async_fd.get_ref()
    }

    /// Returns a reference to the inner value of the [`AsyncFd`].
    #[must_use]
    pub fn get_inner_mut(&mut self) -> &mut T {
        self.async_fd.get_mut()
    }
}

/// The methods of both guards, which differ in whether they lend the inner value exclusively. A
/// macro, because each names its own private fields.
macro_rules! guard_methods {
    ($guard:ident, $argument:ty) => {
        impl<'a, T: AsRawFd> $guard<'a, T> {
            /// Clears the readiness, so that the next wait lasts until a new event arrives. An
            /// event that has arrived since this guard was created is not cleared.
            ///
            /// Call this method only after the OS has returned `WouldBlock`. If data is still
            /// available, it is not reported again, and a task may wait for it forever. A closed
            /// side is not forgotten: the next wait reports the closed side again.
            pub fn clear_ready(&mut self) {
                self.clear_ready_matching(self.ready());
            }

            /// Clears the readiness for the conditions in `ready` only, for example if just one of
            /// two directions turned out not to be ready. Otherwise behaves like
            /// [`clear_ready`](Self::clear_ready).
            pub fn clear_ready_matching(&mut self, ready: Ready) {
                self.noticed.clear(ready, self.async_fd.evented.readiness());
            }

            /// Keeps the readiness. The guard does so by default; a call only makes this visible in
            /// the code.
            pub fn retain_ready(&mut self) {}

            /// Returns the conditions that the wait found, without the conditions that have been
            /// cleared since.
            #[must_use]
            pub fn ready(&self) -> Ready {
                self.noticed.ready
            }

            /// Runs `operation`, and clears the readiness if `operation` returns `WouldBlock`.
            ///
            /// `operation` must return `WouldBlock` only if a system call on the descriptor did. On
            /// a closed side the OS never returns `WouldBlock`, so in that case the closed
            /// condition is cleared as well.
            ///
            /// # Errors
            ///
            /// Returns [`TryIoError`] if `operation` returned `WouldBlock`. Any other error of
            /// `operation` is returned inside `Ok`.
            pub fn try_io<R>(
                &mut self,
                operation: impl FnOnce($argument) -> io::Result<R>,
            ) -> Result<io::Result<R>, TryIoError> {
                match operation(self.async_fd) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        self.noticed.clear_would_block(self.async_fd.evented.readiness());
                        Err(TryIoError(()))
                    }
                    outcome => Ok(outcome),
                }
            }
        }

        impl<T: AsRawFd + fmt::Debug> fmt::Debug for $guard<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($guard))
                    .field("async_fd", &self.async_fd)
                    .field("ready", &self.ready())
                    .finish()
            }
        }
    };
}

guard_methods!(AsyncFdReadyGuard, &AsyncFd<T>);
guard_methods!(AsyncFdReadyMutGuard, &mut AsyncFd<T>);
