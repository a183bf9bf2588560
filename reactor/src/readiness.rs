//! The readiness word: the conditions that a source is ready for, and the event that reported them.
//!
//! ```text
//!   bit   0         1         2            3             4      5         6         7       8       9       10 and up
//!         READABLE  WRITABLE  READ_CLOSED  WRITE_CLOSED  ERROR  PRIORITY  SHUTDOWN  URGENT  UNREAD  UNWRIT  tick
//! ```
//!
//! A source is ready for the conditions that the OS has reported. Of a fresh one it has reported
//! none yet, and still an operation is worth trying, for data may be there and room usually is:
//! UNREAD and UNWRITTEN say that no operation has found the direction drained yet. They make
//! operations try, and are not reported as readiness.
//!
//! The tick counts events. An operation remembers the word it acted on ([`SeenReadiness`]); when
//! the operation shows that the source is drained, the bits are cleared only if the tick is still
//! the one it saw. An event that came after the look may stand for data that the operation did not
//! see, so clearing after it would lose that data's wake-up.
//!
//! Two kinds of proof clear, and they differ in strength:
//!
//! * [`Readiness::clear_drained`]: a transfer came back short. That proves nothing about the end
//!   behind the data: a closed side stays closed. And where urgent data has come it proves nothing
//!   at all, for a read ends at its mark, whatever is behind it. So URGENT, which no clear takes
//!   away, rejects this proof. (Linux: other systems' polls do not report it.)
//! * [`Readiness::clear_would_block`]: the kernel answered `WouldBlock`. A closed side never
//!   answers that, so a CLOSED bit of that direction was not the truth (epoll reports EPOLLERR for
//!   error-queue messages too, which reads as "write closed"), and keeping it would make the waiter
//!   spin. It goes as well.
//!
//! The tick wraps: after 2^22 events (32-bit targets) or 2^54. A clear is confused only by an exact
//! multiple of that many events between one system call and the next line of code.

use crate::interest::Interest;
use crate::ready::Ready;
use crate::sync::atomic::AtomicUsize;
use crate::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

const READABLE: usize = Ready::READABLE.0 as usize;
const WRITABLE: usize = Ready::WRITABLE.0 as usize;
const READ_CLOSED: usize = Ready::READ_CLOSED.0 as usize;
const WRITE_CLOSED: usize = Ready::WRITE_CLOSED.0 as usize;
const ERROR: usize = Ready::ERROR.0 as usize;
const PRIORITY: usize = Ready::URGENT.0 as usize;
const SHUTDOWN: usize = 1 << 6;
const URGENT: usize = 1 << 7;
const UNREAD: usize = 1 << 8;
const UNWRITTEN: usize = 1 << 9;
const TICK: usize = 1 << 10;
const TICK_MASK: usize = !(TICK - 1);

/// Bits that an event adds; made from the system's event, or by a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EventBits(usize);

impl EventBits {
    #[cfg(test)]
    pub(crate) const READABLE: EventBits = EventBits(READABLE);
    #[cfg(test)]
    pub(crate) const WRITABLE: EventBits = EventBits(WRITABLE);

    /// The bits of an event that a simulated socket has reported.
    pub(crate) fn of_simulated(ready: Ready) -> EventBits {
        EventBits(usize::from(ready.0))
    }

    pub(crate) fn of(event: &mio::event::Event) -> EventBits {
        let mut bits = 0;
        let mut add = |present: bool, bit: usize| bits |= if present { bit } else { 0 };
        add(event.is_readable(), READABLE);
        add(event.is_writable(), WRITABLE);
        add(event.is_read_closed(), READ_CLOSED);
        add(event.is_write_closed(), WRITE_CLOSED);
        add(event.is_priority(), URGENT | PRIORITY);
        // A writer learns of an error by trying.
        add(event.is_error(), ERROR | WRITABLE);
        EventBits(bits)
    }

    /// The bits with all that the event tells readers. The reader of a connected socket learns of
    /// an error by trying, too: it is its only peer's. But to the reader of a socket that
    /// `is_unconnected` an error alone says nothing: a datagram to one of many peers has failed.
    pub(crate) fn completed(self, is_unconnected: impl FnOnce() -> bool) -> EventBits {
        let concerns_readers = self.0 & (READABLE | READ_CLOSED) != 0;
        let tells_readers = self.0 & ERROR != 0 && (concerns_readers || !is_unconnected());
        EventBits(if tells_readers { self.0 | READABLE } else { self.0 })
    }

    /// The waiters that this event concerns.
    pub(crate) fn concerns(self) -> Option<Interest> {
        Interest::all_that(|one| SeenReadiness(self.0).is_ready(one))
    }
}

/// The word as one operation saw it, and the right to clear the bits that the operation disproved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SeenReadiness(usize);

impl SeenReadiness {
    /// Returns whether the OS has reported one of these events.
    pub(crate) fn is_ready(self, interest: Interest) -> bool {
        self.0 & reported_bits(interest) != 0
    }

    /// Returns whether an operation in one of these directions may succeed: the direction is ready,
    /// or was never found drained.
    pub(crate) fn is_worth_trying(self, interest: Interest) -> bool {
        self.0 & (reported_bits(interest) | untried_bits(interest)) != 0
    }

    pub(crate) fn is_shut_down(self) -> bool {
        self.0 & SHUTDOWN != 0
    }

    /// Returns whether urgent data has ever been reported. Never on other systems than Linux.
    pub(crate) fn has_urgent(self) -> bool {
        self.0 & URGENT != 0
    }

    pub(crate) fn ready(self) -> Ready {
        Ready((self.0 & Ready::ALL.0 as usize) as u8)
    }
}

fn open_bits(interest: Interest) -> usize {
    let read = if interest.is_readable() { READABLE } else { 0 };
    let write = if interest.is_writable() { WRITABLE } else { 0 };
    let urgent = if interest.is_priority() { PRIORITY } else { 0 };
    let error = if interest.is_error() { ERROR } else { 0 };
    read | write | urgent | error
}

/// The conditions that complete a wait. No urgent data arrives after the end of the stream.
fn reported_bits(interest: Interest) -> usize {
    let after_the_end = if interest.is_priority() { READ_CLOSED } else { 0 };
    open_bits(interest) | closed_bits(interest) | after_the_end
}

fn closed_bits(interest: Interest) -> usize {
    let read = if interest.is_readable() { READ_CLOSED } else { 0 };
    let write = if interest.is_writable() { WRITE_CLOSED } else { 0 };
    read | write
}

fn untried_bits(interest: Interest) -> usize {
    let read = if interest.is_readable() { UNREAD } else { 0 };
    let write = if interest.is_writable() { UNWRITTEN } else { 0 };
    read | write
}

/// The word. Written by the thread in the netpoller (events), by threads that operate on the source
/// (clears), and once at shutdown.
#[derive(Debug)]
pub(crate) struct Readiness(AtomicUsize);

impl Readiness {
    /// A source without events so far, to be tried in the directions of `untried` before a task
    /// waits for it.
    pub(crate) fn of_fresh(untried: Interest) -> Self {
        Self(AtomicUsize::new(untried_bits(untried)))
    }

    pub(crate) fn read(&self) -> SeenReadiness {
        // Acquire: pairs with the Release half of `set_from_event` and `shut_down`, so that the
        // poller's earlier work (today only the kernel's own) comes before our use of the bits.
        SeenReadiness(self.0.load(Acquire))
    }

    /// Records an event: adds its bits under a new tick.
    pub(crate) fn set_from_event(&self, bits: EventBits) {
        // AcqRel: Release pairs with the Acquire in `read`. Acquire keeps the word one chain of
        // read-modify-writes.
        let _ = self.0.fetch_update(AcqRel, Acquire, |word| {
            Some((word.wrapping_add(TICK) & TICK_MASK) | (word & !TICK_MASK) | bits.0)
        });
    }

    /// Counts these directions as reported although they were not; an operation will find out.
    pub(crate) fn assume(&self, interest: Interest) {
        // Relaxed: no other thread knows the source yet, and the word publishes nothing: the
        // maker of the socket does, by handing it on.
        self.0.fetch_or(open_bits(interest), Relaxed);
    }

    /// Clears a direction after a transfer moved fewer bytes than requested: the direction is
    /// drained, unless an event has arrived since, or urgent data has ever arrived.
    pub(crate) fn clear_drained(&self, seen: SeenReadiness, interest: Interest) {
        if !seen.has_urgent() {
            self.clear(seen, open_bits(interest) | untried_bits(interest));
        }
    }

    /// Clears a direction after the kernel returned `WouldBlock`: none of the direction's readiness
    /// holds any more, unless an event has arrived since.
    pub(crate) fn clear_would_block(&self, seen: SeenReadiness, interest: Interest) {
        self.clear(seen, open_bits(interest) | untried_bits(interest) | closed_bits(interest));
    }

    /// Clears conditions that the caller has found not to hold, unless an event has arrived since.
    #[cfg(unix)]
    pub(crate) fn clear_ready(&self, seen: SeenReadiness, ready: Ready) {
        self.clear(seen, usize::from(ready.0));
    }

    fn clear(&self, seen: SeenReadiness, bits: usize) {
        // AcqRel: the Release half pairs with the Acquire of `read`: a thread that sees the bits
        // gone sees that our system call came before. A failed compare (another tick, or nothing to
        // clear) publishes nothing.
        let _ = self.0.fetch_update(AcqRel, Acquire, |word| {
            let same_tick = word & TICK_MASK == seen.0 & TICK_MASK;
            (same_tick && word & bits != 0).then_some(word & !bits)
        });
    }

    /// Marks the source as shut down: from now on no task may wait for it.
    pub(crate) fn shut_down(&self) {
        // AcqRel: as in `set_from_event`.
        self.0.fetch_or(SHUTDOWN, AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closed(word: usize) -> EventBits {
        EventBits(word)
    }

    /// Reported ready in these directions.
    fn reported(interest: Interest) -> Readiness {
        Readiness(AtomicUsize::new(open_bits(interest)))
    }

    #[test]
    fn what_is_fresh_is_worth_a_try_and_not_ready() {
        let both = Interest::READABLE | Interest::WRITABLE;
        let readiness = Readiness::of_fresh(both);
        assert!(readiness.read().is_worth_trying(Interest::READABLE) && !readiness.read().is_ready(both));
        assert!(readiness.read().ready().is_empty());
        readiness.clear_would_block(readiness.read(), Interest::READABLE);
        assert!(!readiness.read().is_worth_trying(Interest::READABLE));
        assert!(readiness.read().is_worth_trying(Interest::WRITABLE), "the other direction is as fresh as before");
        readiness.set_from_event(EventBits::WRITABLE);
        readiness.clear_drained(readiness.read(), Interest::WRITABLE);
        assert!(!readiness.read().is_worth_trying(both), "nothing is left of its youth");
    }

    #[test]
    fn a_clear_with_an_old_tick_clears_nothing() {
        let readiness = reported(Interest::READABLE);
        let seen = readiness.read();
        readiness.set_from_event(EventBits::READABLE);
        readiness.clear_would_block(seen, Interest::READABLE);
        assert!(readiness.read().is_ready(Interest::READABLE));
        readiness.clear_would_block(readiness.read(), Interest::READABLE);
        assert!(!readiness.read().is_ready(Interest::READABLE));
    }

    #[test]
    fn a_clear_leaves_the_other_direction_alone() {
        let readiness = reported(Interest::READABLE | Interest::WRITABLE);
        readiness.clear_would_block(readiness.read(), Interest::WRITABLE);
        assert!(readiness.read().is_ready(Interest::READABLE));
        assert!(!readiness.read().is_ready(Interest::WRITABLE));
    }

    #[test]
    fn a_short_transfer_does_not_reopen_a_closed_side() {
        let readiness = reported(Interest::READABLE);
        readiness.set_from_event(closed(READABLE | READ_CLOSED));
        readiness.clear_drained(readiness.read(), Interest::READABLE);
        assert!(readiness.read().is_ready(Interest::READABLE));
        assert!(!readiness.read().ready().contains(Ready::READABLE));
    }

    #[test]
    fn a_short_transfer_proves_nothing_once_urgent_data_has_come() {
        let readiness = reported(Interest::READABLE);
        readiness.set_from_event(closed(READABLE | URGENT));
        readiness.clear_drained(readiness.read(), Interest::READABLE);
        assert!(readiness.read().is_ready(Interest::READABLE));
        readiness.clear_would_block(readiness.read(), Interest::READABLE);
        assert!(!readiness.read().is_ready(Interest::READABLE));
        assert_eq!(closed(URGENT).concerns(), None, "it is no reason to wake a task");
    }

    #[test]
    fn would_block_contradicts_a_closed_side() {
        let readiness = reported(Interest::READABLE);
        readiness.set_from_event(closed(WRITABLE | WRITE_CLOSED | ERROR));
        readiness.clear_would_block(readiness.read(), Interest::WRITABLE);
        assert!(!readiness.read().is_ready(Interest::WRITABLE));
        assert!(readiness.read().is_ready(Interest::ERROR), "a message in the error queue may be there still");
        assert!(readiness.read().is_ready(Interest::READABLE));
    }

    #[test]
    fn only_a_look_for_urgent_data_clears_it() {
        let readiness = reported(Interest::READABLE);
        let urgent = SeenReadiness(PRIORITY);
        readiness.set_from_event(closed(READABLE | READ_CLOSED | URGENT | PRIORITY));
        readiness.clear_would_block(readiness.read(), Interest::READABLE);
        assert!(readiness.read().ready().contains(urgent.ready()));
        let all_urgent = Interest::all_that(|one| urgent.is_ready(one)).expect("one event");
        readiness.set_from_event(closed(READ_CLOSED));
        readiness.clear_would_block(readiness.read(), all_urgent);
        assert!(!readiness.read().ready().contains(urgent.ready()));
        assert!(readiness.read().is_ready(Interest::READABLE), "the stream has ended");
        assert!(readiness.read().has_urgent());
    }

    #[test]
    fn shutdown_outlives_events_and_clears() {
        let readiness = reported(Interest::READABLE);
        readiness.shut_down();
        readiness.set_from_event(EventBits::WRITABLE);
        readiness.clear_would_block(readiness.read(), Interest::READABLE | Interest::WRITABLE);
        assert!(readiness.read().is_shut_down());
        assert!(!readiness.read().is_ready(Interest::READABLE | Interest::WRITABLE));
    }

    #[test]
    fn the_tick_wraps_without_touching_the_flags() {
        let readiness = Readiness(AtomicUsize::new(TICK_MASK | READ_CLOSED));
        readiness.set_from_event(EventBits::WRITABLE);
        assert_eq!(readiness.read(), SeenReadiness(READ_CLOSED | WRITABLE));
    }

    #[test]
    fn an_error_concerns_readers_unless_peers_are_many() {
        let both = Interest::READABLE | Interest::WRITABLE;
        let error = closed(ERROR | WRITABLE);
        assert_eq!(error.completed(|| false).concerns(), Some(both | Interest::ERROR));
        assert_eq!(error.completed(|| true).concerns(), Some(Interest::WRITABLE | Interest::ERROR));
        for of_readers in [READABLE, READ_CLOSED] {
            let bits = closed(ERROR | WRITABLE | of_readers).completed(|| unreachable!("they are concerned"));
            assert_eq!(bits.concerns().map(|all| all.overlaps(Interest::READABLE)), Some(true));
        }
        assert_eq!(closed(WRITABLE).completed(|| unreachable!("there is no error")), EventBits::WRITABLE);
        assert_eq!(closed(WRITE_CLOSED).concerns(), Some(Interest::WRITABLE));
        assert_eq!(closed(0).concerns(), None);
    }
}
