//! The twin of `lent.rs` without feature `sim`: a network that there never is, so that each
//! question for one compiles to nothing.

use crate::readiness::EventBits;
use crate::registry::SourceToken;
use crate::services::Services;
use std::io;
use std::net::SocketAddr;

/// Where a netpoller would have its network.
#[derive(Debug)]
pub(crate) struct Lender;

impl Lender {
    pub(crate) fn new() -> Self {
        Self
    }

    /// The system reports the events.
    pub(crate) fn take_events(&self) -> Option<std::iter::Empty<(SourceToken, EventBits)>> {
        None
    }
}

/// The system's resolver has the addresses.
pub(crate) fn look_up(_: &str, _: u16, _: &dyn Services) -> Option<io::Result<Vec<SocketAddr>>> {
    None
}
