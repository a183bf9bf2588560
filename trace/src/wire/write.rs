//! The writer: varints, fixed-length numbers, strings, and nested messages.

use super::wire_type::{BITS, FIXED64, LENGTH_DELIMITED, VARINT};

/// Appends the fields of a message to a byte vector.
#[derive(Debug)]
pub struct MessageWriter<'a>(&'a mut Vec<u8>);

impl<'a> MessageWriter<'a> {
    /// Creates a writer that appends to `bytes`.
    pub fn at_the_end_of(bytes: &'a mut Vec<u8>) -> Self {
        Self(bytes)
    }

    /// Writes a number field as a varint, in as few bytes as the number needs.
    pub fn varint(&mut self, field: u32, value: u64) {
        self.key(field, VARINT);
        push_varint(self.0, value);
    }

    /// Writes a number field with a fixed length of eight bytes.
    pub fn fixed64(&mut self, field: u32, value: u64) {
        self.key(field, FIXED64);
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    /// Writes a string field, as the length of the string followed by its bytes.
    pub fn string(&mut self, field: u32, text: &str) {
        self.bytes(field, text.as_bytes());
    }

    /// Writes a field of raw bytes, such as a message that is already encoded.
    pub fn bytes(&mut self, field: u32, bytes: &[u8]) {
        self.key(field, LENGTH_DELIMITED);
        push_varint(self.0, bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// Writes a nested message, whose fields are written by the closure `write`.
    pub fn message(&mut self, field: u32, write: impl FnOnce(&mut MessageWriter<'_>)) {
        self.key(field, LENGTH_DELIMITED);
        let start = self.0.len();
        // Room for its length: one byte is enough for most.
        self.0.push(0);
        write(&mut MessageWriter(self.0));
        let length = self.0.len() - start - 1;
        if length < 0x80 {
            self.0[start] = length as u8;
            return;
        }
        let mut prefix = Vec::with_capacity(10);
        push_varint(&mut prefix, length as u64);
        self.0.splice(start..=start, prefix);
    }

    fn key(&mut self, field: u32, wire_type: u64) {
        push_varint(self.0, u64::from(field) << BITS | wire_type);
    }
}

/// Appends a number in as few bytes as it needs, with seven bits in each, the lowest first.
pub fn push_varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests {
    use super::*;

    fn bytes(write: impl FnOnce(&mut MessageWriter<'_>)) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(&mut MessageWriter::at_the_end_of(&mut bytes));
        bytes
    }

    #[test]
    fn numbers_take_seven_bits_a_byte() {
        assert_eq!(bytes(|message| message.varint(1, 150)), [0x08, 0x96, 0x01]);
        assert_eq!(bytes(|message| message.varint(58, 3)), [0xd0, 0x03, 0x03]);
        let most = bytes(|message| message.varint(1, u64::MAX));
        assert_eq!(most, [0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]);
    }

    #[test]
    fn strings_and_eight_bytes_follow_the_format() {
        assert_eq!(bytes(|message| message.string(2, "testing")), *b"\x12\x07testing");
        assert_eq!(bytes(|message| message.fixed64(47, 1)), [0xf9, 0x02, 1, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn a_message_within_one_has_its_length_before_it() {
        let short = bytes(|message| message.message(3, |inner| inner.varint(1, 150)));
        assert_eq!(short, [0x1a, 0x03, 0x08, 0x96, 0x01]);
        let text = "x".repeat(300);
        let long = bytes(|message| message.message(3, |inner| inner.string(1, &text)));
        // 300 bytes of text, 3 for its own key and length.
        assert_eq!(long[..6], [0x1a, 0xaf, 0x02, 0x0a, 0xac, 0x02]);
        assert_eq!(long.len(), 6 + 300);
    }
}
