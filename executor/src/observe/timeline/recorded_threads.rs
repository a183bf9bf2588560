//! The threads that record events, by the numbers that entries have for them.

use wsrt_trace::encode::{BatchEntry, EventBatch, ThreadInfo, recorded_at, time_events};
use wsrt_trace::{Event, EventReader};

use super::ended::Ended;

/// The threads, those included that have ended and have events in an output. A number is used again
/// once no output has an event of its thread: programs have threads that come and go for as long as
/// the flight recorder runs.
#[derive(Debug, Default)]
pub(super) struct RecordedThreads {
    infos: Vec<ThreadInfo>,
    sources: Vec<Source>,
    ended: Ended<usize>,
    /// The numbers that are free.
    free: Vec<usize>,
}

/// The events of one thread.
#[derive(Debug)]
struct Source {
    /// `None` once the thread has ended and all its events were read.
    reader: Option<EventReader>,
    /// Events that were recorded after the end of the last batch.
    ahead: Vec<Event>,
    /// How many events the thread had dropped by then.
    dropped: u64,
}

impl RecordedThreads {
    pub(super) fn infos(&self) -> &[ThreadInfo] {
        &self.infos
    }

    /// Adds a thread, whose events `reader` reads.
    pub(super) fn add(&mut self, info: ThreadInfo, reader: EventReader) {
        let source = Source { reader: Some(reader), ahead: Vec::new(), dropped: 0 };
        match self.free.pop() {
            Some(number) => (self.infos[number], self.sources[number]) = (info, source),
            None => {
                self.infos.push(info);
                self.sources.push(source);
            }
        }
    }

    /// Adds all events that were recorded by `until` to `batch`, which has its end already. Returns
    /// how many the busiest thread had.
    pub(super) fn collect(&mut self, until: u64, batch: &mut EventBatch) -> usize {
        let mut most = 0;
        for (number, source) in self.sources.iter_mut().enumerate() {
            if source.is_spent() {
                continue;
            }
            most = most.max(source.collect(number as u32, until, batch));
            if source.is_spent() {
                source.ahead = Vec::new();
                self.ended.add(batch.until, number);
            }
        }
        most
    }

    /// Frees the numbers of threads that ended in batches before `oldest`, which no output has.
    pub(super) fn forget_before(&mut self, oldest: u64) {
        while let Some(number) = self.ended.take_older(oldest) {
            self.free.push(number);
        }
    }
}

impl Source {
    /// Whether nothing more will come from it.
    fn is_spent(&self) -> bool {
        self.reader.is_none() && self.ahead.is_empty()
    }

    /// Adds the events of the thread with that number to `batch`. Returns how many.
    fn collect(&mut self, number: u32, until: u64, batch: &mut EventBatch) -> usize {
        if let Some(reader) = &mut self.reader {
            let is_last = reader.is_closed();
            reader.read(&mut self.ahead);
            let dropped = reader.dropped();
            batch.dropped += dropped - std::mem::replace(&mut self.dropped, dropped);
            if is_last {
                self.reader = None;
            }
        }
        let ahead = &mut self.ahead;
        let count = ahead.iter().position(|event| recorded_at(event) > until).unwrap_or(ahead.len());
        let entries = ahead.drain(..count).map(|event| BatchEntry { thread: number, later: 0, event });
        let first = batch.entries.len();
        batch.entries.extend(entries);
        time_events(&mut batch.entries[first..]);
        count
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use wsrt_trace::{EventKind, event_buffer};

    use super::*;

    fn overflow(stamp: u64) -> Event {
        Event::new(stamp, EventKind::Overflow { processor: 0, tasks: 1 })
    }

    fn info(tid: u32) -> ThreadInfo {
        ThreadInfo { tid, name: "thread".into() }
    }

    fn batch(until: u64) -> EventBatch {
        EventBatch { until, ..EventBatch::default() }
    }

    #[test]
    fn threads_that_come_and_go_leave_nothing_behind() {
        let mut threads = RecordedThreads::default();
        for round in 1..=1000 {
            let (mut writer, reader) = event_buffer();
            threads.add(info(round), reader);
            writer.write(overflow(u64::from(round)));
            drop(writer);
            let mut collected = batch(u64::from(round));
            assert_eq!(threads.collect(u64::from(round), &mut collected), 1);
            let last = collected.entries.last().expect("the event");
            assert_eq!(threads.infos()[last.thread as usize].tid, round);
            // The output has the last ten batches.
            threads.forget_before(u64::from(round.saturating_sub(9)));
        }
        assert_eq!((threads.infos.len(), threads.sources.len()), (11, 11));
        let kept: usize = threads.sources.iter().map(|source| source.ahead.capacity()).sum();
        assert_eq!(kept, 0, "room for the events of threads that have ended");
    }

    #[test]
    fn events_after_the_batch_keep_their_ended_thread() {
        let mut threads = RecordedThreads::default();
        let (mut writer, reader) = event_buffer();
        threads.add(info(1), reader);
        writer.write(overflow(5));
        drop(writer);
        assert_eq!(threads.collect(4, &mut batch(4)), 0);
        threads.forget_before(u64::MAX);
        threads.add(info(2), event_buffer().1);
        let mut later = batch(6);
        assert_eq!(threads.collect(6, &mut later), 1);
        assert_eq!(threads.infos()[later.entries[0].thread as usize].tid, 1);
    }
}
