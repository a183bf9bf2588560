//! The errors of broadcast channels.

use std::error::Error;
use std::fmt;

/// The error returned when a value is sent on a channel without receivers. It contains the value.
#[derive(Debug)]
pub struct SendError<T>(pub T);

/// The error returned by [`Receiver::recv`](super::Receiver::recv).
#[derive(Debug, PartialEq, Eq, Clone)]
pub enum RecvError {
    /// All senders have been dropped, and every value has been received.
    Closed,
    /// The receiver lagged behind, and lost the given number of values. The next call returns the
    /// oldest value that the channel still has.
    Lagged(u64),
}

/// The error returned by [`Receiver::try_recv`](super::Receiver::try_recv).
#[derive(Debug, PartialEq, Eq, Clone)]
pub enum TryRecvError {
    /// No new value has been sent, but a sender still exists.
    Empty,
    /// All senders have been dropped, and every value has been received.
    Closed,
    /// The receiver lagged behind, and lost the given number of values. The next call returns the
    /// oldest value that the channel still has.
    Lagged(u64),
}

impl<T> fmt::Display for SendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("channel closed")
    }
}

impl<T: fmt::Debug> Error for SendError<T> {}

impl fmt::Display for RecvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("channel closed"),
            Self::Lagged(count) => write!(f, "channel lagged by {count}"),
        }
    }
}

impl Error for RecvError {}

impl fmt::Display for TryRecvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("channel empty"),
            Self::Closed => f.write_str("channel closed"),
            Self::Lagged(count) => write!(f, "channel lagged by {count}"),
        }
    }
}

impl Error for TryRecvError {}
