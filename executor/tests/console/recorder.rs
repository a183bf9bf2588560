//! A subscriber that records each span and event.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use tracing::field::{Field, Visit};
use tracing::{Event, Metadata, Subscriber, span};

/// The fields of a span or an event, as text.
pub(crate) type Fields = HashMap<&'static str, String>;

/// The record of one span.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    pub(crate) name: &'static str,
    pub(crate) target: &'static str,
    pub(crate) fields: Fields,
    pub(crate) polls: usize,
    pub(crate) is_entered: bool,
    handles: usize,
    pub(crate) is_closed: bool,
    /// The operations on wakers.
    pub(crate) clones: usize,
    pub(crate) drops: usize,
    pub(crate) wakes: usize,
    pub(crate) self_wakes: usize,
}

/// Records every event.
#[derive(Clone, Default)]
pub(crate) struct Recorder(Arc<Mutex<Seen>>);

#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) spans: HashMap<u64, Record>,
    /// The spans that each thread has entered, the innermost last.
    entered: HashMap<ThreadId, Vec<u64>>,
    /// Events that are no waker's.
    pub(crate) events: Vec<SeenEvent>,
}

/// An event, and the spans that were entered.
#[derive(Clone, Debug)]
pub(crate) struct SeenEvent {
    pub(crate) target: &'static str,
    pub(crate) fields: Fields,
    inside: Vec<u64>,
}

impl Recorder {
    /// A test that has failed may still report its drops.
    pub(crate) fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Visit for FieldsOf<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }
}

struct FieldsOf<'a>(&'a mut Fields);

impl Subscriber for Recorder {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, attributes: &span::Attributes<'_>) -> span::Id {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let id = NEXT.fetch_add(1, Relaxed);
        let metadata = attributes.metadata();
        let mut record = Record { name: metadata.name(), target: metadata.target(), handles: 1, ..Record::default() };
        attributes.record(&mut FieldsOf(&mut record.fields));
        self.seen().spans.insert(id, record);
        span::Id::from_u64(id)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::new();
        event.record(&mut FieldsOf(&mut fields));
        let mut seen = self.seen();
        if event.metadata().target() != "tokio::task::waker" {
            let inside = seen.entered().clone();
            seen.events.push(SeenEvent { target: event.metadata().target(), fields, inside });
            return;
        }
        let id: u64 = fields["task.id"].parse().expect("the number of a span");
        let task = seen.spans.get_mut(&id).expect("the number of a span that there was");
        match fields["op"].as_str() {
            "waker.clone" => task.clones += 1,
            "waker.drop" => task.drops += 1,
            "waker.wake_by_ref" => task.wakes += 1,
            "waker.wake" => {
                task.wakes += 1;
                task.drops += 1;
            }
            other => panic!("{other} is nothing that a waker does"),
        }
        task.self_wakes += usize::from(task.is_entered && fields["op"].contains("wake"));
    }

    fn enter(&self, id: &span::Id) {
        let mut seen = self.seen();
        let record = seen.spans.get_mut(&id.into_u64()).expect("it was made");
        record.polls += 1;
        record.is_entered = true;
        seen.entered().push(id.into_u64());
    }

    fn exit(&self, id: &span::Id) {
        let mut seen = self.seen();
        seen.spans.get_mut(&id.into_u64()).expect("it was made").is_entered = false;
        assert_eq!(seen.entered().pop(), Some(id.into_u64()), "the innermost span is left first");
    }

    fn clone_span(&self, id: &span::Id) -> span::Id {
        self.seen().spans.get_mut(&id.into_u64()).expect("it was made").handles += 1;
        id.clone()
    }

    fn try_close(&self, id: span::Id) -> bool {
        let mut seen = self.seen();
        let record = seen.spans.get_mut(&id.into_u64()).expect("it was made");
        record.handles -= 1;
        record.is_closed = record.handles == 0;
        record.is_closed
    }
}

impl Seen {
    fn entered(&mut self) -> &mut Vec<u64> {
        self.entered.entry(thread::current().id()).or_default()
    }

    pub(crate) fn named(&self, name: &str) -> &Record {
        let mut found =
            self.spans.values().filter(|record| record.fields.get("task.name").is_some_and(|it| it == name));
        let one = found.next().unwrap_or_else(|| panic!("{name} is not shown: {self:#?}"));
        assert!(found.next().is_none(), "{name} is shown twice");
        one
    }

    pub(crate) fn of_kind(&self, kind: &str) -> Vec<&Record> {
        self.spans.values().filter(|record| record.fields.get("kind").is_some_and(|it| it == kind)).collect()
    }

    pub(crate) fn poll_ops(&self, name: &str) -> Vec<bool> {
        let ops = self.events.iter().filter(|event| event.target == "runtime::resource::poll_op");
        ops.filter(|op| op.fields["op_name"] == name).map(SeenEvent::is_ready).collect()
    }

    /// The resource of that type, of which there is one.
    pub(crate) fn resource(&self, concrete_type: &str) -> SeenResource<'_> {
        let is_it = |record: &Record| record.fields.get("concrete_type").is_some_and(|it| it == concrete_type);
        let mut found = self.spans.iter().filter(|(_, record)| record.name == "runtime.resource" && is_it(record));
        let (&id, record) = found.next().unwrap_or_else(|| panic!("no {concrete_type} is shown: {self:#?}"));
        assert!(found.next().is_none(), "more than one {concrete_type} is shown");
        SeenResource { seen: self, id, record }
    }

    pub(crate) fn resources(&self) -> usize {
        self.spans.values().filter(|record| record.name == "runtime.resource").count()
    }
}

impl SeenEvent {
    fn is_ready(&self) -> bool {
        self.fields["is_ready"] == "true"
    }

    /// The innermost entered span of that name.
    fn inside<'a>(&self, seen: &'a Seen, name: &str) -> Option<&'a Record> {
        self.inside.iter().rev().map(|id| &seen.spans[id]).find(|record| record.name == name)
    }
}

/// A timer, lock or channel.
#[derive(Clone, Copy)]
pub(crate) struct SeenResource<'a> {
    seen: &'a Seen,
    id: u64,
    pub(crate) record: &'a Record,
}

impl<'a> SeenResource<'a> {
    fn events(self, target: &'static str) -> impl Iterator<Item = &'a SeenEvent> {
        self.seen.events.iter().filter(move |event| event.target == target && event.inside.contains(&self.id))
    }

    /// The values of a part of its state, in the order of the updates.
    pub(crate) fn states(self, name: &str) -> Vec<&'a str> {
        let updates = self.events("runtime::resource::state_update");
        updates.filter_map(|update| update.fields.get(name)).map(String::as_str).collect()
    }

    /// Its polls: the task, the operation, and whether the poll was ready.
    pub(crate) fn polls(self) -> Vec<(&'a str, &'a str, bool)> {
        let text = |record: Option<&'a Record>, field: &str| {
            record.and_then(|record| record.fields.get(field)).map_or("", String::as_str)
        };
        let of = |op: &'a SeenEvent| {
            assert!(op.inside(self.seen, "runtime.resource.async_op.poll").is_some(), "{op:#?}");
            let task = text(op.inside(self.seen, "runtime.spawn"), "task.name");
            (task, text(op.inside(self.seen, "runtime.resource.async_op"), "source"), op.is_ready())
        };
        self.events("runtime::resource::poll_op").map(of).collect()
    }
}

impl Record {
    /// How many there are just now, as the console reckons.
    pub(crate) fn wakers(&self) -> usize {
        self.clones - self.drops
    }

    pub(crate) fn is_placed_in(&self, file: &str) -> bool {
        self.fields["loc.file"] == file && self.fields.contains_key("loc.line") && self.fields.contains_key("loc.col")
    }
}
