//! No trace of what is written.

use super::empty::take_everything;
use super::ready::poll_unit;
use crate::io::AsyncWrite;
use std::fmt;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

/// Takes all that is written: see [`sink`].
pub struct Sink {
    _private: (),
}

/// Returns a writer that takes everything.
pub fn sink() -> Sink {
    Sink { _private: () }
}

take_everything!(Sink);

impl fmt::Debug for Sink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("Sink { .. }")
    }
}
