//! The bytes exchanged between a task and a blocking thread, lent to the jobs that read or write.

use std::io::{self, IoSlice, Read, Write};
use std::mem::MaybeUninit;
use std::ops::Range;

/// The maximum number of bytes that one job reads or writes: larger reads and writes are short.
/// Beyond this size the system call costs far more than the job around it, so more memory would
/// gain nothing.
pub(crate) const MOST_AT_ONCE: usize = 2 * 1024 * 1024;

/// A buffer for bytes that were read and not yet taken, or that are to be written.
#[derive(Debug, Default)]
pub(crate) struct Buffer {
    /// The memory, which keeps its length between reads, so that it is zeroed only once.
    bytes: Vec<u8>,
    /// The range of bytes that were read, or are to be written.
    filled: Range<usize>,
}

impl Buffer {
    pub(crate) const fn new() -> Self {
        Self { bytes: Vec::new(), filled: 0..0 }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.filled.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.filled.len()
    }

    pub(crate) fn clear(&mut self) {
        self.filled = 0..0;
    }

    /// Moves as many bytes into `target` as fit.
    pub(crate) fn take_into(&mut self, target: &mut impl ReadTarget) {
        let count = self.len().min(target.room());
        target.put(&self.bytes[self.filled.start..][..count]);
        self.filled.start += count;
    }

    /// Replaces the contents with the bytes of `sources`, in order, up to `limit` bytes, and
    /// returns their number.
    pub(crate) fn put_all(&mut self, sources: &[IoSlice<'_>], limit: usize) -> usize {
        self.bytes.clear();
        for source in sources {
            let room = limit - self.bytes.len();
            self.bytes.extend_from_slice(&source[..source.len().min(room)]);
        }
        self.filled = 0..self.bytes.len();
        self.filled.end
    }

    /// Replaces the contents with one read of up to `count` bytes, or with nothing at the end of
    /// `source`.
    pub(crate) fn read_from(&mut self, source: &mut impl Read, count: usize) -> io::Result<()> {
        self.clear();
        if self.bytes.len() < count {
            self.bytes.resize(count, 0);
        }
        loop {
            match source.read(&mut self.bytes[..count]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                outcome => return outcome.map(|count| self.filled = 0..count),
            }
        }
    }

    /// Writes the contents and leaves the buffer empty, even after an error, when it is unknown how
    /// much was written.
    pub(crate) fn write_to(&mut self, target: &mut impl Write) -> io::Result<()> {
        let outcome = target.write_all(&self.bytes[self.filled.clone()]);
        self.clear();
        outcome
    }
}

/// A destination that a read fills with bytes.
pub(crate) trait ReadTarget {
    /// Returns the number of bytes that still fit.
    fn room(&self) -> usize;

    /// Appends `bytes`, which must fit.
    fn put(&mut self, bytes: &[u8]);
}

#[cfg(feature = "tokio-io")]
impl ReadTarget for tokio::io::ReadBuf<'_> {
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

impl ReadTarget for SliceTarget<'_> {
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

impl ReadTarget for UninitTarget<'_> {
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
impl ReadTarget for Vec<u8> {
    /// At least doubles the vector, so that a long read takes few calls.
    fn room(&self) -> usize {
        (self.capacity() - self.len()).max(self.len()).max(STEP)
    }

    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::buffer::SliceTarget;

    fn taken(buffer: &mut Buffer, room: usize) -> Vec<u8> {
        let mut bytes = vec![0; room];
        let mut target = SliceTarget::new(&mut bytes);
        buffer.take_into(&mut target);
        let count = target.filled();
        bytes.truncate(count);
        bytes
    }

    #[test]
    fn what_was_read_is_taken_piece_by_piece() {
        let mut buffer = Buffer::default();
        buffer.read_from(&mut &b"abcdef"[..], 5).expect("a slice can be read");
        assert_eq!(buffer.len(), 5);
        assert_eq!(taken(&mut buffer, 2), b"ab");
        assert_eq!(taken(&mut buffer, 9), b"cde");
        assert!(buffer.is_empty());
        buffer.read_from(&mut &b""[..], 5).expect("a slice can be read");
        assert!(buffer.is_empty(), "the end is no bytes");
    }

    #[test]
    fn slices_are_buffered_in_order_up_to_the_limit() {
        let mut buffer = Buffer::default();
        buffer.read_from(&mut &b"before"[..], 6).expect("a slice can be read");
        let slices = [IoSlice::new(b"abc"), IoSlice::new(b""), IoSlice::new(b"defg")];
        assert_eq!(buffer.put_all(&slices, 5), 5);
        let mut written = Vec::new();
        buffer.write_to(&mut written).expect("a vector can be written");
        assert_eq!(written, b"abcde");
        assert!(buffer.is_empty());
    }
}
