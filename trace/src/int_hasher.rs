//! A fast hasher for integers that an attacker cannot choose.

use std::hash::{BuildHasher, Hasher};

/// A fast [`Hasher`] for integer keys.
///
/// The hasher multiplies the integer by Fibonacci's multiplier, and folds the well-mixed upper half
/// into the lower. It does not protect against keys that an attacker chooses.
#[derive(Clone, Copy, Debug, Default)]
pub struct IntHasher(u64);

impl BuildHasher for IntHasher {
    type Hasher = Self;

    fn build_hasher(&self) -> Self {
        Self(0)
    }
}

impl Hasher for IntHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u64(&mut self, number: u64) {
        let mixed = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 32;
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    fn write_u16(&mut self, number: u16) {
        self.write_u64(number.into());
    }
}
