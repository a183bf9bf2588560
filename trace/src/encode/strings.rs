//! The strings that are spelled out at the beginning of every file.

use super::packets::{AnnotationValue, PacketWriter, StringId};
use crate::event::{Activity, WokenBy};
use crate::names::{self, Awaited, EventName, PollOutcome, TaskSource, WakeCause};

/// The numbers of the names that are known before the first event.
#[derive(Clone, Copy, Debug)]
pub(super) struct KnownStrings {
    sources: [StringId; TaskSource::ALL.len()],
    outcomes: [StringId; PollOutcome::ALL.len()],
    causes: [StringId; WakeCause::ALL.len()],
    awaited: [StringId; Awaited::ALL.len()],
    events: [StringId; EventName::ALL.len()],
}

impl KnownStrings {
    pub(super) fn spell_out(packets: &mut PacketWriter) -> Self {
        Self {
            sources: TaskSource::ALL.map(|source| packets.string(source.name())),
            outcomes: PollOutcome::ALL.map(|outcome| packets.string(outcome.name())),
            causes: WakeCause::ALL.map(|cause| packets.string(cause.name())),
            awaited: Awaited::ALL.map(|awaited| packets.string(awaited.name())),
            events: EventName::ALL.map(|event| packets.string(event.name())),
        }
    }

    pub(super) fn event(&self, name: EventName) -> StringId {
        self.events[name as usize]
    }

    pub(super) fn source(&self, source: TaskSource) -> AnnotationValue {
        AnnotationValue::String(self.sources[source as usize])
    }

    pub(super) fn outcome(&self, outcome: PollOutcome) -> AnnotationValue {
        AnnotationValue::String(self.outcomes[outcome as usize])
    }

    pub(super) fn cause(&self, cause: WakeCause) -> AnnotationValue {
        AnnotationValue::String(self.causes[cause as usize])
    }

    pub(super) fn awaited(&self, awaited: Awaited) -> AnnotationValue {
        AnnotationValue::String(self.awaited[awaited as usize])
    }

    pub(super) fn by(&self, by: WokenBy) -> AnnotationValue {
        self.cause(by.cause())
    }

    /// Returns the name of the slice that shows an activity on a thread's track.
    pub(super) fn activity(&self, packets: &mut PacketWriter, activity: Activity) -> StringId {
        self.event(match activity {
            Activity::Holds(processor) => return packets.string(&names::holds(processor)),
            Activity::Parked => EventName::Parked,
            Activity::Netpoller => EventName::Netpoller,
            Activity::Helps => EventName::Helps,
            Activity::BlockingJob => EventName::BlockingJob,
            Activity::InPlace => EventName::InPlace,
        })
    }
}
