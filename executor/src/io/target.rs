//! The destination of a read, in whatever form the caller has it: a slice, initialised or not, a
//! vector, or a tokio buffer.

use std::mem::MaybeUninit;

/// A destination that a read fills with bytes.
pub(crate) trait Target {
    /// Returns the number of bytes that still fit.
    fn room(&self) -> usize;

    /// Appends `bytes`, which must fit.
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

    /// Returns the number of bytes put into the slice so far.
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

/// The unfilled part of a possibly uninitialised slice.
#[derive(Debug)]
pub(crate) struct UninitTarget<'a> {
    bytes: &'a mut [MaybeUninit<u8>],
    filled: usize,
}

impl<'a> UninitTarget<'a> {
    pub(crate) fn new(bytes: &'a mut [MaybeUninit<u8>]) -> Self {
        Self { bytes, filled: 0 }
    }

    /// Returns the number of bytes put into the slice so far, which are initialised.
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

/// The minimum room that a vector offers to one read.
const STEP: usize = 8 * 1024;

/// Appends to the vector, which grows as needed.
impl Target for Vec<u8> {
    /// At least doubles the vector, so that a long read takes few calls.
    fn room(&self) -> usize {
        (self.capacity() - self.len()).max(self.len()).max(STEP)
    }

    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}
