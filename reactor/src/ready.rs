//! The set of conditions that a socket was found ready for.

use crate::interest::Interest;
use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign, Sub};

/// The set of conditions that a socket was ready for when the readiness was checked.
///
/// Readiness is a hint, which may be out of date by the time it is used: an operation may still
/// return `WouldBlock`.
///
/// # Examples
///
/// ```
/// # use wsrt_reactor::Ready;
/// let ready = Ready::READABLE | Ready::READ_CLOSED;
/// assert!(ready.is_readable() && ready.contains(Ready::READ_CLOSED));
/// assert_eq!(ready - Ready::READABLE, Ready::READ_CLOSED);
/// assert!((ready & Ready::WRITABLE).is_empty());
/// ```
// The bits are the same as in the readiness word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ready(pub(crate) u8);

impl Ready {
    /// The empty set: the socket is not ready for anything.
    pub const EMPTY: Ready = Ready(0);
    /// The socket may be ready for reading.
    pub const READABLE: Ready = Ready(1 << 0);
    /// The socket may be ready for writing.
    pub const WRITABLE: Ready = Ready(1 << 1);
    /// The peer has closed its side of the connection, so that reads return the end of the stream.
    pub const READ_CLOSED: Ready = Ready(1 << 2);
    /// The writing side of the connection is closed, so that writes fail.
    pub const WRITE_CLOSED: Ready = Ready(1 << 3);
    /// An error is pending on the socket.
    pub const ERROR: Ready = Ready(1 << 4);
    /// Urgent data is available.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub const PRIORITY: Ready = Ready::URGENT;
    /// The set of all conditions.
    pub const ALL: Ready = Ready(0b11_1111);

    /// `PRIORITY`, on systems without it never set.
    pub(crate) const URGENT: Ready = Ready(1 << 5);

    /// Returns whether the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether a read may succeed. Also returns `true` if the read side is closed, because
    /// a read then returns at once.
    #[must_use]
    pub const fn is_readable(self) -> bool {
        self.overlaps(Ready::READABLE) || self.is_read_closed()
    }

    /// Returns whether a write may succeed. Also returns `true` if the write side is closed,
    /// because a write then returns at once.
    #[must_use]
    pub const fn is_writable(self) -> bool {
        self.overlaps(Ready::WRITABLE) || self.is_write_closed()
    }

    /// Returns whether the peer is known to have closed its side of the connection. `false` does
    /// not prove that the side is still open.
    #[must_use]
    pub const fn is_read_closed(self) -> bool {
        self.overlaps(Ready::READ_CLOSED)
    }

    /// Returns whether the write side is known to be closed. `false` does not prove that a write
    /// can still succeed.
    #[must_use]
    pub const fn is_write_closed(self) -> bool {
        self.overlaps(Ready::WRITE_CLOSED)
    }

    /// Returns whether urgent data is known to be available. `false` does not prove that there is
    /// none, because urgent data is reported only to a wait for `Interest::PRIORITY`.
    #[must_use]
    pub const fn is_priority(self) -> bool {
        self.overlaps(Ready::URGENT)
    }

    /// Returns whether the OS has reported an error condition. The next operation, or `take_error`,
    /// returns the error. `false` does not prove that there is none, because an error condition is
    /// reported only to a wait for [`Interest::ERROR`].
    #[must_use]
    pub const fn is_error(self) -> bool {
        self.overlaps(Ready::ERROR)
    }

    /// Returns whether this set contains all conditions in `other`.
    #[must_use]
    pub const fn contains(self, other: Ready) -> bool {
        self.0 & other.0 == other.0
    }

    /// Either side closed.
    #[cfg(unix)]
    pub(crate) const CLOSED: Ready = Ready(Ready::READ_CLOSED.0 | Ready::WRITE_CLOSED.0);

    /// All conditions of these events.
    pub(crate) fn concerning(interest: Interest) -> Ready {
        let of = |is_wanted: bool, ready: Ready| if is_wanted { ready } else { Ready::EMPTY };
        of(interest.is_readable(), Ready::READABLE | Ready::READ_CLOSED)
            | of(interest.is_writable(), Ready::WRITABLE | Ready::WRITE_CLOSED)
            | of(interest.is_priority(), Ready::URGENT | Ready::READ_CLOSED)
            | of(interest.is_error(), Ready::ERROR)
    }

    const fn overlaps(self, other: Ready) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitOr for Ready {
    type Output = Ready;

    fn bitor(self, other: Ready) -> Ready {
        Ready(self.0 | other.0)
    }
}

impl BitOrAssign for Ready {
    fn bitor_assign(&mut self, other: Ready) {
        *self = *self | other;
    }
}

impl BitAnd for Ready {
    type Output = Ready;

    fn bitand(self, other: Ready) -> Ready {
        Ready(self.0 & other.0)
    }
}

impl Sub for Ready {
    type Output = Ready;

    /// Returns the conditions in this set that are not in `other`.
    fn sub(self, other: Ready) -> Ready {
        Ready(self.0 & !other.0)
    }
}

impl fmt::Debug for Ready {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NAMES: [(Ready, &str); 6] = [
            (Ready::READABLE, "READABLE"),
            (Ready::WRITABLE, "WRITABLE"),
            (Ready::READ_CLOSED, "READ_CLOSED"),
            (Ready::WRITE_CLOSED, "WRITE_CLOSED"),
            (Ready::ERROR, "ERROR"),
            (Ready::URGENT, "PRIORITY"),
        ];
        let present: Vec<_> = NAMES.iter().filter(|(one, _)| self.contains(*one)).map(|(_, name)| *name).collect();
        f.write_str(if present.is_empty() { "(nothing)" } else { "" })?;
        f.write_str(&present.join(" | "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_shows_what_it_holds() {
        assert_eq!(format!("{:?}", Ready::READABLE | Ready::ERROR), "READABLE | ERROR");
        assert_eq!(format!("{:?}", Ready::EMPTY), "(nothing)");
    }

    #[test]
    fn all_is_the_sum_of_the_rest() {
        let sides = Ready::READABLE | Ready::WRITABLE | Ready::READ_CLOSED | Ready::WRITE_CLOSED;
        assert_eq!(sides | Ready::concerning(Interest::ALL), Ready::ALL);
        let one_by_one = [sides, Ready::ERROR, Ready::URGENT];
        assert_eq!(one_by_one.into_iter().fold(Ready::EMPTY, |sum, one| sum | one), Ready::ALL);
    }
}
