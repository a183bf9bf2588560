//! What a waiter waits for ([`Interest`]) and what it is told ([`Ready`]).

use std::fmt;
use std::ops::BitOr;

/// Names the directions of a socket that somebody wants to use: reading, writing, or either of them.
///
/// # Examples
///
/// ```
/// use wsrt_reactor::Interest;
///
/// let either = Interest::READABLE | Interest::WRITABLE;
/// assert!(either.is_readable() && either.is_writable());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Interest(u8);

impl Interest {
    /// Reading: data, a connection to accept, the peer's end of stream, or an error to learn.
    pub const READABLE: Interest = Interest(0b01);
    /// Writing: room in the send buffer, a finished connect, or an error to learn.
    pub const WRITABLE: Interest = Interest(0b10);

    /// Neither direction: what a source is assumed to be ready for that must not be tried before an event.
    #[cfg(unix)]
    pub(crate) const NONE: Interest = Interest(0);

    /// Tells whether reading is among the directions.
    #[must_use]
    pub const fn is_readable(self) -> bool {
        self.0 & Self::READABLE.0 != 0
    }

    /// Tells whether writing is among the directions.
    #[must_use]
    pub const fn is_writable(self) -> bool {
        self.0 & Self::WRITABLE.0 != 0
    }

    pub(crate) const fn overlaps(self, other: Interest) -> bool {
        self.0 & other.0 != 0
    }

    /// The directions in a fixed order, as indices of two-element tables.
    pub(crate) fn indices(self) -> impl Iterator<Item = usize> {
        [Self::READABLE, Self::WRITABLE]
            .into_iter()
            .enumerate()
            .filter_map(move |(index, one)| self.overlaps(one).then_some(index))
    }
}

impl BitOr for Interest {
    type Output = Interest;

    fn bitor(self, other: Interest) -> Interest {
        Interest(self.0 | other.0)
    }
}

impl fmt::Debug for Interest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.is_readable(), self.is_writable()) {
            (true, true) => "READABLE | WRITABLE",
            (true, false) => "READABLE",
            (false, true) => "WRITABLE",
            (false, false) => "(nothing)",
        })
    }
}

/// Tells what a socket was ready for when it was looked at.
///
/// Readiness is a hint that can be out of date by the time it is read: an operation tried on the strength of it may
/// still answer `WouldBlock`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ready {
    pub(crate) readable: bool,
    pub(crate) writable: bool,
    pub(crate) read_closed: bool,
    pub(crate) write_closed: bool,
    pub(crate) error: bool,
}

impl Ready {
    /// Tells whether a read is worth trying; true as well when the read side is closed.
    #[must_use]
    pub fn is_readable(self) -> bool {
        self.readable || self.read_closed
    }

    /// Tells whether a write is worth trying; true as well when the write side is closed.
    #[must_use]
    pub fn is_writable(self) -> bool {
        self.writable || self.write_closed
    }

    /// Tells whether the peer has ended its side of the stream. False does not mean that it is open.
    #[must_use]
    pub fn is_read_closed(self) -> bool {
        self.read_closed
    }

    /// Tells whether nothing can be written any more. False does not mean that something can.
    #[must_use]
    pub fn is_write_closed(self) -> bool {
        self.write_closed
    }

    /// Tells whether the system reported an error condition; the next operation, or `take_error`, says which.
    #[must_use]
    pub fn is_error(self) -> bool {
        self.error
    }
}
