//! A trace in the format of dial9, for its viewer: polls, wakes, spawns and ends of tasks, queues,
//! and when each worker was in use.
//!
//! A worker is a processor: dial9 calls it parked while no thread holds it. Polls within polls are
//! left out, and so is what dial9 has no event for: steals, stalls, waits for locks, blocking jobs.

mod writer;

use std::collections::HashMap;
use std::io::{self, Read, Write};

use wsrt_trace::decode::{Decoded, Decoder, NameTable, PacketReader, TrackEvent};
use wsrt_trace::{EventName, Track, TrackEventKind, names};

use self::writer::{Field, Writer};

/// The number of bytes after which the output is written.
const PIECE: usize = 1 << 16;
/// The worker that stands for threads without a processor.
const NO_WORKER: u64 = 255;
/// The task that stands for what wakes a task and is none.
const NO_TASK: u64 = 0;

/// Converts a trace of wsrt's. Returns the number of polls.
pub(crate) fn convert(input: impl Read, output: &mut impl Write) -> io::Result<u64> {
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
        if conversion.writer.is_longer_than(PIECE) {
            output.write_all(&conversion.writer.take())?;
        }
    }
    output.write_all(&conversion.writer.take())?;
    Ok(conversion.polls)
}

/// What the events so far have left behind.
#[derive(Debug)]
struct Conversion {
    writer: Writer,
    polls: u64,
    /// The tasks of the open slices of each processor, the outermost first.
    open: HashMap<u16, Vec<u64>>,
    /// The number of tasks that were last seen in each processor's queue.
    queued: HashMap<u16, u8>,
    /// The slices of each thread: the processor that it holds, if that is what the slice says.
    held: HashMap<u64, Vec<Option<u16>>>,
    /// The system's numbers of the threads.
    threads: HashMap<u64, u32>,
}

impl Conversion {
    fn new() -> Self {
        Self {
            writer: Writer::begin(),
            polls: 0,
            open: HashMap::new(),
            queued: HashMap::new(),
            held: HashMap::new(),
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
            (_, TrackEventKind::Instant) => self.add_instant(event, names),
            (Track::Thread(thread), TrackEventKind::Begin) => self.begin_activity(thread, event, names),
            (Track::Thread(thread), TrackEventKind::End) => self.end_activity(thread, event.at),
            (track, kind) => {
                if let Some(processor) = track.processor() {
                    self.add_poll(processor, kind, event, names);
                }
            }
        }
    }

    fn add_poll(&mut self, processor: u16, kind: TrackEventKind, event: &TrackEvent, names: &NameTable) {
        let worker = ("worker_id", Field::Number(processor.into()));
        let open = self.open.entry(processor).or_default();
        match kind {
            TrackEventKind::Begin => {
                let task = event.annotations.task.unwrap_or(NO_TASK);
                open.push(task);
                if open.len() == 1 {
                    self.polls += 1;
                    let queue = ("local_queue", Field::U8(self.queued.get(&processor).copied().unwrap_or(0)));
                    let place = event.annotations.spawned_at.map_or("", |place| names.text(place));
                    let task = [("task_id", Field::Number(task)), ("spawn_loc", Field::Text(place))];
                    self.writer.event("PollStartEvent", event.at, &[worker, queue, task[0], task[1]]);
                }
            }
            _ => {
                if open.pop().is_some() && open.is_empty() {
                    self.writer.event("PollEndEvent", event.at, &[worker]);
                }
            }
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
                let open = processor.and_then(|processor| self.open.get(&processor)?.last().copied());
                let fields = [
                    ("waker_task_id", Field::Number(open.unwrap_or(NO_TASK))),
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

    fn begin_activity(&mut self, thread: u64, event: &TrackEvent, names: &NameTable) {
        let held = names::processor_held(names.text(event.name));
        self.held.entry(thread).or_default().push(held);
        if let Some(processor) = held {
            self.use_worker("WorkerUnparkEvent", processor, thread, event.at, &[("sched_wait_ns", Field::Number(0))]);
        }
    }

    fn end_activity(&mut self, thread: u64, at: u64) {
        if let Some(Some(processor)) = self.held.get_mut(&thread).and_then(Vec::pop) {
            self.use_worker("WorkerParkEvent", processor, thread, at, &[]);
        }
    }

    /// Writes that a thread takes up a worker, or gives it up.
    fn use_worker(&mut self, name: &'static str, processor: u16, thread: u64, at: u64, more: &[(&str, Field<'_>)]) {
        let mut fields = vec![
            ("worker_id", Field::Number(processor.into())),
            ("local_queue", Field::U8(self.queued.get(&processor).copied().unwrap_or(0))),
            // wsrt records no CPU time.
            ("cpu_time_ns", Field::Number(0)),
        ];
        fields.extend(more);
        fields.push(("tid", Field::U32(self.threads.get(&thread).copied().unwrap_or(0))));
        self.writer.event(name, at, &fields);
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
        let (trace, mut output) = (Program::usual(500).bytes(), Vec::new());
        assert_eq!(convert(&*trace, &mut output).expect("it is read"), 500);
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
            convert(&*bytes, &mut Vec::new()).expect("it is read");
        }
    }
}
