//! The kinds of events that a task waits for.

use std::fmt;
use std::ops::{BitOr, BitOrAssign};

/// The kinds of readiness events to wait for on a socket: reading, writing, urgent data, errors, or
/// any combination of them.
///
/// Combine interests with [`add`](Interest::add) or the `|` operator.
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

const URGENT: Interest = Interest(0b0100);

impl Interest {
    /// Interest in reading: data has arrived, a connection can be accepted, the peer has closed its
    /// side, or an error is pending.
    pub const READABLE: Interest = Interest(0b0001);
    /// Interest in writing: the send buffer has room, a connection attempt has finished, or an
    /// error is pending.
    pub const WRITABLE: Interest = Interest(0b0010);
    /// Interest in urgent data: out-of-band data of a TCP stream, and other events that a driver
    /// reports as priority events (`EPOLLPRI`).
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub const PRIORITY: Interest = URGENT;
    /// Interest in error conditions, such as a message in a socket's error queue.
    pub const ERROR: Interest = Interest(0b1000);

    /// Nothing: of a source that must not be tried before an event.
    pub(crate) const NONE: Interest = Interest(0);
    /// Everything that can be waited for.
    pub(crate) const ALL: Interest = Interest(0b1111);
    const EACH: [Interest; 4] = [Interest::READABLE, Interest::WRITABLE, URGENT, Interest::ERROR];

    /// Returns whether this interest includes reading.
    #[must_use]
    pub const fn is_readable(self) -> bool {
        self.overlaps(Self::READABLE)
    }

    /// Returns whether this interest includes writing.
    #[must_use]
    pub const fn is_writable(self) -> bool {
        self.overlaps(Self::WRITABLE)
    }

    /// Returns whether this interest includes urgent data.
    #[must_use]
    pub const fn is_priority(self) -> bool {
        self.overlaps(URGENT)
    }

    /// Returns whether this interest includes error conditions.
    #[must_use]
    pub const fn is_error(self) -> bool {
        self.overlaps(Self::ERROR)
    }

    /// Returns the union of two interests. Equivalent to the `|` operator, but also usable in
    /// constants.
    #[must_use]
    pub const fn add(self, other: Interest) -> Interest {
        Interest(self.0 | other.0)
    }

    /// Returns this interest without the events in `other`, or `None` if no event is left.
    #[must_use]
    pub fn remove(self, other: Interest) -> Option<Interest> {
        let left = self.0 & !other.0;
        (left != 0).then_some(Interest(left))
    }

    pub(crate) const fn overlaps(self, other: Interest) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns the single events for which `is_wanted` holds, together; `None` for none.
    pub(crate) fn all_that(is_wanted: impl Fn(Interest) -> bool) -> Option<Interest> {
        let wanted = Self::EACH.into_iter().filter(|one| is_wanted(*one)).fold(Self::NONE, Self::add);
        (wanted != Self::NONE).then_some(wanted)
    }

    /// The directions in a fixed order, as indices of two-element tables. A waiter for urgent data
    /// or errors waits with the readers.
    pub(crate) fn indices(self) -> impl Iterator<Item = usize> {
        [self != Self::WRITABLE && self != Self::NONE, self.is_writable()]
            .into_iter()
            .enumerate()
            .filter_map(|(index, is_wanted)| is_wanted.then_some(index))
    }
}

impl From<Interest> for mio::Interest {
    /// mio has no empty interest, and none in errors, which are reported always: reading stands for
    /// both. A reader has to know of urgent data, which cuts reads short.
    fn from(interest: Interest) -> mio::Interest {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        const URGENT_DATA: mio::Interest = mio::Interest::PRIORITY;
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        const URGENT_DATA: mio::Interest = mio::Interest::READABLE;
        const READING: mio::Interest = mio::Interest::READABLE.add(URGENT_DATA);

        match (interest.is_readable(), interest.is_writable(), interest.is_priority()) {
            (true, true, _) => READING | mio::Interest::WRITABLE,
            (true, false, _) => READING,
            (false, true, true) => URGENT_DATA | mio::Interest::WRITABLE,
            (false, true, false) => mio::Interest::WRITABLE,
            (false, false, true) => URGENT_DATA,
            (false, false, false) => READING,
        }
    }
}

impl BitOr for Interest {
    type Output = Interest;

    fn bitor(self, other: Interest) -> Interest {
        self.add(other)
    }
}

impl BitOrAssign for Interest {
    fn bitor_assign(&mut self, other: Interest) {
        *self = *self | other;
    }
}

impl fmt::Debug for Interest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NAMES: [&str; 4] = ["READABLE", "WRITABLE", "PRIORITY", "ERROR"];
        let present = Self::EACH.into_iter().zip(NAMES).filter(|(one, _)| self.overlaps(*one));
        let present: Vec<_> = present.map(|(_, name)| name).collect();
        f.write_str(if present.is_empty() { "(nothing)" } else { "" })?;
        f.write_str(&present.join(" | "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_shows_its_events() {
        assert_eq!(format!("{:?}", Interest::READABLE | Interest::ERROR), "READABLE | ERROR");
        assert_eq!(format!("{:?}", Interest::NONE), "(nothing)");
    }

    #[test]
    fn errors_and_urgent_data_wait_with_the_readers() {
        let indices = |interest: Interest| interest.indices().collect::<Vec<_>>();
        assert_eq!(indices(Interest::WRITABLE), [1]);
        assert_eq!(indices(Interest::ERROR), [0]);
        assert_eq!(indices(URGENT), [0]);
        assert_eq!(indices(Interest::ERROR | Interest::WRITABLE), [0, 1]);
        assert_eq!(indices(Interest::NONE), [] as [usize; 0]);
    }
}
