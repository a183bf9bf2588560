//! The event buffer of one thread. The thread writes events, the recorder reads them, and neither
//! waits for the other.
//!
//! ```text
//!                 read                               written
//!                   v                                   v
//!   [ .   .   .   . | e1  e2 ] ──► [ e3  e4  e5  e6 ] ──► [ e7 | .   .   . ]       chunks
//!     ^                                                   ^
//!     freed when the reader moves on                      added when the writer needs it
//! ```
//!
//! When the buffer is full, the writer drops new events and counts them. A thread that rarely or no
//! longer records events keeps at most one chunk.

use std::fmt;
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

use crate::Event;
use crate::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use crate::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize};
use crate::sync::{Arc, CHUNK, EVENT_CAPACITY, UnsafeCell, uninit_cells};

const _: () = assert!(CHUNK.is_power_of_two() && CHUNK <= EVENT_CAPACITY, "numbers of events wrap");

/// A value that is padded to two cache lines, because CPUs fetch cache lines in pairs.
#[derive(Debug)]
#[repr(align(128))]
struct OwnCacheLines<T>(T);

struct EventBuffer {
    /// The first chunk that has not been freed, or null until there is one. The writer stores the
    /// pointer once, and the reader stores it from then on. Relaxed: it is read by the reader, to
    /// which `written` publishes it, and by the end of the buffer.
    first: AtomicPtr<Chunk>,
    writers_end: OwnCacheLines<WritersEnd>,
    /// The number of events read so far.
    read: OwnCacheLines<AtomicUsize>,
}

/// Room for one event.
type Slot = UnsafeCell<MaybeUninit<Event>>;

/// Room for a fixed number of events.
struct Chunk {
    slots: Box<[Slot]>,
    /// The next chunk, or null until there is one. Relaxed: `written` publishes it, with the first
    /// event there.
    next: AtomicPtr<Chunk>,
}

/// The words that only the writer stores to.
#[derive(Debug)]
struct WritersEnd {
    /// The number of events written so far.
    written: AtomicUsize,
    dropped: AtomicU64,
    /// True if the writer has been dropped.
    closed: AtomicBool,
}

/// The writing half of a thread's event buffer, which is created by [`event_buffer`].
///
/// Writing never blocks. When the buffer is full, new events are dropped and counted.
pub struct EventWriter {
    buffer: Arc<EventBuffer>,
    /// The last chunk, or null if there is none.
    chunk: *mut Chunk,
    /// The slot of the next event, unless the last chunk is full.
    slot: *const Slot,
    written: usize,
    /// The value of the buffer's `read` when the writer last loaded it.
    read: usize,
    dropped: u64,
}

/// The reading half of a thread's event buffer, which is created by [`event_buffer`] and used by
/// the recorder.
pub struct EventReader {
    buffer: Arc<EventBuffer>,
    /// The chunk of the last event that was read, or null if none was.
    chunk: *mut Chunk,
    read: usize,
}

// SAFETY: `written` and `read` give each slot to the writer or to the reader, whichever threads
// those are on, and with its first slot a chunk.
unsafe impl Send for EventWriter {}
// SAFETY: as above.
unsafe impl Send for EventReader {}

/// Creates a buffer with room for [`EVENT_CAPACITY`] events, and returns its writer and its reader.
pub fn event_buffer() -> (EventWriter, EventReader) {
    let writers_end =
        WritersEnd { written: AtomicUsize::new(0), dropped: AtomicU64::new(0), closed: AtomicBool::new(false) };
    let buffer = Arc::new(EventBuffer {
        first: AtomicPtr::new(null_mut()),
        writers_end: OwnCacheLines(writers_end),
        read: OwnCacheLines(AtomicUsize::new(0)),
    });
    let writer =
        EventWriter { buffer: Arc::clone(&buffer), chunk: null_mut(), slot: null(), written: 0, read: 0, dropped: 0 };
    (writer, EventReader { buffer, chunk: null_mut(), read: 0 })
}

impl Chunk {
    fn new() -> Self {
        Self { slots: uninit_cells(CHUNK), next: AtomicPtr::new(null_mut()) }
    }
}

impl EventWriter {
    /// Writes `event` to the buffer. If the buffer is full, the event is dropped and counted
    /// instead.
    #[inline(always)]
    pub fn write(&mut self, event: Event) {
        if self.written % CHUNK == 0 && !self.begin_chunk() {
            return self.drop_one();
        }
        // SAFETY: it is in the last chunk, and the reader frees none but those that the writer has
        // left.
        let slot = unsafe { &*self.slot };
        // SAFETY: the slot was never written: it is the writer's until `written` counts it.
        slot.with_mut(|slot| unsafe { slot.write(MaybeUninit::new(event)) });
        // SAFETY: the chunk has a slot behind this one, or ends there.
        self.slot = unsafe { self.slot.add(1) };
        self.written = self.written.wrapping_add(1);
        // Release pairs with the Acquire in `read`: the event is in its slot.
        self.buffer.writers_end.0.written.store(self.written, Release);
    }

    /// Writes both events and returns `true`. If there is no room for both, writes neither, counts
    /// one dropped event, and returns `false`.
    pub fn write_both(&mut self, first: Event, second: Event) -> bool {
        let fit = self.has_room_for_two();
        if fit {
            self.write(first);
            self.write(second);
        } else {
            self.drop_one();
        }
        fit
    }

    /// Returns true if the buffer has no room for two more events, but the reader that could make
    /// room still exists. Then the caller can wait instead of losing an event.
    #[inline]
    pub fn may_wait(&mut self) -> bool {
        !self.has_room_for_two() && Arc::strong_count(&self.buffer) > 1
    }

    /// Returns whether there is room in the last chunk, or for another chunk.
    #[inline]
    fn has_room_for_two(&mut self) -> bool {
        let in_last_chunk = self.written.wrapping_neg() % CHUNK;
        in_last_chunk >= 2 || self.has_room_for(CHUNK + 1)
    }

    #[inline]
    fn has_room_for(&mut self, events: usize) -> bool {
        if self.written.wrapping_sub(self.read) + events > EVENT_CAPACITY {
            // Acquire pairs with the Release in `read`: the reader is done with the events.
            self.read = self.buffer.read.0.load(Acquire);
        }
        self.written.wrapping_sub(self.read) + events <= EVENT_CAPACITY
    }

    /// Adds a chunk behind the last chunk, which is full. Returns `false` if there is no room for
    /// so many events.
    #[cold]
    #[inline(never)]
    fn begin_chunk(&mut self) -> bool {
        if !self.has_room_for(CHUNK) {
            return false;
        }
        let chunk = Box::new(Chunk::new());
        self.slot = chunk.slots.as_ptr();
        let chunk = Box::into_raw(chunk);
        // SAFETY: as in `write`: if it is not null, it is the last chunk.
        let link = unsafe { self.chunk.as_ref() }.map_or(&self.buffer.first, |last| &last.next);
        link.store(chunk, Relaxed);
        self.chunk = chunk;
        true
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
    /// Returns the number of events that are in the buffer.
    pub fn waiting(&self) -> usize {
        // Relaxed: a number, which does not lead to the events.
        self.buffer.writers_end.0.written.load(Relaxed).wrapping_sub(self.read)
    }

    /// Passes all events that are in the buffer to `take`, in the order in which they were written.
    pub fn read(&mut self, mut take: impl FnMut(Event)) {
        // Acquire pairs with the Release in `write`: the slots below are filled.
        let written = self.buffer.writers_end.0.written.load(Acquire);
        while self.read != written {
            if self.read % CHUNK == 0 {
                self.go_on();
            }
            // SAFETY: there is one, and none but the reader frees it.
            let chunk = unsafe { &*self.chunk };
            // SAFETY: `written` counts the slot: the writer is done with it.
            let event = chunk.slots[self.read % CHUNK].with(|slot| unsafe { slot.read() });
            // SAFETY: the writer filled the slot before `written` counted it.
            let event = unsafe { event.assume_init() };
            self.read = self.read.wrapping_add(1);
            take(event);
        }
        // Release pairs with the Acquire in `has_room_for`: there is room for as many.
        self.buffer.read.0.store(self.read, Release);
    }

    /// Moves on to the next chunk, which contains an event, and frees the previous one.
    fn go_on(&mut self) {
        let next = if self.chunk.is_null() {
            self.buffer.first.load(Relaxed)
        } else {
            // SAFETY: all its events were read, and one behind them was written: the writer has
            // left it.
            unsafe { Box::from_raw(self.chunk) }.next.load(Relaxed)
        };
        self.buffer.first.store(next, Relaxed);
        self.chunk = next;
    }

    /// Returns the number of events dropped so far because the buffer was full.
    pub fn dropped(&self) -> u64 {
        self.buffer.writers_end.0.dropped.load(Relaxed)
    }

    /// Returns whether the writer has been dropped. If `true`, the next call of `read` returns the
    /// last events of the buffer.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        // Acquire pairs with the Release of the writer's drop.
        self.buffer.writers_end.0.closed.load(Acquire)
    }
}

impl Drop for EventBuffer {
    fn drop(&mut self) {
        let mut next = self.first.load(Relaxed);
        while !next.is_null() {
            // SAFETY: the writer and the reader are gone: the chunks are the buffer's alone.
            next = unsafe { Box::from_raw(next) }.next.load(Relaxed);
        }
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

#[cfg(all(test, not(wsrt_loom)))]
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
        reader.read(|event| events.push(event));
        assert!(events.iter().map(|event| event.stamp).eq(0..EVENT_CAPACITY as u64));
        assert_eq!(reader.dropped(), 3);
        writer.write(event(7));
        reader.read(|event| events.push(event));
        assert_eq!((events.len(), events.last().map(|event| event.stamp)), (EVENT_CAPACITY + 1, Some(7)));
    }

    #[test]
    fn of_two_events_both_are_written_or_neither() {
        let (mut writer, mut reader) = event_buffer();
        (0..EVENT_CAPACITY - 1).for_each(|number| writer.write(event(number)));
        assert!(!writer.write_both(event(1), event(2)) && writer.may_wait(), "there is room for one");
        let mut events = Vec::new();
        reader.read(|event| events.push(event));
        assert_eq!((events.len(), reader.dropped()), (EVENT_CAPACITY - 1, 1));
        assert!(!writer.may_wait() && writer.write_both(event(1), event(2)));
        reader.read(|event| events.push(event));
        assert_eq!((events.len(), reader.dropped()), (EVENT_CAPACITY + 1, 1));
    }

    #[test]
    fn a_writer_that_is_gone_leaves_its_events() {
        let (mut writer, mut reader) = event_buffer();
        writer.write(event(1));
        assert!(!reader.is_closed());
        drop(writer);
        assert!(reader.is_closed());
        let mut events = Vec::new();
        reader.read(|event| events.push(event));
        assert_eq!(events.len(), 1);
    }

    #[test]
    fn what_was_read_is_freed_while_the_writer_goes_on() {
        let (mut writer, mut reader) = event_buffer();
        let mut events = Vec::new();
        for round in 0..10 {
            (0..3 * CHUNK).for_each(|number| writer.write(event(number)));
            reader.read(|event| events.push(event));
            assert_eq!(events.len(), (round + 1) * 3 * CHUNK);
            assert_eq!(reader.buffer.first.load(Relaxed), writer.chunk, "the last chunk alone is left");
        }
    }

    #[test]
    fn a_stream_comes_through_in_order_but_for_counted_drops() {
        let count = 20 * EVENT_CAPACITY;
        let (mut writer, mut reader) = event_buffer();
        let thread = thread::spawn(move || (0..count).for_each(|number| writer.write(event(number))));
        let (mut events, mut last, mut seen) = (Vec::new(), None, 0);
        loop {
            let is_last = reader.is_closed();
            reader.read(|event| events.push(event));
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
