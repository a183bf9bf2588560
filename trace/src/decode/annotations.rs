//! The annotations of an event.

use super::decoder::InternedNames;
use super::strings::{NameId, NameTable, StackId};
use crate::fields::debug_annotation;
use crate::names::{AnnotationKey, Awaited, PollOutcome, TaskSource, WakeCause};
use crate::wire::{FieldValue, Fields, Malformed};

/// The annotations of an event. Each event has only a few of them, so most fields are `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Annotations {
    /// The id of the task that the event is about.
    pub task: Option<u64>,
    /// Where the scheduler found the task, for a poll.
    pub source: Option<TaskSource>,
    /// The index of the processor from which tasks were stolen.
    pub victim: Option<u64>,
    /// The source location at which the task was spawned.
    pub spawned_at: Option<NameId>,
    /// What the task waits for, for the start of a wait.
    pub waits_for: Option<Awaited>,
    /// The source location at which the lock or channel was created, for the start of a wait.
    pub made_at: Option<NameId>,
    /// What caused the task to be woken.
    pub woken_by: Option<WakeCause>,
    /// The id of the task that woke the polled task, for a poll.
    pub waker: Option<u64>,
    /// The time from the wake to the poll in nanoseconds, for a poll.
    pub waited: Option<u64>,
    /// How the poll ended, for a poll.
    pub outcome: Option<PollOutcome>,
    /// The number of tasks that were moved, for a steal or an overflow.
    pub tasks: Option<u64>,
    /// How long the poll has taken so far in milliseconds, for a stall.
    pub millis: Option<u64>,
    /// True if the thread that polls the task is asleep in the kernel, for a stall.
    pub asleep: Option<bool>,
    /// The number of sockets that the netpoller found ready, for a turn of the netpoller.
    pub events: Option<u64>,
    /// The number of timers that were due, for a turn of the netpoller.
    pub timers: Option<u64>,
    /// The number of events that were dropped.
    pub count: Option<u64>,
    /// The functions that the thread was in, for a CPU sample.
    pub stack: Option<StackId>,
}

/// The most functions of a stack that are read.
const MOST_FUNCTIONS: usize = 512;

/// Reads one annotation into `annotations`. An annotation with an unknown key is ignored.
pub(super) fn read(
    message: &[u8],
    interned: &InternedNames,
    names: &mut NameTable,
    annotations: &mut Annotations,
) -> Result<(), Malformed> {
    use debug_annotation::{ARRAY_VALUES, BOOL_VALUE, INT_VALUE, NAME, NAME_IID};
    use debug_annotation::{STRING_VALUE, STRING_VALUE_IID, UINT_VALUE};
    let (mut key, mut number, mut text, mut texts) = (None, None, None, Vec::new());
    for field in Fields::of(message) {
        match field? {
            (NAME_IID, FieldValue::Varint(iid)) => key = interned.key(iid),
            (NAME, FieldValue::Bytes(name)) => key = key_of(name),
            (BOOL_VALUE | UINT_VALUE | INT_VALUE, FieldValue::Varint(value)) => number = Some(value),
            (STRING_VALUE, FieldValue::Bytes(value)) => text = Some(names.keep(value)),
            (STRING_VALUE_IID, FieldValue::Varint(iid)) => text = interned.value(iid),
            (ARRAY_VALUES, FieldValue::Bytes(value)) if texts.len() < MOST_FUNCTIONS => {
                texts.push(element(value, interned, names)?);
            }
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
        AnnotationKey::Stack => annotations.stack = Some(names.keep_stack(&texts)),
    }
    Ok(())
}

/// Returns the text of an element of an array.
fn element(message: &[u8], interned: &InternedNames, names: &mut NameTable) -> Result<NameId, Malformed> {
    let mut text = None;
    for field in Fields::of(message) {
        match field? {
            (debug_annotation::STRING_VALUE, FieldValue::Bytes(value)) => text = Some(names.keep(value)),
            (debug_annotation::STRING_VALUE_IID, FieldValue::Varint(iid)) => text = interned.value(iid),
            _ => {}
        }
    }
    Ok(text.unwrap_or(NameId::NONE))
}

/// Returns the annotation key with this name.
pub(super) fn key_of(name: &[u8]) -> Option<AnnotationKey> {
    AnnotationKey::from_name(std::str::from_utf8(name).ok()?)
}
