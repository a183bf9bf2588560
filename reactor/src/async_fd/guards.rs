//! Guards that represent the readiness of a file descriptor, and clear the readiness on request.

use super::{AsyncFd, TryIoError};
use crate::interest::Interest;
use crate::readiness::{Readiness, SeenReadiness};
use crate::ready::Ready;
use std::fmt;
use std::io;
use std::os::fd::AsRawFd;

/// The readiness word as the wait saw it, and the conditions of it that are not cleared yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noticed {
    seen: SeenReadiness,
    interest: Interest,
    ready: Ready,
}

impl Noticed {
    pub(super) fn new(seen: SeenReadiness, interest: Interest) -> Self {
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
    pub(super) async_fd: &'a AsyncFd<T>,
    pub(super) noticed: Noticed,
}

/// A guard that represents the readiness of an exclusively borrowed [`AsyncFd`], and clears the
/// readiness on request.
///
/// Returned by [`AsyncFd::readable_mut`], [`AsyncFd::writable_mut`] and [`AsyncFd::ready_mut`].
#[must_use = "the conditions count as ready until the guard clears them"]
pub struct AsyncFdReadyMutGuard<'a, T: AsRawFd> {
    pub(super) async_fd: &'a mut AsyncFd<T>,
    pub(super) noticed: Noticed,
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
