//! Names, each kept once: many events have the name of one task or of one place in the source.

use std::collections::HashMap;

/// The most names that are kept, and their most bytes together: a program that names each
/// connection has no end of them.
const MOST: usize = 1 << 16;
const MOST_BYTES: usize = 16 << 20;
/// A longer name is cut.
const LONGEST: usize = 400;

/// A name in a [`NameTable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NameId(u32);

impl NameId {
    /// No name, or an empty one.
    pub const NONE: Self = Self(0);
    /// One of the names for which there was no room.
    pub const OTHER: Self = Self(1);
}

/// The names of a trace.
#[derive(Debug)]
pub struct NameTable {
    known: HashMap<Box<str>, NameId>,
    texts: Vec<Box<str>>,
    bytes: usize,
    lost: bool,
}

impl Default for NameTable {
    fn default() -> Self {
        Self {
            known: HashMap::new(),
            texts: vec!["(no name)".into(), "(one of many other names)".into()],
            bytes: 0,
            lost: false,
        }
    }
}

impl NameTable {
    /// Returns the name that these bytes spell; bytes that are not UTF-8 are replaced.
    pub fn keep(&mut self, bytes: &[u8]) -> NameId {
        let text = String::from_utf8_lossy(bytes);
        let text = shortened(&text);
        if text.is_empty() {
            return NameId::NONE;
        }
        if let Some(name) = self.known.get(text) {
            return *name;
        }
        if self.texts.len() >= MOST || self.bytes + text.len() > MOST_BYTES {
            self.lost = true;
            return NameId::OTHER;
        }
        let name = NameId(self.texts.len() as u32);
        self.bytes += text.len();
        self.texts.push(text.into());
        self.known.insert(text.into(), name);
        name
    }

    /// Returns the text of a name.
    pub fn text(&self, name: NameId) -> &str {
        &self.texts[name.0 as usize]
    }

    /// Returns whether there were names for which there was no room.
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

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_kept_once() {
        let mut strings = NameTable::default();
        let (first, other) = (strings.keep(b"accept"), strings.keep(b"serve"));
        assert_ne!(first, other);
        assert_eq!(strings.keep(b"accept"), first);
        assert_eq!((strings.text(first), strings.text(other)), ("accept", "serve"));
        assert_eq!(strings.keep(b""), NameId::NONE);
    }

    #[test]
    fn a_name_may_be_long_or_not_utf8() {
        let mut strings = NameTable::default();
        let name = strings.keep("é".repeat(LONGEST).as_bytes());
        assert_eq!(strings.text(name), "é".repeat(LONGEST / 2));
        let name = strings.keep(b"a\xff");
        assert_eq!(strings.text(name), "a\u{fffd}");
    }

    #[test]
    fn the_number_of_names_is_bounded() {
        let mut strings = NameTable::default();
        for number in 0..2 * MOST {
            strings.keep(number.to_string().as_bytes());
        }
        assert!(strings.lost());
        assert_eq!(strings.texts.len(), MOST);
        assert_eq!(strings.keep(b"no room"), NameId::OTHER);
        assert_ne!(strings.keep(b"17"), NameId::OTHER);
    }
}
