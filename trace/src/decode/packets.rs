//! Reads the packets of a file one at a time, so that memory use does not grow with the size of the
//! file.

use std::io::{self, BufRead, BufReader, Read};

use crate::fields::trace;
use crate::wire::{Varint, key_of_message};

/// The first byte of every packet.
const PACKET: u8 = key_of_message(trace::PACKET);
/// The maximum length of a packet. The packets of wsrt have a few hundred bytes, and those of
/// Perfetto a few thousand. A greater length indicates that the file is damaged.
const LONGEST: u64 = 16 << 20;
const BUFFER: usize = 256 << 10;

/// The way in which the file ended: complete, or cut off. Known once there are no more packets to
/// read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileEnding {
    /// The file ends after a complete packet.
    Whole,
    /// The file ends in the middle of a packet.
    CutOff {
        /// The offset of the incomplete packet's first byte.
        at: u64,
    },
    /// The file is damaged: the bytes where a packet should begin are not a packet.
    Damaged {
        /// The offset at which the packet should begin.
        at: u64,
    },
}

/// Reads the packets of a trace file from any [`Read`] input.
#[derive(Debug)]
pub struct PacketReader<R> {
    input: BufReader<R>,
    packet: Vec<u8>,
    /// The number of bytes read so far.
    read: u64,
}

impl<R: Read> PacketReader<R> {
    /// Creates a reader for the packets of `input`.
    pub fn of(input: R) -> Self {
        Self { input: BufReader::with_capacity(BUFFER, input), packet: Vec::new(), read: 0 }
    }

    /// Returns the number of bytes read so far.
    pub fn read(&self) -> u64 {
        self.read
    }

    /// Returns the contents of the next packet without the length prefix, or how the file ended if
    /// there are no more packets.
    ///
    /// # Errors
    ///
    /// Returns the error of the input if reading fails.
    pub fn next_packet(&mut self) -> io::Result<Result<&[u8], FileEnding>> {
        let begin = self.read;
        let length = match self.length()? {
            Ok(length) => length,
            Err(FileEnding::CutOff { .. }) => return Ok(Err(FileEnding::CutOff { at: begin })),
            Err(FileEnding::Damaged { .. }) => return Ok(Err(FileEnding::Damaged { at: begin })),
            Err(FileEnding::Whole) => return Ok(Err(FileEnding::Whole)),
        };
        self.packet.clear();
        let taken = self.input.by_ref().take(length).read_to_end(&mut self.packet)? as u64;
        self.read += taken;
        if taken < length {
            return Ok(Err(FileEnding::CutOff { at: begin }));
        }
        Ok(Ok(&self.packet))
    }

    fn length(&mut self) -> io::Result<Result<u64, FileEnding>> {
        let damaged = Ok(Err(FileEnding::Damaged { at: self.read }));
        match self.byte()? {
            None => return Ok(Err(FileEnding::Whole)),
            Some(PACKET) => {}
            Some(_) => return damaged,
        }
        let mut length = Varint::default();
        loop {
            let Some(byte) = self.byte()? else {
                return Ok(Err(FileEnding::CutOff { at: self.read }));
            };
            match length.push(byte) {
                Ok(None) => {}
                Ok(Some(length)) if length <= LONGEST => return Ok(Ok(length)),
                _ => return damaged,
            }
        }
    }

    fn byte(&mut self) -> io::Result<Option<u8>> {
        let byte = self.input.fill_buf()?.first().copied();
        if byte.is_some() {
            self.input.consume(1);
            self.read += 1;
        }
        Ok(byte)
    }
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests {
    use super::*;

    fn packets(bytes: &[u8]) -> (Vec<Vec<u8>>, FileEnding) {
        let mut packets = PacketReader::of(bytes);
        let mut read = Vec::new();
        loop {
            match packets.next_packet().expect("a slice can be read") {
                Ok(packet) => read.push(packet.to_vec()),
                Err(ending) => return (read, ending),
            }
        }
    }

    const TWO: [u8; 8] = [PACKET, 3, 1, 2, 3, PACKET, 1, 9];

    #[test]
    fn packets_come_in_their_order() {
        assert_eq!(packets(&TWO), (vec![vec![1, 2, 3], vec![9]], FileEnding::Whole));
        assert_eq!(packets(&[]), (vec![], FileEnding::Whole));
        assert_eq!(packets(&[PACKET, 0]), (vec![vec![]], FileEnding::Whole));
    }

    #[test]
    fn a_file_may_be_cut_off_anywhere() {
        for length in 1..TWO.len() {
            let (read, ending) = packets(&TWO[..length]);
            let (count, expected) = match length {
                5 => (1, FileEnding::Whole),
                6.. => (1, FileEnding::CutOff { at: 5 }),
                _ => (0, FileEnding::CutOff { at: 0 }),
            };
            assert_eq!((read.len(), ending), (count, expected), "{length} bytes");
        }
    }

    #[test]
    fn bytes_that_are_no_packet_are_damage() {
        assert_eq!(packets(b"text"), (vec![], FileEnding::Damaged { at: 0 }));
        assert_eq!(packets(&[PACKET, 1, 7, 0xff]), (vec![vec![7]], FileEnding::Damaged { at: 3 }));
        let enormous = [PACKET, 0xff, 0xff, 0xff, 0xff, 0x0f];
        assert_eq!(packets(&enormous), (vec![], FileEnding::Damaged { at: 0 }));
    }
}
