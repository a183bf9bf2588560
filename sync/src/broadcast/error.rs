//! The errors of broadcast channels.

use std::error::Error;
use std::fmt;

/// There is no receiver. The value comes back.
#[derive(Debug)]
pub struct SendError<T>(pub T);

/// The reasons for which [`Receiver::recv`](super::Receiver::recv) fails.
#[derive(Debug, PartialEq, Eq, Clone)]
pub enum RecvError {
    /// All senders are gone, and everything that was sent was received.
    Closed,
    /// So many values were lost, since the receiver was slow.
    Lagged(u64),
}

/// The reasons for which [`Receiver::try_recv`](super::Receiver::try_recv) fails.
#[derive(Debug, PartialEq, Eq, Clone)]
pub enum TryRecvError {
    /// Nothing new was sent.
    Empty,
    /// All senders are gone, and everything that was sent was received.
    Closed,
    /// So many values were lost, since the receiver was slow.
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
