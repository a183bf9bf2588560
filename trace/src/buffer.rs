//! The buffer of one thread: the thread writes, the recorder reads, and neither waits for the
//! other.
//!
//! ```text
//!        read                     written
//!          v                         v
//!   . . . [ e1   e2   e3   e4   e5  ] . . . . . .        slots, modulo the capacity
//!           |                         |
//!           the reader copies here    the writer writes here, if the slot was read
//! ```
//!
//! A full buffer takes no event: the writer drops it, and counts it.

use std::fmt;
use std::mem::MaybeUninit;

use crate::Event;
use crate::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use crate::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use crate::sync::{Arc, EVENT_CAPACITY, UnsafeCell};

const _: () = assert!(EVENT_CAPACITY.is_power_of_two());

/// A value on cache lines of its own: two, since CPUs fetch them in pairs.
#[derive(Debug)]
#[repr(align(128))]
struct OwnCacheLines<T>(T);

struct EventBuffer {
    slots: Box<[UnsafeCell<MaybeUninit<Event>>]>,
    writers_end: OwnCacheLines<WritersEnd>,
    /// How many events were read.
    read: OwnCacheLines<AtomicUsize>,
}

/// The words that the writer stores to.
#[derive(Debug)]
struct WritersEnd {
    /// How many events were written.
    written: AtomicUsize,
    dropped: AtomicU64,
    /// Whether the writer is gone.
    closed: AtomicBool,
}

// SAFETY: there is one writer and one reader, and `written` and `read` give each slot to one of
// them.
unsafe impl Sync for EventBuffer {}

/// The end of a buffer that its thread writes to.
pub struct EventWriter {
    buffer: Arc<EventBuffer>,
    written: usize,
    /// The buffer's `read` when the writer last loaded it.
    read: usize,
    dropped: u64,
}

/// The end of a buffer that the recorder reads from.
pub struct EventReader {
    buffer: Arc<EventBuffer>,
    read: usize,
}

/// Makes an empty buffer of [`EVENT_CAPACITY`] events, and returns its two ends.
pub fn event_buffer() -> (EventWriter, EventReader) {
    let writers_end =
        WritersEnd { written: AtomicUsize::new(0), dropped: AtomicU64::new(0), closed: AtomicBool::new(false) };
    let buffer = Arc::new(EventBuffer {
        slots: (0..EVENT_CAPACITY).map(|_| UnsafeCell::new(MaybeUninit::uninit())).collect(),
        writers_end: OwnCacheLines(writers_end),
        read: OwnCacheLines(AtomicUsize::new(0)),
    });
    (EventWriter { buffer: Arc::clone(&buffer), written: 0, read: 0, dropped: 0 }, EventReader { buffer, read: 0 })
}

impl EventWriter {
    /// Writes `event`, or drops and counts it if the buffer is full.
    #[inline(always)]
    pub fn write(&mut self, event: Event) {
        if self.is_full() {
            return self.drop_one();
        }
        let slot = &self.buffer.slots[self.written % EVENT_CAPACITY];
        // SAFETY: the slot was read, or never written: it is the writer's until `written` counts
        // it.
        slot.with_mut(|slot| unsafe { slot.write(MaybeUninit::new(event)) });
        self.written = self.written.wrapping_add(1);
        // Release pairs with the Acquire in `read`: the event is in its slot.
        self.buffer.writers_end.0.written.store(self.written, Release);
    }

    #[inline(always)]
    fn is_full(&mut self) -> bool {
        if self.written.wrapping_sub(self.read) < EVENT_CAPACITY {
            return false;
        }
        // Acquire pairs with the Release in `read`: the reader is done with the slots.
        self.read = self.buffer.read.0.load(Acquire);
        self.written.wrapping_sub(self.read) == EVENT_CAPACITY
    }

    #[cold]
    fn drop_one(&mut self) {
        self.dropped += 1;
        self.buffer.writers_end.0.dropped.store(self.dropped, Relaxed);
    }
}

impl Drop for EventWriter {
    fn drop(&mut self) {
        // Release pairs with the Acquire in `is_closed`: a reader that sees it sees all events.
        self.buffer.writers_end.0.closed.store(true, Release);
    }
}

impl EventReader {
    /// Moves all events in the buffer to the end of `events`.
    pub fn read(&mut self, events: &mut Vec<Event>) {
        // Acquire pairs with the Release in `write`: the slots below are filled.
        let written = self.buffer.writers_end.0.written.load(Acquire);
        while self.read != written {
            let slot = &self.buffer.slots[self.read % EVENT_CAPACITY];
            // SAFETY: `written` counts the slot: it is the reader's until `read` counts it too.
            let event = slot.with(|slot| unsafe { slot.read() });
            // SAFETY: the writer filled the slot before `written` counted it.
            events.push(unsafe { event.assume_init() });
            self.read = self.read.wrapping_add(1);
        }
        // Release pairs with the Acquire in `is_full`: the slots are the writer's again.
        self.buffer.read.0.store(self.read, Release);
    }

    /// Returns how many events were dropped so far.
    pub fn dropped(&self) -> u64 {
        self.buffer.writers_end.0.dropped.load(Relaxed)
    }

    /// Returns whether the writer is gone: the next `read` finds the last of its events.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        // Acquire pairs with the Release of the writer's drop.
        self.buffer.writers_end.0.closed.load(Acquire)
    }
}

impl fmt::Debug for EventWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { written, dropped, .. } = self;
        f.debug_struct("EventWriter").field("written", written).field("dropped", dropped).finish_non_exhaustive()
    }
}

impl fmt::Debug for EventReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventReader").field("read", &self.read).finish_non_exhaustive()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::thread;

    use super::*;
    use crate::EventKind;

    fn event(number: usize) -> Event {
        Event::new(number as u64, EventKind::Overflow { processor: 0, tasks: number as u64 })
    }

    #[test]
    fn a_full_buffer_counts_drops_and_keeps_the_order() {
        let (mut writer, mut reader) = event_buffer();
        (0..EVENT_CAPACITY + 3).for_each(|number| writer.write(event(number)));
        let mut events = Vec::new();
        reader.read(&mut events);
        assert!(events.iter().map(|event| event.stamp).eq(0..EVENT_CAPACITY as u64));
        assert_eq!(reader.dropped(), 3);
        writer.write(event(7));
        reader.read(&mut events);
        assert_eq!((events.len(), events.last().map(|event| event.stamp)), (EVENT_CAPACITY + 1, Some(7)));
    }

    #[test]
    fn a_writer_that_is_gone_leaves_its_events() {
        let (mut writer, mut reader) = event_buffer();
        writer.write(event(1));
        assert!(!reader.is_closed());
        drop(writer);
        assert!(reader.is_closed());
        let mut events = Vec::new();
        reader.read(&mut events);
        assert_eq!(events.len(), 1);
    }

    #[test]
    fn a_stream_comes_through_in_order_but_for_counted_drops() {
        let count = 20 * EVENT_CAPACITY;
        let (mut writer, mut reader) = event_buffer();
        let thread = thread::spawn(move || (0..count).for_each(|number| writer.write(event(number))));
        let (mut events, mut last, mut seen) = (Vec::new(), None, 0);
        loop {
            let is_last = reader.is_closed();
            reader.read(&mut events);
            for event in events.drain(..) {
                let EventKind::Overflow { tasks, .. } = event.kind() else { panic!("not written: {event:?}") };
                assert_eq!(tasks, event.stamp, "torn");
                assert!(last.is_none_or(|last| last < event.stamp), "{last:?} before {event:?}");
                last = Some(event.stamp);
                seen += 1;
            }
            if is_last {
                break;
            }
        }
        thread.join().expect("it only writes");
        assert_eq!(seen + reader.dropped(), count as u64);
    }
}
