//! Protocol Buffers' wire format, as far as a trace needs it.

pub(crate) mod read;
pub(crate) mod write;
