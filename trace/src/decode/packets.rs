//! The file as a run of packets, read one at a time: memory does not depend on how long it is.

use std::io::{self, BufRead, BufReader, Read};

use crate::wire::read::Varint;

/// Field 1 of a `Trace`, with a length: what each packet begins with.
const PACKET: u8 = 0x0a;
/// wsrt's packets have some hundred bytes, Perfetto's some thousand. A length beyond this is damage.
const LONGEST: u64 = 16 << 20;
const BUFFER: usize = 256 << 10;

/// How a file ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// After a packet.
    Whole,
    /// In the middle of the packet that begins at this byte.
    CutOff { at: u64 },
    /// At this byte a packet should begin, and none does.
    Damaged { at: u64 },
}

/// The packets of a file.
#[derive(Debug)]
pub struct Packets<R> {
    input: BufReader<R>,
    packet: Vec<u8>,
    /// How many bytes were taken from the input.
    read: u64,
}

impl<R: Read> Packets<R> {
    pub fn of(input: R) -> Self {
        Self { input: BufReader::with_capacity(BUFFER, input), packet: Vec::new(), read: 0 }
    }

    /// How many bytes were read.
    pub fn read(&self) -> u64 {
        self.read
    }

    /// The next packet, without its length.
    pub fn next_packet(&mut self) -> io::Result<Result<&[u8], Ending>> {
        let begin = self.read;
        let length = match self.length()? {
            Ok(length) => length,
            Err(Ending::CutOff { .. }) => return Ok(Err(Ending::CutOff { at: begin })),
            Err(Ending::Damaged { .. }) => return Ok(Err(Ending::Damaged { at: begin })),
            Err(Ending::Whole) => return Ok(Err(Ending::Whole)),
        };
        self.packet.clear();
        let taken = self.input.by_ref().take(length).read_to_end(&mut self.packet)? as u64;
        self.read += taken;
        if taken < length {
            return Ok(Err(Ending::CutOff { at: begin }));
        }
        Ok(Ok(&self.packet))
    }

    fn length(&mut self) -> io::Result<Result<u64, Ending>> {
        let damaged = Ok(Err(Ending::Damaged { at: self.read }));
        match self.byte()? {
            None => return Ok(Err(Ending::Whole)),
            Some(PACKET) => {}
            Some(_) => return damaged,
        }
        let mut length = Varint::default();
        loop {
            let Some(byte) = self.byte()? else {
                return Ok(Err(Ending::CutOff { at: self.read }));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn packets(bytes: &[u8]) -> (Vec<Vec<u8>>, Ending) {
        let mut packets = Packets::of(bytes);
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
        assert_eq!(packets(&TWO), (vec![vec![1, 2, 3], vec![9]], Ending::Whole));
        assert_eq!(packets(&[]), (vec![], Ending::Whole));
        assert_eq!(packets(&[PACKET, 0]), (vec![vec![]], Ending::Whole));
    }

    #[test]
    fn a_file_may_be_cut_off_anywhere() {
        for length in 1..TWO.len() {
            let (read, ending) = packets(&TWO[..length]);
            let (count, expected) = match length {
                5 => (1, Ending::Whole),
                6.. => (1, Ending::CutOff { at: 5 }),
                _ => (0, Ending::CutOff { at: 0 }),
            };
            assert_eq!((read.len(), ending), (count, expected), "{length} bytes");
        }
    }

    #[test]
    fn what_is_no_packet_is_damage_and_where_is_said() {
        assert_eq!(packets(b"text"), (vec![], Ending::Damaged { at: 0 }));
        assert_eq!(packets(&[PACKET, 1, 7, 0xff]), (vec![vec![7]], Ending::Damaged { at: 3 }));
        let enormous = [PACKET, 0xff, 0xff, 0xff, 0xff, 0x0f];
        assert_eq!(packets(&enormous), (vec![], Ending::Damaged { at: 0 }));
    }
}
