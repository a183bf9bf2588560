//! Protocol Buffers, as far as a writer needs them: numbers, eight bytes, texts, and messages within messages.

/// A message that is being written at the end of some bytes.
#[derive(Debug)]
pub(crate) struct Message<'a>(&'a mut Vec<u8>);

const VARINT: u32 = 0;
const EIGHT_BYTES: u32 = 1;
const LENGTH_DELIMITED: u32 = 2;

impl<'a> Message<'a> {
    pub(crate) fn at_the_end_of(bytes: &'a mut Vec<u8>) -> Self {
        Self(bytes)
    }

    pub(crate) fn number(&mut self, field: u32, value: u64) {
        self.tag(field, VARINT);
        self.varint(value);
    }

    pub(crate) fn eight_bytes(&mut self, field: u32, value: u64) {
        self.tag(field, EIGHT_BYTES);
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn text(&mut self, field: u32, text: &str) {
        self.tag(field, LENGTH_DELIMITED);
        self.varint(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }

    /// Writes a message within this one.
    pub(crate) fn message(&mut self, field: u32, write: impl FnOnce(&mut Message<'_>)) {
        self.tag(field, LENGTH_DELIMITED);
        let start = self.0.len();
        // Room for its length: one byte does for most.
        self.0.push(0);
        write(&mut Message(self.0));
        let length = self.0.len() - start - 1;
        if length < 0x80 {
            self.0[start] = length as u8;
            return;
        }
        let mut prefix = Vec::with_capacity(10);
        Message(&mut prefix).varint(length as u64);
        self.0.splice(start..=start, prefix);
    }

    fn tag(&mut self, field: u32, kind: u32) {
        self.varint(u64::from(field << 3 | kind));
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(write: impl FnOnce(&mut Message<'_>)) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(&mut Message::at_the_end_of(&mut bytes));
        bytes
    }

    #[test]
    fn numbers_take_seven_bits_a_byte() {
        assert_eq!(bytes(|message| message.number(1, 150)), [0x08, 0x96, 0x01]);
        assert_eq!(bytes(|message| message.number(58, 3)), [0xd0, 0x03, 0x03]);
        let most = bytes(|message| message.number(1, u64::MAX));
        assert_eq!(most, [0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]);
    }

    #[test]
    fn texts_and_eight_bytes_are_as_the_format_has_them() {
        assert_eq!(bytes(|message| message.text(2, "testing")), *b"\x12\x07testing");
        assert_eq!(bytes(|message| message.eight_bytes(47, 1)), [0xf9, 0x02, 1, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn a_message_within_one_bears_its_length_short_or_long() {
        let short = bytes(|message| message.message(3, |inner| inner.number(1, 150)));
        assert_eq!(short, [0x1a, 0x03, 0x08, 0x96, 0x01]);
        let text = "x".repeat(300);
        let long = bytes(|message| message.message(3, |inner| inner.text(1, &text)));
        // 300 bytes of text, 3 for its own tag and length.
        assert_eq!(long[..6], [0x1a, 0xaf, 0x02, 0x0a, 0xac, 0x02]);
        assert_eq!(long.len(), 6 + 300);
    }
}
