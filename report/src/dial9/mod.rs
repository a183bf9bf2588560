//! A trace in the format of dial9, for its viewer: polls, wakes, spawns and ends of tasks, queues,
//! and when each worker was in use.
//!
//! A worker is a processor: dial9 calls it parked while no thread holds it. Polls within polls are
//! left out, and so is what dial9 has no event for: steals, stalls, waits for locks, blocking jobs.

mod writer;

use std::collections::HashMap;
use std::io::{self, Read};

use wsrt_trace::decode::{Decoded, Decoder, NameTable, OpenSlices, PacketReader, TrackEvent};
use wsrt_trace::{EventName, Track, TrackEventKind, names};

use self::writer::{Field, Writer};

/// The worker that stands for threads without a processor.
const NO_WORKER: u64 = 255;
/// The task that stands for what wakes a task and is none.
const NO_TASK: u64 = 0;

/// Converts a trace of wsrt's. Returns dial9's trace and the number of polls.
pub(crate) fn convert(input: impl Read) -> io::Result<(Vec<u8>, u64)> {
    let mut packets = PacketReader::of(input);
    let (mut decoder, mut conversion) = (Decoder::default(), Conversion::new());
    while let Ok(packet) = packets.next_packet()? {
        match decoder.decode(packet) {
            Ok(Decoded::Event(event)) => conversion.add(&event, &decoder.names),
            Ok(Decoded::Track { track: Track::Thread(thread), id: Some(id), .. }) => {
                conversion.threads.insert(thread, id as u32);
            }
            // A packet that is no message is left out, as on the page.
            _ => {}
        }
    }
    Ok((conversion.writer.end(), conversion.polls))
}

/// What the events so far have left behind.
#[derive(Debug)]
struct Conversion {
    writer: Writer,
    polls: u64,
    /// The polls on processors, and what threads are doing.
    open: OpenSlices,
    /// The number of tasks that were last seen in each processor's queue.
    queued: HashMap<u16, u8>,
    /// The system's numbers of the threads.
    threads: HashMap<u64, u32>,
}

impl Conversion {
    fn new() -> Self {
        Self {
            writer: Writer::begin(),
            polls: 0,
            open: OpenSlices::default(),
            queued: HashMap::new(),
            threads: HashMap::new(),
        }
    }

    fn add(&mut self, event: &TrackEvent, names: &NameTable) {
        match (event.track, event.kind) {
            (Track::Queue(processor), TrackEventKind::Counter(waiting)) => {
                self.queued.insert(processor, short(waiting));
            }
            (Track::Injector, TrackEventKind::Counter(waiting)) => {
                self.writer.event("QueueSampleEvent", event.at, &[("global_queue", Field::U8(short(waiting)))]);
            }
            (_, TrackEventKind::Counter(_)) => {}
            (_, TrackEventKind::Instant) => self.add_instant(event, names),
            (_, TrackEventKind::Begin) => self.begin(event, names),
            (_, TrackEventKind::End) => self.end(event, names),
        }
    }

    fn add_instant(&mut self, event: &TrackEvent, names: &NameTable) {
        let Some(task) = event.annotations.task else { return };
        let processor = event.track.processor();
        match EventName::from_name(names.text(event.name)) {
            Some(EventName::Spawn) => {
                let place = event.annotations.spawned_at.map_or("", |place| names.text(place));
                let fields = [
                    ("task_id", Field::Number(task)),
                    ("spawn_loc", Field::Text(place)),
                    ("instrumented", Field::Bool(true)),
                ];
                self.writer.event("TaskSpawnEvent", event.at, &fields);
            }
            Some(EventName::Wake) => {
                let waker = self.open.innermost(event.track).and_then(|slice| slice.task);
                let fields = [
                    ("waker_task_id", Field::Number(waker.unwrap_or(NO_TASK))),
                    ("woken_task_id", Field::Number(task)),
                    ("target_worker", Field::U8(short(processor.map_or(NO_WORKER, u64::from)))),
                ];
                self.writer.event("WakeEventEvent", event.at, &fields);
            }
            Some(EventName::End) => {
                self.writer.event("TaskTerminateEvent", event.at, &[("task_id", Field::Number(task))]);
            }
            _ => {}
        }
    }

    fn begin(&mut self, event: &TrackEvent, names: &NameTable) {
        if let Some(processor) = event.track.processor() {
            if self.open.innermost(event.track).is_none() {
                self.polls += 1;
                let place = event.annotations.spawned_at.map_or("", |place| names.text(place));
                let fields = [
                    ("worker_id", Field::Number(processor.into())),
                    ("local_queue", self.queued(processor)),
                    ("task_id", Field::Number(event.annotations.task.unwrap_or(NO_TASK))),
                    ("spawn_loc", Field::Text(place)),
                ];
                self.writer.event("PollStartEvent", event.at, &fields);
            }
        } else if let Track::Thread(thread) = event.track {
            if let Some(processor) = names::processor_held(names.text(event.name)) {
                let more = [("sched_wait_ns", Field::Number(0))];
                self.use_worker("WorkerUnparkEvent", processor, thread, event.at, &more);
            }
        }
        self.open.begin(event);
    }

    fn end(&mut self, event: &TrackEvent, names: &NameTable) {
        let Some(slice) = self.open.end(event) else { return };
        if let Some(processor) = slice.track.processor() {
            if slice.depth == 0 {
                let worker = ("worker_id", Field::Number(processor.into()));
                self.writer.event("PollEndEvent", event.at, &[worker]);
            }
        } else if let Track::Thread(thread) = slice.track {
            if let Some(processor) = names::processor_held(names.text(slice.name)) {
                self.use_worker("WorkerParkEvent", processor, thread, event.at, &[]);
            }
        }
    }

    /// Writes that a thread takes up a worker, or gives it up.
    fn use_worker(&mut self, name: &'static str, processor: u16, thread: u64, at: u64, more: &[(&str, Field<'_>)]) {
        let mut fields = vec![
            ("worker_id", Field::Number(processor.into())),
            ("local_queue", self.queued(processor)),
            // wsrt records no CPU time.
            ("cpu_time_ns", Field::Number(0)),
        ];
        fields.extend(more);
        fields.push(("tid", Field::U32(self.threads.get(&thread).copied().unwrap_or(0))));
        self.writer.event(name, at, &fields);
    }

    fn queued(&self, processor: u16) -> Field<'static> {
        Field::U8(self.queued.get(&processor).copied().unwrap_or(0))
    }
}

/// Returns the number, or the largest for which there is room.
fn short(number: u64) -> u8 {
    u8::try_from(number).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::program::Program;

    #[test]
    fn each_poll_of_a_trace_is_converted() {
        let (output, polls) = convert(&*Program::usual(500).bytes()).expect("it is read");
        assert_eq!(polls, 500);
        let count = |name: &str| output.windows(name.len()).filter(|bytes| *bytes == name.as_bytes()).count();
        for name in ["PollStartEvent", "PollEndEvent", "WorkerUnparkEvent", "QueueSampleEvent"] {
            assert_eq!(count(name), 1, "{name} is described once");
        }
    }

    #[test]
    fn any_bytes_are_converted_to_something() {
        let mut random = fastrand::Rng::with_seed(1);
        let trace = Program::usual(50).bytes();
        for _ in 0..200 {
            let mut bytes = trace.clone();
            (0..20).for_each(|_| bytes[random.usize(..trace.len())] = random.u8(..));
            convert(&*bytes).expect("it is read");
        }
    }
}
