//! The errors of mpsc channels.

use std::error::Error;
use std::fmt;

use crate::batch_semaphore::AcquireRefused;
use crate::drop_in::debug_variant;

/// The error returned when a value is sent on a closed channel. It contains the value.
#[derive(PartialEq, Eq, Clone, Copy)]
pub struct SendError<T>(pub T);

/// The error returned by the `try_send` and `try_reserve` methods. It contains the value that was
/// not sent.
#[derive(PartialEq, Eq, Clone, Copy)]
pub enum TrySendError<T> {
    /// The channel is full.
    Full(T),
    /// The channel has been closed, or all of its receivers have been dropped.
    Closed(T),
}

/// The error returned by the `try_recv` methods.
#[derive(PartialEq, Eq, Clone, Copy, Debug)]
pub enum TryRecvError {
    /// The channel is empty at the moment, but a value may still arrive.
    Empty,
    /// The channel is empty and will stay empty: all senders have been dropped, or the channel has
    /// been closed.
    Disconnected,
}

/// The error returned by [`Sender::send_timeout`](super::Sender::send_timeout). It contains the
/// value that was not sent.
#[derive(PartialEq, Eq, Clone, Copy)]
pub enum SendTimeoutError<T> {
    /// The channel was still full when the timeout elapsed.
    Timeout(T),
    /// The receiver has been dropped or has closed the channel.
    Closed(T),
}

impl<T> TrySendError<T> {
    pub(super) fn of(refused: AcquireRefused, value: T) -> Self {
        match refused {
            AcquireRefused::Closed => Self::Closed(value),
            AcquireRefused::TooFew => Self::Full(value),
        }
    }

    /// Consumes the error and returns the value that was not sent.
    pub fn into_inner(self) -> T {
        match self {
            Self::Full(value) | Self::Closed(value) => value,
        }
    }
}

impl<T> SendTimeoutError<T> {
    /// Consumes the error and returns the value that was not sent.
    pub fn into_inner(self) -> T {
        match self {
            Self::Timeout(value) | Self::Closed(value) => value,
        }
    }
}

impl<T> From<SendError<T>> for TrySendError<T> {
    fn from(error: SendError<T>) -> Self {
        Self::Closed(error.0)
    }
}

impl<T> fmt::Debug for SendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SendError").finish_non_exhaustive()
    }
}

impl<T> fmt::Display for SendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("channel closed")
    }
}

impl<T> Error for SendError<T> {}

impl<T> fmt::Debug for TrySendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Full(_) => "Full(..)",
            Self::Closed(_) => "Closed(..)",
        };
        debug_variant(f, name)
    }
}

impl<T> fmt::Display for TrySendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full(_) => "no available capacity",
            Self::Closed(_) => "channel closed",
        })
    }
}

impl<T> Error for TrySendError<T> {}

impl fmt::Display for TryRecvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "receiving on an empty channel",
            Self::Disconnected => "receiving on a closed channel",
        })
    }
}

impl Error for TryRecvError {}

impl<T> fmt::Debug for SendTimeoutError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Timeout(_) => "Timeout(..)",
            Self::Closed(_) => "Closed(..)",
        };
        debug_variant(f, name)
    }
}

impl<T> fmt::Display for SendTimeoutError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Timeout(_) => "timed out waiting on send operation",
            Self::Closed(_) => "channel closed",
        })
    }
}

impl<T> Error for SendTimeoutError<T> {}
