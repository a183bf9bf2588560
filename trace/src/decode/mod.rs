//! Decoding: bytes to packets, packets to events, events to slices. Any bytes may come: memory is
//! bounded, and nothing panics.

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
pub use slices::{OpenSlices, Slice};
pub use strings::{NameId, NameTable};

#[cfg(all(test, not(loom)))]
mod tests;
