//! The file: bytes to packets, packets to events, events to slices.

mod annotations;
mod decode;
mod event;
mod packets;
mod slices;
mod strings;
mod wire;

pub(crate) use decode::Decoder;
pub(crate) use event::{Details, Event, Kind, MOST_PROCESSORS, Said, Source, Track, WokenBy};
pub(crate) use packets::{Ending, Packets};
pub(crate) use slices::{OpenSlices, Slice};
pub(crate) use strings::{Name, Strings};
