//! From a file to what it says: bytes to packets, packets to events, events to slices.

mod annotations;
mod decoder;
mod event;
mod packets;
mod slices;
mod strings;

pub use decoder::Decoder;
pub use event::{Details, Event, Kind, MOST_PROCESSORS, Said, Source, Track, WokenBy};
pub use packets::{Ending, Packets};
pub use slices::{OpenSlices, Slice};
pub use strings::{Name, Strings};

pub use crate::wire::read::Malformed;
