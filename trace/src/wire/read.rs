//! The reader: the fields of a message one by one, and varints byte by byte. The input may be any
//! bytes at all.

use super::wire_type::{BITS, FIXED32, FIXED64, LENGTH_DELIMITED, VARINT};

/// The error for bytes that are not a valid message: a varint without an end, a length that goes
/// beyond the message, or a value with a wire type that is no longer in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

/// The value of a field in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldValue<'a> {
    /// A variable-length number.
    Varint(u64),
    /// A number with a fixed length of eight or four bytes.
    Fixed(u64),
    /// A string, or a nested message.
    Bytes(&'a [u8]),
}

impl<'a> FieldValue<'a> {
    /// Returns the number, or `None` if the value is a string or a message.
    pub fn number(self) -> Option<u64> {
        match self {
            FieldValue::Varint(number) | FieldValue::Fixed(number) => Some(number),
            FieldValue::Bytes(_) => None,
        }
    }

    /// Returns the bytes of a string or nested message, or `None` if the value is a number.
    pub fn bytes(self) -> Option<&'a [u8]> {
        match self {
            FieldValue::Bytes(bytes) => Some(bytes),
            FieldValue::Varint(_) | FieldValue::Fixed(_) => None,
        }
    }
}

/// An iterator over the fields of a message, in the order in which they were written.
///
/// The iterator ends after the first [`Malformed`] error.
#[derive(Clone, Debug)]
pub struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    /// Creates an iterator over the fields of `message`.
    pub fn of(message: &'a [u8]) -> Self {
        Self { rest: message }
    }

    fn field(&mut self) -> Result<(u32, FieldValue<'a>), Malformed> {
        let key = self.varint()?;
        let number = u32::try_from(key >> BITS).map_err(|_| Malformed)?;
        let value = match key & ((1 << BITS) - 1) {
            VARINT => FieldValue::Varint(self.varint()?),
            FIXED64 => FieldValue::Fixed(u64::from_le_bytes(self.array()?)),
            LENGTH_DELIMITED => {
                let length = self.varint()?;
                FieldValue::Bytes(self.take(usize::try_from(length).map_err(|_| Malformed)?)?)
            }
            FIXED32 => FieldValue::Fixed(u32::from_le_bytes(self.array()?).into()),
            _ => return Err(Malformed),
        };
        Ok((number, value))
    }

    fn varint(&mut self) -> Result<u64, Malformed> {
        let mut number = Varint::default();
        loop {
            let byte = self.take(1)?[0];
            if let Some(number) = number.push(byte)? {
                return Ok(number);
            }
        }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        self.take(N)?.try_into().map_err(|_| Malformed)
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(Malformed)?;
        self.rest = rest;
        Ok(taken)
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u32, FieldValue<'a>), Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.rest = &[];
        }
        Some(field)
    }
}

/// A varint that is read byte by byte.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Varint {
    number: u64,
    bits: u32,
}

impl Varint {
    /// Adds the next byte. Returns the number if this byte was the last one, or `None` if more
    /// bytes follow.
    pub(crate) fn push(&mut self, byte: u8) -> Result<Option<u64>, Malformed> {
        let bits = u64::from(byte & 0x7f);
        // The tenth byte has room for one bit.
        if self.bits > 63 || (self.bits == 63 && bits > 1) {
            return Err(Malformed);
        }
        self.number |= bits << self.bits;
        self.bits += 7;
        Ok((byte < 0x80).then_some(self.number))
    }
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests {
    use super::*;

    fn fields(message: &[u8]) -> Vec<Result<(u32, FieldValue<'_>), Malformed>> {
        Fields::of(message).collect()
    }

    #[test]
    fn each_kind_of_value_is_read() {
        let message = [
            &[0x08, 0x96, 0x01][..],
            &[0x12, 0x02, b'h', b'i'],
            &[0x19, 1, 0, 0, 0, 0, 0, 0, 0x80],
            &[0x25, 2, 0, 0, 0x80],
        ]
        .concat();
        let expected = [
            Ok((1, FieldValue::Varint(150))),
            Ok((2, FieldValue::Bytes(b"hi"))),
            Ok((3, FieldValue::Fixed(0x8000_0000_0000_0001))),
            Ok((4, FieldValue::Fixed(0x8000_0002))),
        ];
        assert_eq!(fields(&message), expected);
    }

    #[test]
    fn the_largest_number_is_read_and_a_larger_refused() {
        let largest = [0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
        assert_eq!(fields(&largest), [Ok((1, FieldValue::Varint(u64::MAX)))]);
        let larger = [0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02];
        assert_eq!(fields(&larger), [Err(Malformed)]);
        let endless = [0xff; 40];
        assert_eq!(fields(&endless), [Err(Malformed)]);
    }

    #[test]
    fn a_malformed_field_ends_the_message() {
        let group = [0x0b, 0x08, 0x01];
        assert_eq!(fields(&group), [Err(Malformed)]);
        let too_long = [0x08, 0x01, 0x12, 0x05, b'h', b'i'];
        assert_eq!(fields(&too_long), [Ok((1, FieldValue::Varint(1))), Err(Malformed)]);
        let longest = [0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
        assert_eq!(fields(&longest), [Err(Malformed)]);
    }

    #[test]
    fn no_bytes_make_it_panic() {
        let mut random = fastrand::Rng::with_seed(8);
        for _ in 0..20_000 {
            let message: Vec<u8> = (0..random.usize(..64)).map(|_| random.u8(..)).collect();
            let read = Fields::of(&message).count();
            assert!(read <= message.len(), "{message:?}");
        }
    }
}
