//! The contents of a packet: an event on a track, or the name of a track.

use super::annotations::Annotations;
use super::strings::NameId;
use crate::track::{Track, TrackEventKind};

/// An event on a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrackEvent {
    /// In nanoseconds, on the clock of the trace.
    pub at: u64,
    /// The track that it is on.
    pub track: Track,
    /// Says whether it begins or ends a slice, has no duration, or counts.
    pub kind: TrackEventKind,
    /// Its name.
    pub name: NameId,
    /// The values that belong to it.
    pub annotations: Annotations,
}

/// Holds the contents of a packet.
#[derive(Clone, Copy, Debug)]
pub enum Decoded {
    /// An event.
    Event(TrackEvent),
    /// A track's description.
    Track {
        /// The track.
        track: Track,
        /// Its name.
        name: NameId,
        /// The OS's number of the process or thread that it belongs to.
        id: Option<u64>,
    },
    /// A packet that wsrt neither writes nor reads.
    Nothing,
}
