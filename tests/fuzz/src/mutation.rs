//! Mutations: bytes flipped, cut out, repeated, spliced from another input, and replaced by numbers
//! that parsers tend to get wrong.

use fastrand::Rng;

use crate::corpus::Corpus;

/// No input grows beyond this, unless the corpus has a longer one.
const LONGEST: usize = 1 << 16;
/// Numbers at the edges of types, in digits.
const DIGITS: [&str; 12] = [
    "0",
    "-1",
    "1",
    "255",
    "65535",
    "65536",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "1e999",
];

/// Makes inputs from those of a corpus.
#[derive(Debug)]
pub struct Mutator {
    random: Rng,
    corpus: Corpus,
}

impl Mutator {
    /// Makes a mutator that makes the same inputs for the same seed.
    ///
    /// # Panics
    ///
    /// Panics if the corpus has no inputs.
    #[must_use]
    pub fn new(corpus: &Corpus, seed: u64) -> Self {
        assert!(!corpus.inputs.is_empty(), "there is nothing to mutate");
        Self { random: Rng::with_seed(seed), corpus: corpus.clone() }
    }

    /// Makes the next input.
    pub fn next_input(&mut self) -> Vec<u8> {
        let mut input = self.any_input().to_vec();
        // Most often a few mutations: many of them leave nothing that a parser gets far with.
        for _ in 0..1 << self.random.u32(..5) {
            self.mutate(&mut input);
        }
        input
    }

    fn any_input(&mut self) -> &[u8] {
        let number = self.random.usize(..self.corpus.inputs.len());
        &self.corpus.inputs[number]
    }

    fn mutate(&mut self, input: &mut Vec<u8>) {
        let at = self.random.usize(..=input.len());
        match self.random.u32(..9) {
            0 => change_byte(input, at, |_| self.random.u8(..)),
            1 => change_byte(input, at, |byte| byte ^ (1 << self.random.u32(..8))),
            2 => change_byte(input, at, |_| [0, 0x7f, 0x80, 0xff, b'\n', b'"'][self.random.usize(..6)]),
            3 => drop(input.drain(self.stretch(input.len()))),
            4 if input.len() < LONGEST => {
                let stretch = self.stretch(input.len());
                input.extend_from_within(stretch);
            }
            5 => input.truncate(at),
            6 if input.len() < LONGEST => {
                let from = self.any_input().to_vec();
                let stretch = self.stretch(from.len());
                drop(input.splice(at..at, from[stretch].iter().copied()));
            }
            7 => {
                let digits = DIGITS[self.random.usize(..DIGITS.len())];
                drop(input.splice(at..at, digits.bytes()));
            }
            _ => {
                let word = self.any_word();
                drop(input.splice(at..at, word));
            }
        }
    }

    fn any_word(&mut self) -> Vec<u8> {
        match self.corpus.words.len() {
            0 => self.random.u64(..).to_le_bytes().to_vec(),
            count => self.corpus.words[self.random.usize(..count)].clone(),
        }
    }

    /// A stretch of an input of `length` bytes, more often a short one.
    fn stretch(&mut self, length: usize) -> std::ops::Range<usize> {
        let begin = self.random.usize(..=length);
        let most = (length - begin).min(1 << self.random.u32(..12));
        begin..begin + self.random.usize(..=most)
    }
}

fn change_byte(input: &mut [u8], at: usize, change: impl FnOnce(u8) -> u8) {
    if let Some(byte) = input.get_mut(at) {
        *byte = change(*byte);
    }
}
