//! The buffer of one thread: it writes, the recorder reads, and neither ever waits for the other.
//!
//! ```text
//!        read                     written
//!          v                         v
//!   . . . [ e1   e2   e3   e4   e5  ] . . . . . .        slots, modulo the capacity
//!           |                         |
//!           the reader copies here    the writer writes here, if that is no slot unread
//! ```
//!
//! A buffer that is full takes nothing: the event is dropped, and counted.

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
struct CachePadded<T>(T);

struct Buffer {
    slots: Box<[UnsafeCell<MaybeUninit<Event>>]>,
    ends: CachePadded<WritersEnd>,
    /// How many events were read.
    read: CachePadded<AtomicUsize>,
}

/// What the writer stores to.
#[derive(Debug)]
struct WritersEnd {
    /// How many events were written.
    written: AtomicUsize,
    dropped: AtomicU64,
    /// Whether nothing will be written any more.
    closed: AtomicBool,
}

// SAFETY: a slot belongs to the writer or to the reader, of which there is one each; the two counts say to whom.
unsafe impl Sync for Buffer {}

/// The end of the thread that writes.
pub struct Writer {
    buffer: Arc<Buffer>,
    written: usize,
    /// What was read when the writer last looked.
    read: usize,
    dropped: u64,
}

/// The end of the recorder.
pub struct Reader {
    buffer: Arc<Buffer>,
    read: usize,
}

/// The two ends of an empty buffer.
pub fn buffer() -> (Writer, Reader) {
    let ends = WritersEnd { written: AtomicUsize::new(0), dropped: AtomicU64::new(0), closed: AtomicBool::new(false) };
    let buffer = Arc::new(Buffer {
        slots: (0..EVENT_CAPACITY).map(|_| UnsafeCell::new(MaybeUninit::uninit())).collect(),
        ends: CachePadded(ends),
        read: CachePadded(AtomicUsize::new(0)),
    });
    (Writer { buffer: Arc::clone(&buffer), written: 0, read: 0, dropped: 0 }, Reader { buffer, read: 0 })
}

impl Writer {
    /// Writes `event` down, or counts it as dropped.
    #[inline(always)]
    pub fn write(&mut self, event: Event) {
        if self.is_full() {
            return self.drop_one();
        }
        let slot = &self.buffer.slots[self.written % EVENT_CAPACITY];
        // SAFETY: the slot was read, or never written, and it is the writer's until `written` counts it.
        slot.with_mut(|slot| unsafe { slot.write(MaybeUninit::new(event)) });
        self.written = self.written.wrapping_add(1);
        // Release pairs with the Acquire in `read`: the event is in its slot.
        self.buffer.ends.0.written.store(self.written, Release);
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
        self.buffer.ends.0.dropped.store(self.dropped, Relaxed);
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // Release pairs with the Acquire in `is_closed`: who sees it sees all that was written.
        self.buffer.ends.0.closed.store(true, Release);
    }
}

impl Reader {
    /// Moves all that is written to the end of `events`.
    pub fn read(&mut self, events: &mut Vec<Event>) {
        // Acquire pairs with the Release in `write`.
        let written = self.buffer.ends.0.written.load(Acquire);
        while self.read != written {
            let slot = &self.buffer.slots[self.read % EVENT_CAPACITY];
            // SAFETY: `written` counts the slot, so it is the reader's, until `read` counts it too.
            let event = slot.with(|slot| unsafe { slot.read() });
            // SAFETY: as above, and what it counts was written.
            events.push(unsafe { event.assume_init() });
            self.read = self.read.wrapping_add(1);
        }
        // Release pairs with the Acquire in `is_full`: the slots are the writer's again.
        self.buffer.read.0.store(self.read, Release);
    }

    /// How many events were dropped, so far.
    pub fn dropped(&self) -> u64 {
        self.buffer.ends.0.dropped.load(Relaxed)
    }

    /// Whether nothing will be written after what the next `read` finds.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        // Acquire pairs with the Release of the writer's drop.
        self.buffer.ends.0.closed.load(Acquire)
    }
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("written", &self.written).field("dropped", &self.dropped).finish_non_exhaustive()
    }
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("read", &self.read).finish_non_exhaustive()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::thread;

    use super::*;
    use crate::What;

    fn event(number: usize) -> Event {
        Event::new(number as u64, What::Overflow { processor: 0, tasks: number as u64 })
    }

    #[test]
    fn what_does_not_fit_is_counted_and_what_does_stays_in_order() {
        let (mut writer, mut reader) = buffer();
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
    fn a_writer_that_is_gone_leaves_what_it_has_written() {
        let (mut writer, mut reader) = buffer();
        writer.write(event(1));
        assert!(!reader.is_closed());
        drop(writer);
        assert!(reader.is_closed());
        let mut events = Vec::new();
        reader.read(&mut events);
        assert_eq!(events.len(), 1);
    }

    #[test]
    fn a_stream_of_events_comes_through_in_order_but_for_those_that_are_counted() {
        let count = 20 * EVENT_CAPACITY;
        let (mut writer, mut reader) = buffer();
        let thread = thread::spawn(move || (0..count).for_each(|number| writer.write(event(number))));
        let (mut events, mut last, mut seen) = (Vec::new(), None, 0);
        loop {
            let is_last = reader.is_closed();
            reader.read(&mut events);
            for event in events.drain(..) {
                let What::Overflow { tasks, .. } = event.what() else { panic!("nothing else was written: {event:?}") };
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
