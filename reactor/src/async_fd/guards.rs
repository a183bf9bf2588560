//! Guards of a descriptor that was found ready, through which its readiness is cleared.

use super::{AsyncFd, TryIoError};
use crate::interest::Interest;
use crate::readiness::{Readiness, Seen};
use crate::ready::Ready;
use std::fmt;
use std::io;
use std::os::fd::AsRawFd;

/// The readiness word as the wait saw it, and the conditions of it that are not cleared yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noticed {
    seen: Seen,
    interest: Interest,
    ready: Ready,
}

impl Noticed {
    pub(super) fn new(seen: Seen, interest: Interest) -> Self {
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

/// Reports that a descriptor was found ready, and clears its readiness on request; made by
/// [`AsyncFd::readable`] and its like.
#[must_use = "the conditions count as ready until the guard clears them"]
pub struct AsyncFdReadyGuard<'a, T: AsRawFd> {
    pub(super) async_fd: &'a AsyncFd<T>,
    pub(super) noticed: Noticed,
}

/// Reports that a descriptor was found ready, and clears its readiness on request; made by
/// [`AsyncFd::readable_mut`] and its like, which borrow the descriptor exclusively.
#[must_use = "the conditions count as ready until the guard clears them"]
pub struct AsyncFdReadyMutGuard<'a, T: AsRawFd> {
    pub(super) async_fd: &'a mut AsyncFd<T>,
    pub(super) noticed: Noticed,
}

impl<'a, T: AsRawFd> AsyncFdReadyGuard<'a, T> {
    /// Returns the descriptor that was waited for.
    #[must_use]
    pub fn get_ref(&self) -> &'a AsyncFd<T> {
        self.async_fd
    }

    /// Returns the inner value of the descriptor that was waited for.
    #[must_use]
    pub fn get_inner(&self) -> &'a T {
        self.async_fd.get_ref()
    }
}

impl<T: AsRawFd> AsyncFdReadyMutGuard<'_, T> {
    /// Returns the descriptor that was waited for.
    #[must_use]
    pub fn get_ref(&self) -> &AsyncFd<T> {
        self.async_fd
    }

    /// Returns the descriptor that was waited for.
    #[must_use]
    pub fn get_mut(&mut self) -> &mut AsyncFd<T> {
        self.async_fd
    }

    /// Returns the inner value of the descriptor that was waited for.
    #[must_use]
    pub fn get_inner(&self) -> &T {
        self.async_fd.get_ref()
    }

    /// Returns the inner value of the descriptor that was waited for.
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
            /// Clears the readiness, so that the next wait is for an event. An event that came
            /// since the guard was made is not cleared with it.
            ///
            /// Call it if the OS has returned `WouldBlock`, and only then: bytes that are still
            /// there are not reported again. A closed side is not forgotten: the next wait reports
            /// it again.
            pub fn clear_ready(&mut self) {
                self.clear_ready_matching(self.ready());
            }

            /// Clears readiness like [`clear_ready`](Self::clear_ready), for some conditions only:
            /// for the one of two directions that turned out to be drained.
            pub fn clear_ready_matching(&mut self, ready: Ready) {
                self.noticed.clear(ready, self.async_fd.evented.readiness());
            }

            /// Keeps the readiness, which is also the default: the call makes that visible in the
            /// code.
            pub fn retain_ready(&mut self) {}

            /// Returns the conditions that were waited for and found, without those cleared since.
            #[must_use]
            pub fn ready(&self) -> Ready {
                self.noticed.ready
            }

            /// Runs `operation`, and clears readiness if it answers `WouldBlock`. So it must answer
            /// that only if the system did, which it never does on a closed side: that the side was
            /// closed is taken back as well.
            ///
            /// # Errors
            ///
            /// Returns [`TryIoError`] when `operation` answered `WouldBlock`; its other errors are
            /// within the `Ok`.
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
