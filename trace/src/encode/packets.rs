//! The packets of a trace, each of which is one Protocol Buffers message.

use std::collections::{BTreeMap, HashMap};
use std::panic::Location;

use crate::fields::{
    builtin_clock, clock, clock_snapshot, debug_annotation, interned_data, interned_entry, process_descriptor,
    sequence_flags, thread_descriptor, trace, trace_packet, trace_packet_defaults, track_descriptor, track_event,
};
use crate::int_hasher::IntHasher;
use crate::names::AnnotationKey;
use crate::place::ShortLocation;
use crate::track::{Track, TrackEventKind};
use crate::wire::MessageWriter;

/// The number of the only packet sequence that wsrt writes.
const SEQUENCE: u64 = 1;

/// The number of an interned string, which the file spells out at its first use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StringId(u64);

/// The value of an annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnnotationValue {
    Number(u64),
    Bool(bool),
    String(StringId),
}

pub(super) type Annotation = (AnnotationKey, AnnotationValue);

/// The parts of an event other than its kind, time and track.
#[derive(Clone, Copy, Debug)]
pub(super) struct EventBody<'a> {
    pub(super) name: Option<StringId>,
    pub(super) annotations: &'a [Annotation],
    /// The functions of a CPU sample, the outermost first.
    pub(super) stack: &'a [StringId],
    /// The flow that begins at the event.
    pub(super) flow: Option<u64>,
    /// The flows that end at the event.
    pub(super) ending_flows: &'a [u64],
}

impl EventBody<'_> {
    pub(super) const EMPTY: EventBody<'static> =
        EventBody { name: None, annotations: &[], stack: &[], flow: None, ending_flows: &[] };
}

/// The kind of a track, and the track's name.
#[derive(Debug)]
pub(super) enum TrackDescriptor<'a> {
    Process {
        pid: u64,
        name: &'a str,
    },
    Thread {
        pid: u64,
        tid: u64,
        name: &'a str,
    },
    /// A track of slices and instants, at this position among the tracks of the process or host.
    Slices {
        name: &'a str,
        parent: Track,
        rank: u64,
    },
    Counter {
        name: &'a str,
    },
}

/// Encodes packets, and keeps track of the strings that the file has already spelled out.
#[derive(Debug, Default)]
pub(super) struct PacketWriter {
    bytes: Vec<u8>,
    sites: HashMap<usize, StringId, IntHasher>,
    strings: BTreeMap<Box<str>, StringId>,
    last_string: u64,
}

impl PacketWriter {
    /// Appends the packets encoded since the last call to `into`.
    pub(super) fn take(&mut self, into: &mut Vec<u8>) {
        into.clear();
        std::mem::swap(into, &mut self.bytes);
    }

    fn packet(&mut self, write: impl FnOnce(&mut MessageWriter<'_>)) {
        MessageWriter::at_the_end_of(&mut self.bytes).message(trace::PACKET, |packet| {
            packet.varint(trace_packet::TRUSTED_PACKET_SEQUENCE_ID, SEQUENCE);
            write(packet);
        });
    }

    /// Begins a file, in which no string has been spelled out yet. All times refer to the monotonic
    /// clock, and `clocks` are simultaneous readings of the monotonic clock, the clock since boot
    /// and the wall clock.
    pub(super) fn begin(&mut self, clocks: [u64; 3]) {
        self.packet(|packet| {
            packet.varint(trace_packet::SEQUENCE_FLAGS, sequence_flags::INCREMENTAL_STATE_CLEARED);
            packet.message(trace_packet::TRACE_PACKET_DEFAULTS, |defaults| {
                defaults.varint(trace_packet_defaults::TIMESTAMP_CLOCK_ID, builtin_clock::MONOTONIC);
            });
            packet.message(trace_packet::INTERNED_DATA, |interned| {
                for key in AnnotationKey::ALL {
                    let field = interned_data::DEBUG_ANNOTATION_NAMES;
                    interned.message(field, |entry| spell(entry, key_id(key), key.name()));
                }
            });
        });
        let ids = [builtin_clock::MONOTONIC, builtin_clock::BOOTTIME, builtin_clock::REALTIME];
        self.packet(|packet| {
            packet.message(trace_packet::CLOCK_SNAPSHOT, |snapshot| {
                for (id, time) in ids.into_iter().zip(clocks) {
                    snapshot.message(clock_snapshot::CLOCKS, |entry| {
                        entry.varint(clock::CLOCK_ID, id);
                        entry.varint(clock::TIMESTAMP, time);
                    });
                }
                snapshot.varint(clock_snapshot::PRIMARY_TRACE_CLOCK, builtin_clock::MONOTONIC);
            });
        });
    }

    /// Encodes the description of a track.
    pub(super) fn describe(&mut self, track: Track, descriptor: &TrackDescriptor<'_>) {
        let parent = Track::Process.uuid();
        self.packet(|packet| {
            packet.message(trace_packet::TRACK_DESCRIPTOR, |message| {
                message.varint(track_descriptor::UUID, track.uuid());
                match descriptor {
                    TrackDescriptor::Process { pid, name } => message.message(track_descriptor::PROCESS, |process| {
                        process.varint(process_descriptor::PID, *pid);
                        process.string(process_descriptor::PROCESS_NAME, name);
                    }),
                    TrackDescriptor::Thread { pid, tid, name } => {
                        message.varint(track_descriptor::PARENT_UUID, parent);
                        message.message(track_descriptor::THREAD, |thread| {
                            thread.varint(thread_descriptor::PID, *pid);
                            thread.varint(thread_descriptor::TID, *tid);
                            thread.string(thread_descriptor::THREAD_NAME, name);
                        });
                    }
                    TrackDescriptor::Slices { name, parent, rank } => {
                        message.string(track_descriptor::NAME, name);
                        message.varint(track_descriptor::PARENT_UUID, parent.uuid());
                        message.varint(track_descriptor::SIBLING_ORDER_RANK, *rank);
                    }
                    TrackDescriptor::Counter { name } => {
                        message.string(track_descriptor::NAME, name);
                        message.varint(track_descriptor::PARENT_UUID, parent);
                        message.message(track_descriptor::COUNTER, |_| {});
                    }
                }
            });
        });
    }

    /// Returns the number of a source location, which is spelled out at its first use.
    pub(super) fn site(&mut self, site: &'static Location<'static>) -> StringId {
        let address = std::ptr::from_ref(site).addr();
        if let Some(&id) = self.sites.get(&address) {
            return id;
        }
        let id = self.spell_out(&ShortLocation(site).to_string());
        self.sites.insert(address, id);
        id
    }

    /// Returns the number of a string, which is spelled out at its first use.
    pub(super) fn string(&mut self, text: &str) -> StringId {
        if let Some(&id) = self.strings.get(text) {
            return id;
        }
        let id = self.spell_out(text);
        self.strings.insert(text.into(), id);
        id
    }

    fn spell_out(&mut self, text: &str) -> StringId {
        self.last_string += 1;
        let id = self.last_string;
        self.packet(|packet| {
            packet.varint(trace_packet::SEQUENCE_FLAGS, sequence_flags::NEEDS_INCREMENTAL_STATE);
            packet.message(trace_packet::INTERNED_DATA, |interned| {
                interned.message(interned_data::EVENT_NAMES, |entry| spell(entry, id, text));
                interned.message(interned_data::DEBUG_ANNOTATION_STRING_VALUES, |entry| spell(entry, id, text));
            });
        });
        StringId(id)
    }

    /// Encodes an event at `time`, in nanoseconds of the monotonic clock.
    pub(super) fn event(&mut self, kind: TrackEventKind, time: u64, track: Track, body: &EventBody<'_>) {
        self.packet(|packet| {
            packet.varint(trace_packet::TIMESTAMP, time);
            packet.varint(trace_packet::SEQUENCE_FLAGS, sequence_flags::NEEDS_INCREMENTAL_STATE);
            packet.message(trace_packet::TRACK_EVENT, |event| {
                event.varint(track_event::TYPE, kind.number());
                event.varint(track_event::TRACK_UUID, track.uuid());
                if let Some(StringId(name)) = body.name {
                    event.varint(track_event::NAME_IID, name);
                }
                for (key, value) in body.annotations {
                    event.message(track_event::DEBUG_ANNOTATIONS, |annotation| {
                        annotation.varint(debug_annotation::NAME_IID, key_id(*key));
                        match *value {
                            AnnotationValue::Bool(value) => {
                                annotation.varint(debug_annotation::BOOL_VALUE, value.into());
                            }
                            AnnotationValue::Number(value) => annotation.varint(debug_annotation::UINT_VALUE, value),
                            AnnotationValue::String(StringId(id)) => {
                                annotation.varint(debug_annotation::STRING_VALUE_IID, id);
                            }
                        }
                    });
                }
                if !body.stack.is_empty() {
                    event.message(track_event::DEBUG_ANNOTATIONS, |annotation| {
                        annotation.varint(debug_annotation::NAME_IID, key_id(AnnotationKey::Stack));
                        for &StringId(function) in body.stack {
                            annotation.message(debug_annotation::ARRAY_VALUES, |value| {
                                value.varint(debug_annotation::STRING_VALUE_IID, function);
                            });
                        }
                    });
                }
                if let Some(flow) = body.flow {
                    event.fixed64(track_event::FLOW_IDS, flow);
                }
                for &flow in body.ending_flows {
                    event.fixed64(track_event::TERMINATING_FLOW_IDS, flow);
                }
            });
        });
    }

    /// Encodes the value that a counter has from `time` on.
    pub(super) fn count(&mut self, time: u64, track: Track, value: u64) {
        self.packet(|packet| {
            packet.varint(trace_packet::TIMESTAMP, time);
            packet.message(trace_packet::TRACK_EVENT, |event| {
                event.varint(track_event::TYPE, TrackEventKind::Counter(value).number());
                event.varint(track_event::TRACK_UUID, track.uuid());
                event.varint(track_event::COUNTER_VALUE, value);
            });
        });
    }
}

/// Returns the number that stands for a key in the file. Numbers begin at 1, because 0 would stand
/// for no key.
fn key_id(key: AnnotationKey) -> u64 {
    key as u64 + 1
}

fn spell(entry: &mut MessageWriter<'_>, id: u64, text: &str) {
    entry.varint(interned_entry::IID, id);
    entry.string(interned_entry::TEXT, text);
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut PacketWriter)) -> Vec<u8> {
        let (mut packets, mut bytes) = (PacketWriter::default(), Vec::new());
        write(&mut packets);
        packets.take(&mut bytes);
        bytes
    }

    #[test]
    fn an_event_is_one_packet_with_all_its_parts() {
        let annotations = [
            (AnnotationKey::Task, AnnotationValue::Number(5)),
            (AnnotationKey::Asleep, AnnotationValue::Bool(true)),
            (AnnotationKey::By, AnnotationValue::String(StringId(9))),
        ];
        let (name, flow) = (Some(StringId(2)), Some(7));
        let body = EventBody { name, annotations: &annotations, stack: &[], flow, ending_flows: &[8] };
        let bytes = written(|packets| packets.event(TrackEventKind::Begin, 300, Track::Processor(0), &body));
        #[rustfmt::skip]
        let expected = [
            0x0a, 55, 0x50, 1, 0x40, 0xac, 0x02, 0x68, 2,
            0x5a, 46, 0x48, 1, 0x58, 0xe8, 0x07, 0x50, 2,
            0x22, 4, 0x08, 1, 0x18, 5, 0x22, 4, 0x08, 12, 0x10, 1, 0x22, 5, 0x08, 9, 0x88, 0x01, 9,
            0xf9, 0x02, 7, 0, 0, 0, 0, 0, 0, 0, 0x81, 0x03, 8, 0, 0, 0, 0, 0, 0, 0,
        ];
        assert_eq!(bytes, expected);
    }

    #[test]
    fn a_string_is_spelt_out_once() {
        let site = Location::caller();
        let mut again = None;
        let bytes = written(|packets| {
            let strings = [packets.string("hello"), packets.site(site)];
            again = Some((strings, [packets.string("hello"), packets.site(site)]));
        });
        let (strings, repeated) = again.expect("set above");
        assert_eq!(strings, repeated);
        assert_ne!(strings[0], strings[1]);
        let count = |text: &str| bytes.windows(text.len()).filter(|window| *window == text.as_bytes()).count();
        assert_eq!(count("hello"), 2, "as a name and as a value");
        assert_eq!(count(file!()), 2);
    }
}
