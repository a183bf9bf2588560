//! The bytes of dial9's trace format, version 1: a header, and frames for schemas, strings and
//! events. Its numbers are facts of the format's specification.

use std::collections::HashMap;

use wsrt_trace::wire::push_varint;

/// The beginning of a file, with the version.
const HEADER: &[u8] = b"TRC\0\x01";

/// The tags of frames.
mod frame {
    pub(super) const SCHEMA: u8 = 1;
    pub(super) const EVENT: u8 = 2;
    pub(super) const STRINGS: u8 = 3;
    pub(super) const TIME: u8 = 5;
}

/// The longest time from one event to the next that an event has room for, in nanoseconds.
const LONGEST_STEP: u64 = (1 << 24) - 1;

/// A value of an event's field.
#[derive(Clone, Copy, Debug)]
pub(super) enum Field<'a> {
    Bool(bool),
    U8(u8),
    U32(u32),
    Number(u64),
    /// A text that is written once, and then referred to.
    Text(&'a str),
}

impl Field<'_> {
    /// Returns the number of the field's type.
    fn type_number(self) -> u8 {
        match self {
            Field::Bool(_) => 3,
            Field::Text(_) => 7,
            Field::Number(_) => 9,
            Field::U8(_) => 11,
            Field::U32(_) => 13,
        }
    }
}

/// Writes events one after the other.
#[derive(Debug)]
pub(super) struct Writer {
    bytes: Vec<u8>,
    schemas: HashMap<&'static str, u16>,
    strings: HashMap<String, u32>,
    /// The time of the last event.
    at: u64,
}

impl Writer {
    pub(super) fn begin() -> Self {
        Self { bytes: HEADER.to_vec(), schemas: HashMap::new(), strings: HashMap::new(), at: 0 }
    }

    /// Returns the bytes of the whole trace.
    pub(super) fn end(self) -> Vec<u8> {
        self.bytes
    }

    /// Writes an event of the type `name`, whose events all have the same fields.
    pub(super) fn event(&mut self, name: &'static str, at: u64, fields: &[(&str, Field<'_>)]) {
        let schema = self.schema(name, fields);
        for (_, field) in fields {
            if let Field::Text(text) = field {
                self.define(text);
            }
        }
        let step = match at.checked_sub(self.at) {
            Some(step @ ..=LONGEST_STEP) => step,
            _ => {
                self.bytes.push(frame::TIME);
                self.bytes.extend(at.to_le_bytes());
                0
            }
        };
        self.at = at;
        self.bytes.push(frame::EVENT);
        self.bytes.extend(schema.to_le_bytes());
        self.bytes.extend(&step.to_le_bytes()[..3]);
        for &(_, field) in fields {
            match field {
                Field::Bool(value) => self.bytes.push(value.into()),
                Field::U8(value) => self.bytes.push(value),
                Field::U32(value) => self.bytes.extend(value.to_le_bytes()),
                Field::Number(value) => push_varint(&mut self.bytes, value),
                Field::Text(text) => self.bytes.extend(self.strings[text].to_le_bytes()),
            }
        }
    }

    /// Returns the number of an event's type, which is described at its first use.
    fn schema(&mut self, name: &'static str, fields: &[(&str, Field<'_>)]) -> u16 {
        if let Some(&schema) = self.schemas.get(name) {
            return schema;
        }
        let schema = self.schemas.len() as u16;
        self.schemas.insert(name, schema);
        self.bytes.push(frame::SCHEMA);
        self.bytes.extend(schema.to_le_bytes());
        self.short_text(name);
        // Each event has a time, which is no field.
        self.bytes.push(1);
        self.bytes.extend((fields.len() as u16).to_le_bytes());
        for (name, field) in fields {
            self.short_text(name);
            self.bytes.push(field.type_number());
        }
        schema
    }

    /// Writes a text, unless it was written before.
    fn define(&mut self, text: &str) {
        if self.strings.contains_key(text) {
            return;
        }
        let number = self.strings.len() as u32;
        self.strings.insert(text.to_owned(), number);
        self.bytes.push(frame::STRINGS);
        for word in [1, number, text.len() as u32] {
            self.bytes.extend(word.to_le_bytes());
        }
        self.bytes.extend(text.as_bytes());
    }

    fn short_text(&mut self, text: &str) {
        self.bytes.extend((text.len() as u16).to_le_bytes());
        self.bytes.extend(text.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_described_once_and_times_are_steps() {
        let mut writer = Writer::begin();
        writer.event("A", 1 << 40, &[("n", Field::Number(300)), ("t", Field::Text("x"))]);
        let first = writer.bytes.clone();
        let schema = b"\x01\0\0\x01\0A\x01\x02\0\x01\0n\x09\x01\0t\x07";
        let string = b"\x03\x01\0\0\0\0\0\0\0\x01\0\0\0x";
        let time = b"\x05\0\0\0\0\0\x01\0\0";
        let event = b"\x02\0\0\0\0\0\xac\x02\0\0\0\0";
        assert_eq!(first, [HEADER, schema, string, time, event].concat());
        writer.event("A", (1 << 40) + 0x0102, &[("n", Field::Number(0)), ("t", Field::Text("x"))]);
        assert_eq!(&writer.end()[first.len()..], b"\x02\0\0\x02\x01\0\0\0\0\0\0");
    }
}
