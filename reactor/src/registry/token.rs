//! The number that comes back with each event: a slab key and the generation of the key's entry.
//!
//! Events are fetched in batches, so one can still be undelivered when its source is already
//! deregistered and the key has a new entry. The generation distinguishes the two. On 64-bit
//! targets both parts have 32 bits. On 32-bit targets the key has 20 (about a million sockets) and
//! the generation 12: an event is taken for the new entry's if exactly a multiple of 4096 sockets
//! were registered between its arrival and its dispatch. The cost of that is one operation tried in
//! vain.

const KEY_BITS: u32 = if usize::BITS >= 64 { 32 } else { 20 };
const KEY_MASK: usize = (1 << KEY_BITS) - 1;
const GENERATION_MASK: usize = usize::MAX >> KEY_BITS;

/// The token of the interrupt. No source has it: its key part is the one that [`SourceToken::new`]
/// refuses.
pub(crate) const INTERRUPT: mio::Token = mio::Token(usize::MAX);

/// The token of the alarm at a turn's deadline: the same key part, and another generation.
pub(crate) const ALARM: mio::Token = mio::Token(KEY_MASK);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SourceToken(usize);

impl SourceToken {
    /// None when the key does not fit: more sources than the token can number.
    pub(crate) fn new(key: usize, generation: usize) -> Option<Self> {
        (key < KEY_MASK).then_some(Self((generation & GENERATION_MASK) << KEY_BITS | key))
    }

    pub(crate) fn key(self) -> usize {
        self.0 & KEY_MASK
    }
}

impl From<SourceToken> for mio::Token {
    fn from(token: SourceToken) -> Self {
        mio::Token(token.0)
    }
}

impl From<mio::Token> for SourceToken {
    fn from(token: mio::Token) -> Self {
        Self(token.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_comes_back_whatever_the_generation() {
        for generation in [0, 1, GENERATION_MASK, GENERATION_MASK + 1, usize::MAX] {
            let token = SourceToken::new(KEY_MASK - 1, generation).expect("the largest key fits");
            assert_eq!(token.key(), KEY_MASK - 1);
        }
    }

    #[test]
    fn two_entries_of_a_key_have_different_tokens() {
        assert_ne!(SourceToken::new(7, 1), SourceToken::new(7, 2));
    }

    #[test]
    fn no_source_is_given_the_token_of_interrupt_or_alarm() {
        assert_ne!(ALARM, INTERRUPT);
        assert_eq!(SourceToken::new(KEY_MASK, usize::MAX), None);
        for key in [0, KEY_MASK - 1] {
            let token = SourceToken::new(key, usize::MAX).expect("fits");
            assert_ne!(mio::Token::from(token), INTERRUPT);
            assert_ne!(mio::Token::from(token), ALARM);
        }
    }
}
