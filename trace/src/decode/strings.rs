//! A table of names that stores each name once, because many events share the name of a task or of
//! a source location.

use std::collections::HashMap;

/// The maximum number of names, and the maximum of their total length in bytes. A program that
/// gives each connection its own name would otherwise use memory without bound.
const MOST: usize = 1 << 16;
const MOST_BYTES: usize = 16 << 20;
/// The maximum length of a name in bytes. A longer name is truncated.
const LONGEST: usize = 400;
/// The maximum number of stacks, and the maximum of their total length in names.
const MOST_STACKS: usize = 1 << 16;
const MOST_IN_STACKS: usize = 1 << 21;

/// The id of a name in a [`NameTable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NameId(u32);

impl NameId {
    /// The id of the empty name.
    pub const NONE: Self = Self(0);
    /// The id that stands for all names that did not fit into the table.
    pub const OTHER: Self = Self(1);
}

/// The id of a stack in a [`NameTable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StackId(u32);

impl StackId {
    /// The id that stands for all stacks that did not fit into the table.
    pub const OTHER: Self = Self(0);
}

/// The names and the stacks that occur in a trace, each stored once.
#[derive(Debug)]
pub struct NameTable {
    known: HashMap<Box<str>, NameId>,
    texts: Vec<Box<str>>,
    bytes: usize,
    known_stacks: HashMap<Box<[NameId]>, StackId>,
    stacks: Vec<Box<[NameId]>>,
    in_stacks: usize,
    lost: bool,
}

impl Default for NameTable {
    fn default() -> Self {
        Self {
            known: HashMap::new(),
            texts: vec!["(no name)".into(), "(one of many other names)".into()],
            bytes: 0,
            known_stacks: HashMap::new(),
            stacks: vec![Box::new([NameId::OTHER])],
            in_stacks: 0,
            lost: false,
        }
    }
}

impl NameTable {
    /// Adds a name to the table if it is new, and returns the name's id. Bytes that are not valid
    /// UTF-8 are replaced.
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

    /// Adds a stack to the table if it is new, and returns the stack's id.
    pub fn keep_stack(&mut self, functions: &[NameId]) -> StackId {
        if let Some(stack) = self.known_stacks.get(functions) {
            return *stack;
        }
        if self.stacks.len() >= MOST_STACKS || self.in_stacks + functions.len() > MOST_IN_STACKS {
            self.lost = true;
            return StackId::OTHER;
        }
        let stack = StackId(self.stacks.len() as u32);
        self.in_stacks += functions.len();
        self.stacks.push(functions.into());
        self.known_stacks.insert(functions.into(), stack);
        stack
    }

    /// Returns the functions of a stack, the outermost first.
    pub fn stack(&self, stack: StackId) -> &[NameId] {
        &self.stacks[stack.0 as usize]
    }

    /// Returns whether any names did not fit into the table.
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

#[cfg(all(test, not(wsrt_loom)))]
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
    fn a_stack_is_kept_once_and_their_number_is_bounded() {
        let mut strings = NameTable::default();
        let functions = [strings.keep(b"main"), strings.keep(b"serve")];
        let stack = strings.keep_stack(&functions);
        assert_eq!(strings.keep_stack(&functions), stack);
        assert_eq!(strings.stack(stack), functions);
        for number in 0..2 * MOST_STACKS as u32 {
            strings.keep_stack(&[NameId(number)]);
        }
        assert!(strings.lost());
        assert_eq!((strings.stacks.len(), strings.keep_stack(&[NameId::NONE; 3])), (MOST_STACKS, StackId::OTHER));
        assert_eq!(strings.stack(StackId::OTHER), [NameId::OTHER]);
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
