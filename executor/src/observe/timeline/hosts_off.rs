//! The twin of `hosts.rs` without feature `sim`: no event belongs to a simulated host.

use wsrt_trace::{Event, EventWriter};

use super::thread_writer::ThreadWriter;
use crate::observe::observer::Observer;

/// Returns whether this thread drives a simulation: never.
pub(super) fn is_simulated() -> bool {
    false
}

/// The simulated hosts of a thread's events: none.
#[derive(Debug)]
pub(crate) struct WriterHosts;

impl WriterHosts {
    pub(super) const fn new() -> Self {
        Self
    }

    pub(super) fn begin_anew(&self) {}

    #[inline(always)]
    pub(super) fn write(&self, events: &mut EventWriter, event: Event) {
        events.write(event);
    }
}

/// A guard for the time that a thread spends on a host: never created.
#[derive(Debug)]
pub(crate) enum OnHost {}

impl Observer {
    #[inline]
    pub(crate) fn on_host_of(&self, _: u64) -> Option<OnHost> {
        None
    }

    #[inline]
    pub(super) fn go_to_host_of(&self, _: &ThreadWriter, _: u64) -> Option<OnHost> {
        None
    }
}
