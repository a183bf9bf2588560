//! The errors of broadcast channels.

use std::error::Error;
use std::fmt;

/// The error of sending without a receiver. It contains the value.
#[derive(Debug)]
pub struct SendError<T>(pub T);

/// The error of [`Receiver::recv`](super::Receiver::recv).
#[derive(Debug, PartialEq, Eq, Clone)]
pub enum RecvError {
    /// All senders are gone, and everything that was sent was received.
    Closed,
    /// The receiver was slow, and this many values were lost.
    Lagged(u64),
}

/// The error of [`Receiver::try_recv`](super::Receiver::try_recv).
#[derive(Debug, PartialEq, Eq, Clone)]
pub enum TryRecvError {
    /// Nothing new was sent.
    Empty,
    /// All senders are gone, and everything that was sent was received.
    Closed,
    /// The receiver was slow, and this many values were lost.
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
