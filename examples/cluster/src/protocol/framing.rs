//! Bytes to messages: a message a line, and, since the document itself writes one so, a message
//! over several lines.
//!
//! A line is a message, well-formed or not, with one exception: a line that ends in an opening
//! bracket, a comma or a colon, with brackets still open, is held, and the next lines belong to it
//! until the brackets are closed. So a message that was cut off does not swallow its successors: a
//! line that is a whole message by itself always counts as one, and the lines held before it are a
//! message that breaks off. A reader for a client should not wait for ever while something [is
//! held](Framer::is_holding).
//!
//! No more than [`LONGEST_MESSAGE`] and the last push is ever in memory: the rest of a line that is
//! too long is discarded as it comes.

use super::request::is_whole_message;

/// The longest message, in bytes.
pub const LONGEST_MESSAGE: usize = 1 << 20;

/// A part of the input.
#[derive(Debug, PartialEq, Eq)]
pub enum Frame<'a> {
    /// A message; whether it is well-formed remains to be seen.
    Message(&'a [u8]),
    /// A message that is longer than [`LONGEST_MESSAGE`]. It is skipped up to its line's end.
    TooLong,
}

/// The input of one client.
#[derive(Debug, Default)]
pub struct Framer {
    input: Vec<u8>,
    /// Where the message begins that comes next.
    start: usize,
    /// Where the line begins that comes next. Lines between `start` and here are held.
    line: usize,
    /// How far has been looked for the line's end.
    seen: usize,
    nesting: Nesting,
    is_skipping: bool,
    has_ended: bool,
}

impl Framer {
    /// Takes in bytes that were read.
    pub fn push(&mut self, bytes: &[u8]) {
        self.input.drain(..self.start);
        self.line -= self.start;
        self.seen -= self.start;
        self.start = 0;
        self.input.extend_from_slice(bytes);
    }

    /// Ends the input: the remaining bytes count as the last line.
    pub fn end(&mut self) {
        if self.input.len() > self.line {
            self.push(b"\n");
        }
        self.has_ended = true;
    }

    /// Says whether lines are held of a message that goes on, or breaks off.
    #[must_use]
    pub fn is_holding(&self) -> bool {
        self.line > self.start
    }

    /// Stops waiting for the rest of the message that is held, and returns its beginning.
    pub fn break_off(&mut self) -> Option<Frame<'_>> {
        let held = self.start..self.line;
        self.start = self.line;
        (!held.is_empty()).then(|| Frame::Message(&self.input[held]))
    }

    /// Takes out the next message.
    #[expect(clippy::should_implement_trait, reason = "an iterator cannot lend")]
    pub fn next(&mut self) -> Option<Frame<'_>> {
        loop {
            let Some(length) = self.input[self.seen..].iter().position(|&byte| byte == b'\n') else {
                return self.unfinished();
            };
            let end = self.seen + length;
            if self.is_skipping {
                self.is_skipping = false;
                self.go_on_at(end + 1);
            } else if end - self.start > LONGEST_MESSAGE {
                self.go_on_at(end + 1);
                return Some(Frame::TooLong);
            } else if self.is_holding() && stands_alone(&self.input[self.line..end]) {
                // The line is looked at again, as the first of its message.
                self.seen = self.line;
                return self.break_off();
            } else if self.goes_on_after(end) {
                self.line = end + 1;
                self.seen = self.line;
            } else {
                let message = self.start..end;
                self.go_on_at(end + 1);
                if !self.input[message.clone()].trim_ascii().is_empty() {
                    return Some(Frame::Message(&self.input[message]));
                }
            }
        }
    }

    /// Whether the message goes on after the line that ends at `end`.
    fn goes_on_after(&mut self, end: usize) -> bool {
        let line = &self.input[self.line..end];
        if !self.is_holding() {
            self.nesting = Nesting::default();
            if !matches!(line.trim_ascii_end().last(), Some(b'{' | b'[' | b',' | b':')) {
                return false;
            }
        }
        self.nesting.is_open_after(line)
    }

    fn unfinished(&mut self) -> Option<Frame<'_>> {
        self.seen = self.input.len();
        if self.has_ended {
            return self.break_off();
        }
        if self.is_skipping || self.input.len() - self.start > LONGEST_MESSAGE {
            let was_skipping = std::mem::replace(&mut self.is_skipping, true);
            self.go_on_at(self.input.len());
            return (!was_skipping).then_some(Frame::TooLong);
        }
        None
    }

    fn go_on_at(&mut self, place: usize) {
        self.start = place;
        self.line = place;
        self.seen = place;
    }
}

/// Whether the line is a message although another one is open.
fn stands_alone(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.starts_with(b"{") && line.ends_with(b"}") && is_whole_message(line)
}

/// How many brackets are open.
#[derive(Debug, Default)]
struct Nesting {
    depth: usize,
}

impl Nesting {
    /// Goes through a line. A text that the line's end cuts in two is a mistake that no further
    /// line can mend.
    fn is_open_after(&mut self, line: &[u8]) -> bool {
        let (mut in_text, mut is_escaped) = (false, false);
        for &byte in line {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' if in_text => is_escaped = true,
                b'"' => in_text = !in_text,
                b'{' | b'[' if !in_text => self.depth += 1,
                b'}' | b']' if !in_text && self.depth <= 1 => return false,
                b'}' | b']' if !in_text => self.depth -= 1,
                _ => {}
            }
        }
        self.depth > 0 && !in_text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGE: &str = r#"{"src":"c","dest":"n","body":{"type":"check_cluster_state","msg_id":1}}"#;

    /// Returns the parts as text, for every way of cutting the input into pieces.
    fn frames(input: &str) -> Vec<String> {
        let whole = frames_of([input.as_bytes()]);
        assert_eq!(frames_of(input.as_bytes().chunks(1)), whole);
        assert_eq!(frames_of(input.as_bytes().chunks(7)), whole);
        whole
    }

    fn frames_of<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<String> {
        let mut framer = Framer::default();
        let mut frames = Vec::new();
        let mut drain = |framer: &mut Framer| {
            while let Some(frame) = framer.next() {
                frames.push(match frame {
                    Frame::Message(text) => String::from_utf8_lossy(text).into_owned(),
                    Frame::TooLong => "too long".to_owned(),
                });
            }
        };
        for piece in pieces {
            framer.push(piece);
            drain(&mut framer);
        }
        framer.end();
        drain(&mut framer);
        frames
    }

    #[test]
    fn a_line_is_a_message_and_empty_ones_are_none() {
        assert_eq!(frames("a\nb\r\n\n  \nc"), ["a", "b\r", "c"]);
        assert_eq!(frames(""), [""; 0]);
    }

    #[test]
    fn a_message_may_go_over_several_lines() {
        let message = "{\n  \"a\": [\n    \"x}\",\n    \"\\\"{\"\n  ],\n\n  \"b\": {}\n}";
        assert_eq!(frames(&format!("{message}\n{MESSAGE}\n{message}")), [message, MESSAGE, message]);
        let document = "{ \"type\": \"steal_job\", \"msg_id\": 1,\n  \"busy_workers\": [\"w1\",\"w2\"] }";
        assert_eq!(frames(&format!("{document}\nnext")), [document, "next"]);
    }

    #[test]
    fn a_message_that_breaks_off_swallows_no_other() {
        assert_eq!(frames(&format!("{{\"src\":\"c\"\n{MESSAGE}")), ["{\"src\":\"c\"", MESSAGE]);
        assert_eq!(frames(&format!("{{\n\"src\":\n{MESSAGE}\n}}")), ["{\n\"src\":\n", MESSAGE, "}"]);
        assert_eq!(frames("{\n\"cut in two\n}"), ["{\n\"cut in two", "}"]);
        assert_eq!(frames("{\n"), ["{\n"]);
    }

    #[test]
    fn what_is_held_can_be_given_up() {
        let mut framer = Framer::default();
        framer.push(b"{\n\"a\":");
        assert_eq!(framer.next(), None);
        assert!(framer.is_holding());
        assert_eq!(framer.break_off(), Some(Frame::Message(b"{\n")));
        assert!(!framer.is_holding());
        framer.push(b"1\n");
        assert_eq!(framer.next(), Some(Frame::Message(b"\"a\":1")));
        assert_eq!(framer.break_off(), None);
    }

    #[test]
    fn a_line_that_is_too_long_is_reported_once() {
        let mut framer = Framer::default();
        let mut told = 0;
        for _ in 0..10 * 16 {
            framer.push(&[b'x'; 1 << 16]);
            while let Some(frame) = framer.next() {
                assert_eq!(frame, Frame::TooLong);
                told += 1;
            }
            assert!(framer.input.len() <= LONGEST_MESSAGE + (1 << 16));
        }
        assert_eq!(told, 1);
        framer.push(b"x\nshort\n");
        assert_eq!(framer.next(), Some(Frame::Message(b"short")));
        assert_eq!(framer.next(), None);
    }

    #[test]
    fn so_is_a_message_of_too_many_lines() {
        let line = format!("\"{}\",\n", "x".repeat(1000));
        let frames = frames_of(["[\n"].into_iter().chain([line.as_str(); 1100]).chain([MESSAGE]).map(str::as_bytes));
        assert_eq!(frames.first().map(String::as_str), Some("too long"));
        assert_eq!(frames.last().map(String::as_str), Some(MESSAGE));
    }
}
