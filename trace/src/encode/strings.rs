//! The words of a file, each spelt out once at its beginning.

use super::packets::{Packets, Text, Value};
use crate::{By, Outcome, Span};

/// Names of events, and values of notes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words {
    sources: [Text; 8],
    outcomes: [Text; 3],
    task: Text,
    network: Text,
    timer: Text,
    outside: Text,
    pub(crate) spawn: Text,
    pub(crate) wake: Text,
    pub(crate) end: Text,
    pub(crate) steal: Text,
    pub(crate) overflow: Text,
    pub(crate) stall: Text,
    pub(crate) turn: Text,
    pub(crate) dropped: Text,
    pub(crate) waits: Text,
    pub(crate) unknown: Text,
    parked: Text,
    netpoller: Text,
    helps: Text,
    blocking_job: Text,
    in_place: Text,
}

impl Words {
    pub(crate) fn spell_out(packets: &mut Packets) -> Self {
        let mut text = |word| packets.text(word);
        Self {
            sources: ["runnext", "ring", "injector", "network", "timer", "stolen", "local", "unknown"].map(&mut text),
            outcomes: ["pending", "ready", "handed over"].map(&mut text),
            task: text("task"),
            network: text("network"),
            timer: text("timer"),
            outside: text("outside"),
            spawn: text("spawn"),
            wake: text("wake"),
            end: text("end"),
            steal: text("steal"),
            overflow: text("overflow"),
            stall: text("stall"),
            turn: text("turn"),
            dropped: text("events dropped"),
            waits: text("waits at the end"),
            unknown: text("a task"),
            parked: text("parked"),
            netpoller: text("netpoller"),
            helps: text("helps"),
            blocking_job: text("blocking job"),
            in_place: text("in place"),
        }
    }

    /// Where a task was found: the low three bits say so.
    pub(crate) fn source(&self, kind: usize) -> Value {
        Value::Text(self.sources[kind % 8])
    }

    pub(crate) fn outcome(&self, outcome: Outcome) -> Value {
        Value::Text(self.outcomes[outcome as usize])
    }

    pub(crate) fn by(&self, by: By) -> Value {
        Value::Text(match by {
            By::Task(_) => self.task,
            By::Network => self.network,
            By::Timer => self.timer,
            By::Outside => self.outside,
        })
    }

    /// The name of what a thread does for a while.
    pub(crate) fn span(&self, packets: &mut Packets, span: Span) -> Text {
        match span {
            Span::Holds(processor) => packets.text(&format!("holds P{processor}")),
            Span::Parked => self.parked,
            Span::Netpoller => self.netpoller,
            Span::Helps => self.helps,
            Span::BlockingJob => self.blocking_job,
            Span::InPlace => self.in_place,
        }
    }
}
