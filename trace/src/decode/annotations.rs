//! The values that belong to an event.

use super::decoder::InternedNames;
use super::strings::{NameId, NameTable};
use crate::fields::debug_annotation;
use crate::names::{AnnotationKey, Awaited, PollOutcome, TaskSource, WakeCause};
use crate::wire::{FieldValue, Fields, Malformed};

/// The values that belong to an event; each event has a few of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Annotations {
    /// The task's number.
    pub task: Option<u64>,
    /// For a poll: where its task was found.
    pub source: Option<TaskSource>,
    /// The processor that tasks were stolen from.
    pub victim: Option<u64>,
    /// Where the task was spawned.
    pub spawned_at: Option<NameId>,
    /// For a wait: its kind.
    pub waits_for: Option<Awaited>,
    /// For a wait: where the lock or channel was made.
    pub made_at: Option<NameId>,
    /// Why the task was woken.
    pub woken_by: Option<WakeCause>,
    /// For a poll: the task that had woken its task.
    pub waker: Option<u64>,
    /// For a poll: nanoseconds from the wake to it.
    pub waited: Option<u64>,
    /// For a poll: how it ended.
    pub outcome: Option<PollOutcome>,
    /// How many tasks were moved.
    pub tasks: Option<u64>,
    /// How long a poll has taken, in milliseconds.
    pub millis: Option<u64>,
    /// True if the thread of a poll sleeps.
    pub asleep: Option<bool>,
    /// How many sockets the netpoller has found ready.
    pub events: Option<u64>,
    /// How many timers were due.
    pub timers: Option<u64>,
    /// How many events were dropped.
    pub count: Option<u64>,
}

/// Reads one annotation into `annotations`. One with an unknown key is ignored.
pub(super) fn read(
    message: &[u8],
    interned: &InternedNames,
    names: &mut NameTable,
    annotations: &mut Annotations,
) -> Result<(), Malformed> {
    use debug_annotation::{BOOL_VALUE, INT_VALUE, NAME, NAME_IID, STRING_VALUE, STRING_VALUE_IID, UINT_VALUE};
    let (mut key, mut number, mut text) = (None, None, None);
    for field in Fields::of(message) {
        match field? {
            (NAME_IID, FieldValue::Varint(iid)) => key = interned.key(iid),
            (NAME, FieldValue::Bytes(name)) => key = key_of(name),
            (BOOL_VALUE | UINT_VALUE | INT_VALUE, FieldValue::Varint(value)) => number = Some(value),
            (STRING_VALUE, FieldValue::Bytes(value)) => text = Some(names.keep(value)),
            (STRING_VALUE_IID, FieldValue::Varint(iid)) => text = interned.value(iid),
            _ => {}
        }
    }
    let Some(key) = key else {
        return Ok(());
    };
    let word = || text.map(|text| names.text(text));
    match key {
        AnnotationKey::Task => annotations.task = number,
        AnnotationKey::Source => {
            annotations.source = word().map(|name| TaskSource::from_name(name).unwrap_or(TaskSource::Unknown));
        }
        AnnotationKey::Victim => annotations.victim = number,
        AnnotationKey::SpawnedAt => annotations.spawned_at = text,
        AnnotationKey::WaitsFor => annotations.waits_for = word().and_then(Awaited::from_name),
        AnnotationKey::MadeAt => annotations.made_at = text,
        AnnotationKey::WokenBy | AnnotationKey::By => annotations.woken_by = word().and_then(WakeCause::from_name),
        AnnotationKey::Waker => annotations.waker = number,
        AnnotationKey::Waited => annotations.waited = number,
        AnnotationKey::Outcome => annotations.outcome = word().and_then(PollOutcome::from_name),
        AnnotationKey::Tasks => annotations.tasks = number,
        AnnotationKey::Millis => annotations.millis = number,
        AnnotationKey::Asleep => annotations.asleep = number.map(|number| number != 0),
        AnnotationKey::Events => annotations.events = number,
        AnnotationKey::Timers => annotations.timers = number,
        AnnotationKey::Count => annotations.count = number,
    }
    Ok(())
}

/// Returns the key with this name.
pub(super) fn key_of(name: &[u8]) -> Option<AnnotationKey> {
    AnnotationKey::from_name(std::str::from_utf8(name).ok()?)
}
