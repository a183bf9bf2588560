//! An event's annotations: by what word each goes, and what it is read as.

use super::decoder::Tables;
use super::event::{Details, Source, WokenBy};
use super::strings::Strings;
use crate::wire::read::{Fields, Malformed, Value};

/// The annotations that the report reads. Others are passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Task,
    Source,
    Victim,
    SpawnedAt,
    WokenBy,
    Waited,
    Outcome,
    Tasks,
    Milliseconds,
    Asleep,
    Events,
    Timers,
    Count,
}

impl Key {
    pub(crate) fn of(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"task" => Key::Task,
            b"source" => Key::Source,
            b"victim" => Key::Victim,
            b"spawned_at" => Key::SpawnedAt,
            // A poll says `woken_by`, a wake `by`.
            b"woken_by" | b"by" => Key::WokenBy,
            b"waited_ns" => Key::Waited,
            b"outcome" => Key::Outcome,
            b"tasks" => Key::Tasks,
            b"ms" => Key::Milliseconds,
            b"asleep" => Key::Asleep,
            b"events" => Key::Events,
            b"timers" => Key::Timers,
            b"count" => Key::Count,
            _ => return None,
        })
    }
}

/// Reads one annotation into `details`.
pub(crate) fn read(
    message: &[u8],
    tables: &Tables,
    strings: &mut Strings,
    details: &mut Details,
) -> Result<(), Malformed> {
    let (mut key, mut number, mut text) = (None, None, None);
    for field in Fields::of(message) {
        match field? {
            (1, Value::Varint(iid)) => key = tables.key(iid),
            (10, Value::Bytes(word)) => key = Key::of(word),
            // A bool, an unsigned and a signed number.
            (2..=4, Value::Varint(value)) => number = Some(value),
            (6, Value::Bytes(value)) => text = Some(strings.keep(value)),
            (17, Value::Varint(iid)) => text = tables.value(iid),
            _ => {}
        }
    }
    let Some(key) = key else {
        return Ok(());
    };
    let word = || text.map(|text| strings.text(text));
    match key {
        Key::Task => details.task = number,
        Key::Source => details.source = word().map(Source::of),
        Key::Victim => details.victim = number,
        Key::SpawnedAt => details.spawned_at = text,
        Key::WokenBy => details.woken_by = word().and_then(WokenBy::of),
        Key::Waited => details.waited = number,
        Key::Outcome => details.ready = word().map(|word| word == "ready"),
        Key::Tasks => details.tasks = number,
        Key::Milliseconds => details.milliseconds = number,
        Key::Asleep => details.asleep = number.map(|number| number != 0),
        Key::Events => details.events = number,
        Key::Timers => details.timers = number,
        Key::Count => details.count = number,
    }
    Ok(())
}
