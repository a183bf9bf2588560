//! The threads that record events, and the simulated hosts that they drive, by the numbers that
//! timeline entries use for them.

use std::collections::{BTreeMap, VecDeque};

use wsrt_trace::encode::{BatchEntry, EventBatch, ThreadInfo, time_events};
use wsrt_trace::{Event, EventReader};

/// All recorded threads, including ended threads whose events are still in an output. A number is
/// reused once no output has an event of its thread, because programs may start and end threads for
/// as long as the flight recorder runs.
#[derive(Debug, Default)]
pub(super) struct RecordedThreads {
    infos: Vec<ThreadInfo>,
    sources: Vec<Source>,
    ended: EndedIds<usize>,
    /// The numbers that are free for reuse.
    free: Vec<usize>,
}

/// The events of one thread. A simulated host, whose events come from its thread, has a source
/// without a reader.
#[derive(Debug, Default)]
struct Source {
    /// `None` once the thread has ended and all of its events were read.
    reader: Option<EventReader>,
    /// Events that were recorded after the end of the last batch.
    ahead: Vec<Event>,
    /// The number of events that the thread had dropped by the end of the last batch.
    dropped: u64,
    /// The host on which the thread's next events happen.
    host: u32,
    /// The entry numbers of the hosts that the thread drives, by host number.
    hosts: BTreeMap<u32, usize>,
}

/// The number that means no host: events carry the thread's own number.
const NO_HOST: u32 = 0;

impl RecordedThreads {
    pub(super) fn infos(&self) -> &[ThreadInfo] {
        &self.infos
    }

    /// Returns the number of the thread that has recorded entries with this number, which may
    /// belong to a host.
    pub(super) fn recorder_of(&self, number: u32) -> u32 {
        self.infos[number as usize].driver.unwrap_or(number)
    }

    /// Adds a thread whose events are read from `reader`.
    pub(super) fn add(&mut self, info: ThreadInfo, reader: EventReader) {
        self.number(info, Source { reader: Some(reader), ..Source::default() });
    }

    fn number(&mut self, info: ThreadInfo, source: Source) -> usize {
        if let Some(number) = self.free.pop() {
            (self.infos[number], self.sources[number]) = (info, source);
            return number;
        }
        self.infos.push(info);
        self.sources.push(source);
        self.infos.len() - 1
    }

    /// Adds all events recorded before `until` to `batch`, whose end is already set. `host_name`
    /// returns the names of hosts. Returns the event count of the busiest thread.
    pub(super) fn collect(&mut self, until: u64, batch: &mut EventBatch, host_name: &dyn Fn(u32) -> String) -> usize {
        let mut most = 0;
        batch.entries.reserve_exact(self.sources.iter().map(Source::waiting).sum());
        for number in 0..self.sources.len() {
            if self.sources[number].is_spent() {
                continue;
            }
            let mut source = std::mem::take(&mut self.sources[number]);
            let add_host = &mut |host| {
                let info = ThreadInfo { name: host_name(host), driver: Some(number as u32), ..self.infos[number] };
                self.number(info, Source::default())
            };
            most = most.max(source.collect(number, until, batch, add_host));
            if source.is_spent() {
                self.ended.add(batch.until, number);
                source.hosts.values().for_each(|&host| self.ended.add(batch.until, host));
            }
            self.sources[number] = source;
        }
        most
    }

    /// Frees the numbers of threads that ended in batches before `oldest`, which no output
    /// contains.
    pub(super) fn forget_before(&mut self, oldest: u64) {
        while let Some(number) = self.ended.take_older(oldest) {
            self.free.push(number);
        }
    }
}

impl Source {
    /// Returns whether no further event will come from this source.
    fn is_spent(&self) -> bool {
        self.reader.is_none() && self.ahead.is_empty()
    }

    /// Returns the number of events that were recorded and are in no batch yet.
    fn waiting(&self) -> usize {
        self.ahead.len() + self.reader.as_ref().map_or(0, EventReader::waiting)
    }

    /// Adds the events of the thread with this number to `batch`, and returns their number.
    /// `add_host` assigns a number to a new host.
    fn collect(
        &mut self,
        number: usize,
        until: u64,
        batch: &mut EventBatch,
        add_host: &mut dyn FnMut(u32) -> usize,
    ) -> usize {
        let Self { reader, ahead, dropped, host, hosts } = self;
        let mut of_host = |host| {
            if host == NO_HOST { number } else { *hosts.entry(host).or_insert_with(|| add_host(host)) }
        };
        let mut thread = of_host(*host) as u32;
        let first = batch.entries.len();
        let mut later = Vec::new();
        let mut add = |event: Event| {
            // An event that was recorded later holds back all that come behind it.
            if !later.is_empty() || event.recorded_at() > until {
                later.push(event);
            } else if let Some(next) = event.host() {
                *host = next;
                thread = of_host(next) as u32;
            } else {
                batch.entries.push(BatchEntry { thread, later: 0, event });
            }
        };
        ahead.drain(..).for_each(&mut add);
        if let Some(open) = reader {
            let is_last = open.is_closed();
            open.read(&mut add);
            let dropped_by_now = open.dropped();
            batch.dropped += dropped_by_now - std::mem::replace(dropped, dropped_by_now);
            if is_last {
                *reader = None;
            }
        }
        *ahead = later;
        time_events(&mut batch.entries[first..]);
        batch.entries.len() - first
    }
}

/// Ended tasks or threads, each with the end of the batch that has its last event, in batch order.
#[derive(Debug)]
pub(super) struct EndedIds<T>(VecDeque<(u64, T)>);

impl<T> Default for EndedIds<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T> EndedIds<T> {
    /// Adds an entry whose last event is in the batch that ends at `until`, the latest batch so
    /// far.
    pub(super) fn add(&mut self, until: u64, ended: T) {
        self.0.push_back((until, ended));
    }

    /// Takes an entry whose last batch ended before `oldest`, if there is any.
    pub(super) fn take_older(&mut self, oldest: u64) -> Option<T> {
        let &(until, _) = self.0.front()?;
        if until < oldest { self.0.pop_front().map(|(_, ended)| ended) } else { None }
    }
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests {
    use super::*;
    use wsrt_trace::{EventKind, event_buffer};

    fn overflow(stamp: u64) -> Event {
        Event::new(stamp, EventKind::Overflow { processor: 0, tasks: 1 })
    }

    fn info(tid: u32) -> ThreadInfo {
        ThreadInfo { tid, name: "thread".into(), driver: None }
    }

    fn name(host: u32) -> String {
        format!("host {host}")
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
            assert_eq!(threads.collect(u64::from(round), &mut collected, &name), 1);
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
    fn events_of_hosts_have_their_hosts_numbers() {
        let mut threads = RecordedThreads::default();
        let (mut writer, reader) = event_buffer();
        threads.add(info(1), reader);
        let host = |host| Event::new(0, EventKind::Host(host));
        for event in [overflow(1), host(7), overflow(2), host(9), overflow(3), host(7)] {
            writer.write(event);
        }
        let shown = |threads: &mut RecordedThreads, until| {
            let mut batch = batch(until);
            threads.collect(until, &mut batch, &name);
            let of = |entry: &BatchEntry| threads.infos()[entry.thread as usize].name.clone();
            batch.entries.iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!(shown(&mut threads, 3), ["thread", "host 7", "host 9"]);
        [overflow(4), host(0), overflow(5)].into_iter().for_each(|event| writer.write(event));
        drop(writer);
        assert_eq!(shown(&mut threads, 5), ["host 7", "thread"], "a host lasts from one batch to the next");
        assert_eq!(threads.infos.len(), 3);
        threads.forget_before(u64::MAX);
        assert_eq!(threads.free.len(), 3, "hosts end with their thread");
    }

    #[test]
    fn events_after_the_batch_keep_their_ended_thread() {
        let mut threads = RecordedThreads::default();
        let (mut writer, reader) = event_buffer();
        threads.add(info(1), reader);
        writer.write(overflow(5));
        drop(writer);
        assert_eq!(threads.collect(4, &mut batch(4), &name), 0);
        threads.forget_before(u64::MAX);
        threads.add(info(2), event_buffer().1);
        let mut later = batch(6);
        assert_eq!(threads.collect(6, &mut later, &name), 1);
        assert_eq!(threads.infos()[later.entries[0].thread as usize].tid, 1);
    }
}
