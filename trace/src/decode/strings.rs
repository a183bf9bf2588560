//! Names, each kept once: what names a task or a place in the source is told by many events.

use std::collections::HashMap;

/// So many names are told apart, of so many bytes together: a program that names each connection has no end of them.
const MOST: usize = 1 << 16;
const MOST_BYTES: usize = 16 << 20;
/// A longer name is cut.
const LONGEST: usize = 400;

/// A name that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(u32);

impl Name {
    /// Nothing was said.
    pub const NONE: Self = Self(0);
    /// One of those for which there was no room.
    pub const OTHER: Self = Self(1);
}

/// The names that were met.
#[derive(Debug)]
pub struct Strings {
    known: HashMap<Box<str>, Name>,
    texts: Vec<Box<str>>,
    bytes: usize,
    lost: bool,
}

impl Default for Strings {
    fn default() -> Self {
        Self {
            known: HashMap::new(),
            texts: vec!["(no name)".into(), "(one of many other names)".into()],
            bytes: 0,
            lost: false,
        }
    }
}

impl Strings {
    /// The name that these bytes spell; what is not UTF-8 in them is replaced.
    pub fn keep(&mut self, bytes: &[u8]) -> Name {
        let text = String::from_utf8_lossy(bytes);
        let text = shortened(&text);
        if text.is_empty() {
            return Name::NONE;
        }
        if let Some(name) = self.known.get(text) {
            return *name;
        }
        if self.texts.len() >= MOST || self.bytes + text.len() > MOST_BYTES {
            self.lost = true;
            return Name::OTHER;
        }
        let name = Name(self.texts.len() as u32);
        self.bytes += text.len();
        self.texts.push(text.into());
        self.known.insert(text.into(), name);
        name
    }

    pub fn text(&self, name: Name) -> &str {
        &self.texts[name.0 as usize]
    }

    /// Whether there were names for which there was no room.
    pub fn lost(&self) -> bool {
        self.lost
    }
}

fn shortened(text: &str) -> &str {
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_kept_once() {
        let mut strings = Strings::default();
        let (first, other) = (strings.keep(b"accept"), strings.keep(b"serve"));
        assert_ne!(first, other);
        assert_eq!(strings.keep(b"accept"), first);
        assert_eq!((strings.text(first), strings.text(other)), ("accept", "serve"));
        assert_eq!(strings.keep(b""), Name::NONE);
    }

    #[test]
    fn a_name_may_be_long_and_no_utf8() {
        let mut strings = Strings::default();
        let name = strings.keep("é".repeat(LONGEST).as_bytes());
        assert_eq!(strings.text(name), "é".repeat(LONGEST / 2));
        let name = strings.keep(b"a\xff");
        assert_eq!(strings.text(name), "a\u{fffd}");
    }

    #[test]
    fn there_is_an_end_to_what_is_kept() {
        let mut strings = Strings::default();
        for number in 0..2 * MOST {
            strings.keep(number.to_string().as_bytes());
        }
        assert!(strings.lost());
        assert_eq!(strings.texts.len(), MOST);
        assert_eq!(strings.keep(b"no room"), Name::OTHER);
        assert_ne!(strings.keep(b"17"), Name::OTHER);
    }
}
