//! The room that a read fills, whichever its caller has: a slice, initialised or not, a vector, or
//! a buffer of tokio.

use std::mem::MaybeUninit;

/// Room for bytes.
pub(crate) trait Target {
    /// Returns how many bytes there is room for.
    fn room(&self) -> usize;

    /// Takes `bytes`, for which there is room.
    fn put(&mut self, bytes: &[u8]);
}

#[cfg(feature = "tokio-io")]
impl Target for tokio::io::ReadBuf<'_> {
    fn room(&self) -> usize {
        self.remaining()
    }

    fn put(&mut self, bytes: &[u8]) {
        self.put_slice(bytes);
    }
}

/// The unfilled part of a slice.
#[derive(Debug)]
pub(crate) struct SliceTarget<'a> {
    bytes: &'a mut [u8],
    filled: usize,
}

impl<'a> SliceTarget<'a> {
    pub(crate) fn new(bytes: &'a mut [u8]) -> Self {
        Self { bytes, filled: 0 }
    }

    /// Returns how many bytes were put here.
    pub(crate) fn filled(&self) -> usize {
        self.filled
    }
}

impl Target for SliceTarget<'_> {
    fn room(&self) -> usize {
        self.bytes.len() - self.filled
    }

    fn put(&mut self, bytes: &[u8]) {
        self.bytes[self.filled..][..bytes.len()].copy_from_slice(bytes);
        self.filled += bytes.len();
    }
}

/// The unfilled part of a slice that need not be initialised.
#[derive(Debug)]
pub(crate) struct UninitTarget<'a> {
    bytes: &'a mut [MaybeUninit<u8>],
    filled: usize,
}

impl<'a> UninitTarget<'a> {
    pub(crate) fn new(bytes: &'a mut [MaybeUninit<u8>]) -> Self {
        Self { bytes, filled: 0 }
    }

    /// Returns how many bytes were put here: so many of the first ones are initialised.
    pub(crate) fn filled(&self) -> usize {
        self.filled
    }
}

impl Target for UninitTarget<'_> {
    fn room(&self) -> usize {
        self.bytes.len() - self.filled
    }

    fn put(&mut self, bytes: &[u8]) {
        let room = &mut self.bytes[self.filled..][..bytes.len()];
        for (to, from) in room.iter_mut().zip(bytes) {
            to.write(*from);
        }
        self.filled += bytes.len();
    }
}

/// The least room that a vector offers to one read.
const STEP: usize = 8 * 1024;

/// The end of a vector, which grows.
impl Target for Vec<u8> {
    /// Doubles the vector at least, so that a long read takes few calls.
    fn room(&self) -> usize {
        (self.capacity() - self.len()).max(self.len()).max(STEP)
    }

    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}
