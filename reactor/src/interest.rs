//! The directions that a waiter waits for.

use std::fmt;
use std::ops::BitOr;

/// Names the directions of a socket that a caller wants to use: reading, writing, or either of
/// them.
///
/// # Examples
///
/// ```
/// # use wsrt_reactor::Interest;
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

    /// Neither direction: of a source that must not be tried before an event.
    #[cfg(unix)]
    pub(crate) const NONE: Interest = Interest(0);

    /// Returns whether reading is among the directions.
    #[must_use]
    pub const fn is_readable(self) -> bool {
        self.0 & Self::READABLE.0 != 0
    }

    /// Returns whether writing is among the directions.
    #[must_use]
    pub const fn is_writable(self) -> bool {
        self.0 & Self::WRITABLE.0 != 0
    }

    /// Returns the directions of both. Equivalent to `|`, and usable in constants.
    #[must_use]
    pub const fn add(self, other: Interest) -> Interest {
        Interest(self.0 | other.0)
    }

    /// Returns the directions that are not among `other`'s, if any is left.
    #[must_use]
    pub fn remove(self, other: Interest) -> Option<Interest> {
        let left = self.0 & !other.0;
        (left != 0).then_some(Interest(left))
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

impl From<Interest> for mio::Interest {
    /// mio has no empty interest: reading stands for it. A reader has to know of urgent data, which
    /// cuts reads short.
    fn from(interest: Interest) -> mio::Interest {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        const READING: mio::Interest = mio::Interest::READABLE.add(mio::Interest::PRIORITY);
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        const READING: mio::Interest = mio::Interest::READABLE;

        match (interest.is_readable(), interest.is_writable()) {
            (true, true) => READING | mio::Interest::WRITABLE,
            (false, true) => mio::Interest::WRITABLE,
            (_, false) => READING,
        }
    }
}

impl BitOr for Interest {
    type Output = Interest;

    fn bitor(self, other: Interest) -> Interest {
        self.add(other)
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
