//! Packets to events: Perfetto's messages, as far as wsrt writes them, and the names that stand for numbers in them.

use std::collections::HashMap;

use super::annotations::{self, Key};
use super::event::{Details, Event, Kind, Said, Track};
use super::strings::{Name, Strings};
use crate::wire::read::{Fields, Malformed, Value};

/// `TracePacket.sequence_flags`: what was interned before this packet no longer counts.
const STATE_CLEARED: u64 = 1;
/// A table of interned names has at most so many entries.
const MOST_ENTRIES: usize = 1 << 18;
/// wsrt writes one sequence of packets, and other programs' traces may have been appended to its own.
const MOST_SEQUENCES: usize = 64;

/// What the numbers in one sequence of packets stand for.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    names: HashMap<u64, Name>,
    keys: HashMap<u64, Key>,
    values: HashMap<u64, Name>,
    default_track: u64,
}

impl Tables {
    pub(crate) fn key(&self, iid: u64) -> Option<Key> {
        self.keys.get(&iid).copied()
    }

    pub(crate) fn value(&self, iid: u64) -> Option<Name> {
        self.values.get(&iid).copied()
    }

    /// Takes in an `InternedData`.
    fn learn(&mut self, message: &[u8], strings: &mut Strings) -> Result<(), Malformed> {
        for field in Fields::of(message) {
            let (number, value) = field?;
            let (2 | 3 | 29, Some(entry)) = (number, value.bytes()) else {
                continue;
            };
            let (iid, text) = entry_of(entry)?;
            match (number, Key::of(text)) {
                (2, _) => insert(&mut self.names, iid, strings.keep(text)),
                (29, _) => insert(&mut self.values, iid, strings.keep(text)),
                (_, Some(key)) => insert(&mut self.keys, iid, key),
                (_, None) => {}
            }
        }
        Ok(())
    }

    /// Takes in a `TracePacketDefaults`.
    fn take_defaults(&mut self, message: &[u8]) -> Result<(), Malformed> {
        for field in Fields::of(message) {
            if let (11, Value::Bytes(event)) = field? {
                self.default_track = number(event, 11)?.unwrap_or(0);
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

/// An entry of interned data: `iid = 1`, and a name or a string as 2.
fn entry_of(message: &[u8]) -> Result<(u64, &[u8]), Malformed> {
    let (mut iid, mut text) = (0, &[][..]);
    for field in Fields::of(message) {
        match field? {
            (1, Value::Varint(number)) => iid = number,
            (2, Value::Bytes(bytes)) => text = bytes,
            _ => {}
        }
    }
    Ok((iid, text))
}

/// The number in field `wanted` of a message.
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

/// A packet's parts, before anything in them is read: a name may stand behind its use.
#[derive(Default)]
struct Parts<'a> {
    at: Option<u64>,
    sequence: u64,
    flags: u64,
    event: Option<&'a [u8]>,
    interned: Option<&'a [u8]>,
    defaults: Option<&'a [u8]>,
    track: Option<&'a [u8]>,
}

impl<'a> Parts<'a> {
    fn of(packet: &'a [u8]) -> Result<Self, Malformed> {
        let mut parts = Self::default();
        for field in Fields::of(packet) {
            match field? {
                (8, value) => parts.at = value.number(),
                (10, Value::Varint(sequence)) => parts.sequence = sequence,
                (11, value) => parts.event = value.bytes(),
                (12, value) => parts.interned = value.bytes(),
                (13, Value::Varint(flags)) => parts.flags = flags,
                (59, value) => parts.defaults = value.bytes(),
                (60, value) => parts.track = value.bytes(),
                _ => {}
            }
        }
        Ok(parts)
    }
}

/// What is remembered from packet to packet.
#[derive(Debug, Default)]
pub struct Decoder {
    pub strings: Strings,
    sequences: HashMap<u64, Tables>,
}

impl Decoder {
    /// Reads one packet.
    pub fn decode(&mut self, packet: &[u8]) -> Result<Said, Malformed> {
        let parts = Parts::of(packet)?;
        // Beyond so many sequences the file is not one of wsrt's, and they may share a table.
        let known = self.sequences.len() < MOST_SEQUENCES || self.sequences.contains_key(&parts.sequence);
        let tables = self.sequences.entry(if known { parts.sequence } else { 0 }).or_default();
        if parts.flags & STATE_CLEARED != 0 {
            *tables = Tables::default();
        }
        if let Some(interned) = parts.interned {
            tables.learn(interned, &mut self.strings)?;
        }
        if let Some(defaults) = parts.defaults {
            tables.take_defaults(defaults)?;
        }
        if let Some(message) = parts.track {
            return track(message, &mut self.strings);
        }
        match (parts.event, parts.at) {
            (Some(message), Some(at)) => event(message, at, tables, &mut self.strings),
            (Some(_), None) => Err(Malformed),
            (None, _) => Ok(Said::Nothing),
        }
    }
}

/// Reads a `TrackDescriptor`.
fn track(message: &[u8], strings: &mut Strings) -> Result<Said, Malformed> {
    let (mut uuid, mut name, mut id) = (0, Name::NONE, None);
    for field in Fields::of(message) {
        match field? {
            (1, Value::Varint(number)) => uuid = number,
            (2 | 10, Value::Bytes(text)) => name = strings.keep(text),
            (3, Value::Bytes(descriptor)) => {
                id = number(descriptor, 1)?;
                name = name_in(descriptor, 6, strings)?.unwrap_or(name);
            }
            (4, Value::Bytes(descriptor)) => {
                id = number(descriptor, 2)?;
                name = name_in(descriptor, 5, strings)?.unwrap_or(name);
            }
            _ => {}
        }
    }
    Ok(Said::Track { uuid, name, id })
}

fn name_in(message: &[u8], wanted: u32, strings: &mut Strings) -> Result<Option<Name>, Malformed> {
    let mut name = None;
    for field in Fields::of(message) {
        let (number, value) = field?;
        if let (true, Some(text)) = (number == wanted, value.bytes()) {
            name = Some(strings.keep(text));
        }
    }
    Ok(name)
}

/// Reads a `TrackEvent`.
fn event(message: &[u8], at: u64, tables: &Tables, strings: &mut Strings) -> Result<Said, Malformed> {
    let (mut kind, mut value, mut uuid) = (0, 0, tables.default_track);
    let (mut name, mut details) = (Name::NONE, Details::default());
    for field in Fields::of(message) {
        match field? {
            (4, Value::Bytes(annotation)) => annotations::read(annotation, tables, strings, &mut details)?,
            (9, Value::Varint(number)) => kind = number,
            (10, Value::Varint(iid)) => name = tables.names.get(&iid).copied().unwrap_or(Name::NONE),
            (11, Value::Varint(number)) => uuid = number,
            (23, Value::Bytes(text)) => name = strings.keep(text),
            (30, Value::Varint(number)) => value = number,
            _ => {}
        }
    }
    let kind = match kind {
        1 => Kind::Begin,
        2 => Kind::End,
        3 => Kind::Instant,
        4 => Kind::Counter(value),
        _ => return Ok(Said::Nothing),
    };
    Ok(Said::Event(Event { at, track: Track::of(uuid), kind, name, details }))
}
