//! The contents of a packet: an event on a track, or the description of a track.

use super::annotations::Annotations;
use super::strings::NameId;
use crate::track::{Track, TrackEventKind};

/// An event on a track of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrackEvent {
    /// The time of the event in nanoseconds, on the clock of the trace.
    pub at: u64,
    /// The track that the event belongs to.
    pub track: Track,
    /// The kind of the event: the beginning or the end of a slice, an instant, or a counter value.
    pub kind: TrackEventKind,
    /// The name of the event.
    pub name: NameId,
    /// The annotations of the event.
    pub annotations: Annotations,
}

/// The decoded contents of a packet.
#[derive(Clone, Copy, Debug)]
pub enum Decoded {
    /// An event on a track.
    Event(TrackEvent),
    /// The description of a track.
    Track {
        /// The track.
        track: Track,
        /// The name of the track.
        name: NameId,
        /// The operating system's id of the process or thread that the track stands for, if known.
        id: Option<u64>,
    },
    /// A packet that wsrt neither writes nor reads.
    Nothing,
}
