//! A writer that discards everything.

use super::empty::take_everything;
use super::ready::poll_unit;
use crate::io::AsyncWrite;
use std::fmt;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

/// A writer that discards everything written to it. Created by [`sink`].
pub struct Sink {
    _private: (),
}

/// Creates a writer that accepts every byte at once and discards it.
pub fn sink() -> Sink {
    Sink { _private: () }
}

take_everything!(Sink);

impl fmt::Debug for Sink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("Sink { .. }")
    }
}
