//! Decodes packets to events: the parts of Perfetto's messages that wsrt writes, and the interned
//! names that the messages refer to by number.

use std::collections::HashMap;

use super::annotations::{self, Annotations};
use super::event::{Decoded, TrackEvent};
use super::strings::{NameId, NameTable};
use crate::fields::{
    interned_data, interned_entry, process_descriptor, sequence_flags, thread_descriptor, trace_packet,
    trace_packet_defaults, track_descriptor, track_event, track_event_defaults,
};
use crate::names::AnnotationKey;
use crate::track::{Track, TrackEventKind};
use crate::wire::{FieldValue, Fields, Malformed};

/// The maximum number of entries in a table of interned names.
const MOST_ENTRIES: usize = 1 << 18;
/// The maximum number of packet sequences. wsrt writes one sequence, but traces of other programs
/// may have been appended to the file.
const MOST_SEQUENCES: usize = 64;

/// The interned names of one sequence of packets.
#[derive(Debug, Default)]
pub(super) struct InternedNames {
    events: HashMap<u64, NameId>,
    keys: HashMap<u64, AnnotationKey>,
    values: HashMap<u64, NameId>,
    default_track: u64,
}

impl InternedNames {
    pub(super) fn key(&self, iid: u64) -> Option<AnnotationKey> {
        self.keys.get(&iid).copied()
    }

    pub(super) fn value(&self, iid: u64) -> Option<NameId> {
        self.values.get(&iid).copied()
    }

    /// Reads an `InternedData` message.
    fn add(&mut self, message: &[u8], names: &mut NameTable) -> Result<(), Malformed> {
        use interned_data::{DEBUG_ANNOTATION_NAMES, DEBUG_ANNOTATION_STRING_VALUES, EVENT_NAMES};
        for field in Fields::of(message) {
            let (number, value) = field?;
            let (EVENT_NAMES | DEBUG_ANNOTATION_NAMES | DEBUG_ANNOTATION_STRING_VALUES, Some(entry)) =
                (number, value.bytes())
            else {
                continue;
            };
            let (iid, text) = entry_of(entry)?;
            match number {
                EVENT_NAMES => insert(&mut self.events, iid, names.keep(text)),
                DEBUG_ANNOTATION_STRING_VALUES => insert(&mut self.values, iid, names.keep(text)),
                _ => {
                    if let Some(key) = annotations::key_of(text) {
                        insert(&mut self.keys, iid, key);
                    }
                }
            }
        }
        Ok(())
    }

    /// Reads a `TracePacketDefaults` message.
    fn take_defaults(&mut self, message: &[u8]) -> Result<(), Malformed> {
        for field in Fields::of(message) {
            if let (trace_packet_defaults::TRACK_EVENT_DEFAULTS, FieldValue::Bytes(event)) = field? {
                self.default_track = number(event, track_event_defaults::TRACK_UUID)?.unwrap_or(0);
            }
        }
        Ok(())
    }
}

fn insert<T>(table: &mut HashMap<u64, T>, iid: u64, value: T) {
    if table.len() < MOST_ENTRIES || table.contains_key(&iid) {
        table.insert(iid, value);
    }
}

/// Reads an entry of interned data, and returns the entry's number and text.
fn entry_of(message: &[u8]) -> Result<(u64, &[u8]), Malformed> {
    let (mut iid, mut text) = (0, &[][..]);
    for field in Fields::of(message) {
        match field? {
            (interned_entry::IID, FieldValue::Varint(number)) => iid = number,
            (interned_entry::TEXT, FieldValue::Bytes(bytes)) => text = bytes,
            _ => {}
        }
    }
    Ok((iid, text))
}

/// Returns the number in field `wanted` of a message.
fn number(message: &[u8], wanted: u32) -> Result<Option<u64>, Malformed> {
    let mut found = None;
    for field in Fields::of(message) {
        let (number, value) = field?;
        if number == wanted {
            found = value.number();
        }
    }
    Ok(found)
}

/// The parts of a packet, before any of them is decoded. A name may be defined after its first use.
#[derive(Default)]
struct PacketParts<'a> {
    at: Option<u64>,
    sequence: u64,
    flags: u64,
    event: Option<&'a [u8]>,
    interned: Option<&'a [u8]>,
    defaults: Option<&'a [u8]>,
    track: Option<&'a [u8]>,
}

impl<'a> PacketParts<'a> {
    fn of(packet: &'a [u8]) -> Result<Self, Malformed> {
        let mut parts = Self::default();
        for field in Fields::of(packet) {
            match field? {
                (trace_packet::TIMESTAMP, value) => parts.at = value.number(),
                (trace_packet::TRUSTED_PACKET_SEQUENCE_ID, FieldValue::Varint(id)) => parts.sequence = id,
                (trace_packet::TRACK_EVENT, value) => parts.event = value.bytes(),
                (trace_packet::INTERNED_DATA, value) => parts.interned = value.bytes(),
                (trace_packet::SEQUENCE_FLAGS, FieldValue::Varint(flags)) => parts.flags = flags,
                (trace_packet::TRACE_PACKET_DEFAULTS, value) => parts.defaults = value.bytes(),
                (trace_packet::TRACK_DESCRIPTOR, value) => parts.track = value.bytes(),
                _ => {}
            }
        }
        Ok(parts)
    }
}

/// Decodes the packets of a trace in order, and keeps track of the names that later packets refer
/// to.
#[derive(Debug, Default)]
pub struct Decoder {
    /// The names in all packets decoded so far.
    pub names: NameTable,
    sequences: HashMap<u64, InternedNames>,
}

impl Decoder {
    /// Decodes the next packet.
    ///
    /// # Errors
    ///
    /// Returns an error if the packet's bytes are not a valid message, or if the packet's event has
    /// no time.
    pub fn decode(&mut self, packet: &[u8]) -> Result<Decoded, Malformed> {
        let parts = PacketParts::of(packet)?;
        // With more sequences, wsrt has not written the file, and the sequences may share a table.
        let known = self.sequences.len() < MOST_SEQUENCES || self.sequences.contains_key(&parts.sequence);
        let interned = self.sequences.entry(if known { parts.sequence } else { 0 }).or_default();
        if parts.flags & sequence_flags::INCREMENTAL_STATE_CLEARED != 0 {
            *interned = InternedNames::default();
        }
        if let Some(message) = parts.interned {
            interned.add(message, &mut self.names)?;
        }
        if let Some(message) = parts.defaults {
            interned.take_defaults(message)?;
        }
        if let Some(message) = parts.track {
            return track(message, &mut self.names);
        }
        match (parts.event, parts.at) {
            (Some(message), Some(at)) => event(message, at, interned, &mut self.names),
            (Some(_), None) => Err(Malformed),
            (None, _) => Ok(Decoded::Nothing),
        }
    }
}

/// Decodes a `TrackDescriptor` message.
fn track(message: &[u8], names: &mut NameTable) -> Result<Decoded, Malformed> {
    use track_descriptor::{NAME, PROCESS, STATIC_NAME, THREAD, UUID};
    let (mut uuid, mut name, mut id) = (0, NameId::NONE, None);
    for field in Fields::of(message) {
        match field? {
            (UUID, FieldValue::Varint(number)) => uuid = number,
            (NAME | STATIC_NAME, FieldValue::Bytes(text)) => name = names.keep(text),
            (PROCESS, FieldValue::Bytes(descriptor)) => {
                id = number(descriptor, process_descriptor::PID)?;
                name = name_in(descriptor, process_descriptor::PROCESS_NAME, names)?.unwrap_or(name);
            }
            (THREAD, FieldValue::Bytes(descriptor)) => {
                id = number(descriptor, thread_descriptor::TID)?;
                name = name_in(descriptor, thread_descriptor::THREAD_NAME, names)?.unwrap_or(name);
            }
            _ => {}
        }
    }
    Ok(Decoded::Track { track: Track::from_uuid(uuid), name, id })
}

fn name_in(message: &[u8], wanted: u32, names: &mut NameTable) -> Result<Option<NameId>, Malformed> {
    let mut name = None;
    for field in Fields::of(message) {
        let (number, value) = field?;
        if let (true, Some(text)) = (number == wanted, value.bytes()) {
            name = Some(names.keep(text));
        }
    }
    Ok(name)
}

/// Decodes a `TrackEvent` message.
fn event(message: &[u8], at: u64, interned: &InternedNames, names: &mut NameTable) -> Result<Decoded, Malformed> {
    use track_event::{COUNTER_VALUE, DEBUG_ANNOTATIONS, NAME, NAME_IID, TRACK_UUID, TYPE};
    let (mut kind, mut value, mut uuid) = (0, 0, interned.default_track);
    let (mut name, mut all) = (NameId::NONE, Annotations::default());
    for field in Fields::of(message) {
        match field? {
            (DEBUG_ANNOTATIONS, FieldValue::Bytes(annotation)) => {
                annotations::read(annotation, interned, names, &mut all)?;
            }
            (TYPE, FieldValue::Varint(number)) => kind = number,
            (NAME_IID, FieldValue::Varint(iid)) => name = interned.events.get(&iid).copied().unwrap_or(NameId::NONE),
            (TRACK_UUID, FieldValue::Varint(number)) => uuid = number,
            (NAME, FieldValue::Bytes(text)) => name = names.keep(text),
            (COUNTER_VALUE, FieldValue::Varint(number)) => value = number,
            _ => {}
        }
    }
    let Some(kind) = TrackEventKind::from_number(kind, value) else { return Ok(Decoded::Nothing) };
    Ok(Decoded::Event(TrackEvent { at, track: Track::from_uuid(uuid), kind, name, annotations: all }))
}
