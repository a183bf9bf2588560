//! The wire format of Protocol Buffers, to the extent that traces need it.
//!
//! A message is a sequence of fields, each with a number and a value. Which message has which
//! fields is not known here.

mod read;
mod write;

pub(crate) use read::Varint;
pub use read::{FieldValue, Fields, Malformed};
pub use write::{MessageWriter, push_varint};

/// The wire types, which are stored in the low three bits of a field's key.
mod wire_type {
    pub(super) const VARINT: u64 = 0;
    pub(super) const FIXED64: u64 = 1;
    pub(super) const LENGTH_DELIMITED: u64 = 2;
    pub(super) const FIXED32: u64 = 5;
    pub(super) const BITS: u32 = 3;
}

/// Returns the key of a message or string field, which must fit into one byte.
pub(crate) const fn key_of_message(field: u32) -> u8 {
    assert!(field < 16, "the key takes one byte");
    (field << wire_type::BITS) as u8 | wire_type::LENGTH_DELIMITED as u8
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests;
