//! The maximum number of events that a turn takes.

use std::time::Duration;

/// Events that one turn takes: about half as many as the polls of a busy processor until it looks
/// again. The rest waits in the system, in the order of arrival, for whichever thread looks next.
/// Go takes 128.
const EVENTS_PER_TURN: usize = 64;

/// More of them in one buffer would be of no use: a system call fetches few thousands at the best
/// of times.
const MOST_EVENTS: usize = 65_536;

/// The maximum number of events that one turn of a [`Netpoller`](crate::Netpoller) takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventsPerTurn {
    /// The maximum for a turn that may wait. Must not be zero.
    pub waiting: usize,
    /// The maximum for a turn that does not wait. Must not be zero; `None` means the same as for a
    /// turn that may wait.
    pub busy: Option<usize>,
}

impl Default for EventsPerTurn {
    fn default() -> Self {
        Self { waiting: EVENTS_PER_TURN, busy: None }
    }
}

/// The buffers for the events of a turn.
#[derive(Debug)]
pub(super) struct EventBuffers {
    waiting: mio::Events,
    busy: Option<mio::Events>,
}

impl EventBuffers {
    pub(super) fn new(most: EventsPerTurn) -> Self {
        let buffer = |events: usize| mio::Events::with_capacity(events.clamp(1, MOST_EVENTS));
        Self { waiting: buffer(most.waiting), busy: most.busy.map(buffer) }
    }

    /// The buffer of a turn that waits for `timeout`.
    pub(super) fn of_turn(&mut self, timeout: Option<Duration>) -> &mut mio::Events {
        match &mut self.busy {
            Some(buffer) if timeout == Some(Duration::ZERO) => buffer,
            _ => &mut self.waiting,
        }
    }
}
