//! Writes the packets of a trace that no program recorded, sound or not.

use wsrt_trace::fields::{
    builtin_clock, debug_annotation, process_descriptor, sequence_flags, thread_descriptor, trace, trace_packet,
    trace_packet_defaults, track_descriptor, track_event, track_event_type,
};
use wsrt_trace::wire::MessageWriter;
use wsrt_trace::{AnnotationKey, EventName, PollOutcome, Track, names};

/// A message under construction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Message(pub(crate) Vec<u8>);

impl Message {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn varint(mut self, field: u32, number: u64) -> Self {
        MessageWriter::at_the_end_of(&mut self.0).varint(field, number);
        self
    }

    pub(crate) fn fixed64(mut self, field: u32, number: u64) -> Self {
        MessageWriter::at_the_end_of(&mut self.0).fixed64(field, number);
        self
    }

    pub(crate) fn text(mut self, field: u32, text: &str) -> Self {
        MessageWriter::at_the_end_of(&mut self.0).string(field, text);
        self
    }

    pub(crate) fn message(mut self, field: u32, message: &Message) -> Self {
        MessageWriter::at_the_end_of(&mut self.0).bytes(field, &message.0);
        self
    }
}

/// An annotation's value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value<'a> {
    Number(u64),
    Text(&'a str),
    Flag(bool),
    Texts(&'a [&'a str]),
}

pub(crate) const BEGIN: u64 = track_event_type::SLICE_BEGIN;
pub(crate) const END: u64 = track_event_type::SLICE_END;
pub(crate) const INSTANT: u64 = track_event_type::INSTANT;

pub(crate) const PROCESS: u64 = Track::Process.uuid();
pub(crate) const NETPOLLER: u64 = Track::Netpoller.uuid();
pub(crate) const INJECTOR: u64 = Track::Injector.uuid();
pub(crate) const PROCESSOR: u64 = Track::Processor(0).uuid();
pub(crate) const QUEUE: u64 = Track::Queue(0).uuid();
pub(crate) const THREAD: u64 = Track::Thread(0).uuid();

const PID: u64 = 4242;
const SEQUENCE: u64 = 1;

/// A file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace {
    pub(crate) bytes: Vec<u8>,
}

impl Trace {
    /// A file with its first packet, and the tracks of the process and of `processors`.
    pub(crate) fn new(process: &str, processors: u64) -> Self {
        let mut trace = Self::default();
        let defaults = Message::new().varint(trace_packet_defaults::TIMESTAMP_CLOCK_ID, builtin_clock::MONOTONIC);
        let first = packet().varint(trace_packet::SEQUENCE_FLAGS, sequence_flags::INCREMENTAL_STATE_CLEARED);
        trace.packet(&first.message(trace_packet::TRACE_PACKET_DEFAULTS, &defaults));
        let descriptor =
            Message::new().varint(process_descriptor::PID, PID).text(process_descriptor::PROCESS_NAME, process);
        trace.track(&track(PROCESS).message(track_descriptor::PROCESS, &descriptor));
        trace.track(&child(NETPOLLER, &Track::Netpoller.name()));
        for index in 0..processors {
            trace.processor(index, &names::processor(index));
        }
        trace
    }

    /// The track of a processor.
    pub(crate) fn processor(&mut self, index: u64, name: &str) {
        let lane = child(PROCESSOR + index, name);
        self.track(&lane.varint(track_descriptor::SIBLING_ORDER_RANK, index));
    }

    pub(crate) fn thread(&mut self, number: u64, name: &str) {
        let thread = Message::new()
            .varint(thread_descriptor::PID, PID)
            .varint(thread_descriptor::TID, PID + number)
            .text(thread_descriptor::THREAD_NAME, name);
        let track = track(THREAD + number).varint(track_descriptor::PARENT_UUID, PROCESS);
        self.track(&track.message(track_descriptor::THREAD, &thread));
    }

    pub(crate) fn track(&mut self, descriptor: &Message) {
        self.packet(&packet().message(trace_packet::TRACK_DESCRIPTOR, descriptor));
    }

    pub(crate) fn packet(&mut self, packet: &Message) {
        self.bytes.extend(Message::new().message(trace::PACKET, packet).0);
    }

    pub(crate) fn event(
        &mut self,
        at: u64,
        kind: u64,
        track: u64,
        name: &str,
        annotations: &[(AnnotationKey, Value<'_>)],
    ) {
        let mut event = Message::new().varint(track_event::TYPE, kind).varint(track_event::TRACK_UUID, track);
        if !name.is_empty() {
            event = event.text(track_event::NAME, name);
        }
        for (key, value) in annotations {
            let annotation = Message::new().text(debug_annotation::NAME, key.name());
            let annotation = match *value {
                Value::Number(number) => annotation.varint(debug_annotation::UINT_VALUE, number),
                Value::Text(text) => annotation.text(debug_annotation::STRING_VALUE, text),
                Value::Flag(flag) => annotation.varint(debug_annotation::BOOL_VALUE, flag.into()),
                Value::Texts(texts) => texts.iter().fold(annotation, |annotation, text| {
                    let element = Message::new().text(debug_annotation::STRING_VALUE, text);
                    annotation.message(debug_annotation::ARRAY_VALUES, &element)
                }),
            };
            event = event.message(track_event::DEBUG_ANNOTATIONS, &annotation);
        }
        self.track_event(at, &event);
    }

    pub(crate) fn counter(&mut self, at: u64, track: u64, value: u64) {
        let event = Message::new()
            .varint(track_event::TYPE, track_event_type::COUNTER)
            .varint(track_event::TRACK_UUID, track)
            .varint(track_event::COUNTER_VALUE, value);
        self.track_event(at, &event);
    }

    fn track_event(&mut self, at: u64, event: &Message) {
        let timed = Message::new().varint(trace_packet::TIMESTAMP, at);
        let timed = timed.varint(trace_packet::TRUSTED_PACKET_SEQUENCE_ID, SEQUENCE);
        self.packet(&timed.message(trace_packet::TRACK_EVENT, event));
    }

    /// A poll on processor `index`.
    pub(crate) fn poll(
        &mut self,
        begin: u64,
        end: u64,
        index: u64,
        name: &str,
        annotations: &[(AnnotationKey, Value<'_>)],
    ) {
        self.event(begin, BEGIN, PROCESSOR + index, name, annotations);
        self.end_poll(end, PROCESSOR + index);
    }

    pub(crate) fn end_poll(&mut self, end: u64, track: u64) {
        let outcome = [(AnnotationKey::Outcome, Value::Text(PollOutcome::Pending.name()))];
        self.event(end, END, track, "", &outcome);
    }

    /// A host of a simulation, with a processor.
    pub(crate) fn host(&mut self, host: u32, name: &str, processor: u16) {
        self.track(&child(Track::Host(host).uuid(), name));
        let lane = track(Track::HostProcessor { host, processor }.uuid());
        let lane = lane.text(track_descriptor::NAME, &format!("{name} {}", names::processor(processor)));
        self.track(&lane.varint(track_descriptor::PARENT_UUID, Track::Host(host).uuid()));
    }

    /// The mark at the file's end.
    pub(crate) fn close(&mut self, at: u64, dropped: u64) {
        let count = [(AnnotationKey::Count, Value::Number(dropped))];
        self.event(at, INSTANT, PROCESS, EventName::EventsDropped.name(), &count);
    }
}

fn packet() -> Message {
    Message::new().varint(trace_packet::TRUSTED_PACKET_SEQUENCE_ID, SEQUENCE)
}

fn track(uuid: u64) -> Message {
    Message::new().varint(track_descriptor::UUID, uuid)
}

fn child(uuid: u64, name: &str) -> Message {
    track(uuid).text(track_descriptor::NAME, name).varint(track_descriptor::PARENT_UUID, PROCESS)
}
