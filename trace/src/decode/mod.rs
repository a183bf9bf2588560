//! The decoder: from bytes to packets, from packets to events, and from events to slices.
//!
//! The input may be any bytes at all. Memory use is bounded, and the decoder never panics.

mod annotations;
mod decoder;
mod event;
mod packets;
mod slices;
mod strings;

pub use annotations::Annotations;
pub use decoder::Decoder;
pub use event::{Decoded, TrackEvent};
pub use packets::{FileEnding, PacketReader};
pub use slices::{OpenSlices, TrackSlice};
pub use strings::{NameId, NameTable, StackId};

#[cfg(all(test, not(wsrt_loom)))]
mod tests;
