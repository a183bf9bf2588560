//! All updates so far, by the numbers of tasks, resources and operations.

use std::collections::HashMap;
use std::time::{Duration, SystemTime};

use console_api::field::{Name, Value};
use console_api::instrument::Update;
use console_api::resources::resource::Kind;
use console_api::resources::resource::kind::{self, Known};
use console_api::tasks::Stats;
use console_api::{Attribute, Field, PollStats, async_ops, resources, tasks};

/// One task, with the newest figures of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Task {
    pub(crate) id: u64,
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) stats: Stats,
}

#[derive(Clone, Debug)]
pub(crate) struct Resource {
    pub(crate) concrete_type: String,
    pub(crate) is_timer: bool,
    pub(crate) file: String,
    pub(crate) line: usize,
}

/// One poll of one operation on a resource.
#[derive(Clone, Debug)]
pub(crate) struct PollOp {
    pub(crate) name: String,
    pub(crate) resource: u64,
    pub(crate) operation: u64,
    pub(crate) task: u64,
    pub(crate) is_ready: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Seen {
    tasks: HashMap<u64, Task>,
    resources: HashMap<u64, Resource>,
    attributes: HashMap<u64, Vec<Attribute>>,
    sources: HashMap<u64, String>,
    poll_ops: Vec<PollOp>,
}

impl Seen {
    pub(crate) fn take_in(&mut self, update: Update) {
        let tasks = update.task_update.unwrap_or_default();
        let resources = update.resource_update.unwrap_or_default();
        let operations = update.async_op_update.unwrap_or_default();
        let dropped = [tasks.dropped_events, resources.dropped_events, operations.dropped_events];
        assert_eq!(dropped, [0; 3], "the program's console was swamped");
        for task in tasks.new_tasks {
            let task = Task::new(task);
            self.tasks.insert(task.id, task);
        }
        for (id, stats) in tasks.stats_update {
            self.tasks.get_mut(&id).expect("figures come after what they are of").stats = stats;
        }
        self.take_in_resources(resources);
        self.take_in_operations(operations.new_async_ops);
    }

    fn take_in_resources(&mut self, update: resources::ResourceUpdate) {
        for resource in update.new_resources {
            let id = resource.id.expect("each has a number").id;
            self.resources.insert(id, Resource::new(resource));
        }
        for (id, stats) in update.stats_update {
            self.attributes.insert(id, stats.attributes);
        }
        self.poll_ops.extend(update.new_poll_ops.into_iter().map(PollOp::new));
    }

    fn take_in_operations(&mut self, operations: Vec<async_ops::AsyncOp>) {
        for operation in operations {
            self.sources.insert(operation.id.expect("each has a number").id, operation.source);
        }
    }

    pub(crate) fn tasks(&self) -> impl Iterator<Item = &Task> {
        self.tasks.values()
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Task> {
        self.tasks().find(|task| task.name == name)
    }

    /// Tasks of that name that have ended.
    pub(crate) fn ended(&self, name: &str) -> impl Iterator<Item = &Task> {
        self.tasks().filter(move |task| task.name == name && task.stats.dropped_at.is_some())
    }

    pub(crate) fn resources(&self) -> impl Iterator<Item = &Resource> {
        self.resources.values()
    }

    pub(crate) fn resource(&self, id: u64) -> &Resource {
        self.resources.get(&id).unwrap_or_else(|| panic!("no resource {id} in {self:#?}"))
    }

    pub(crate) fn poll_ops(&self) -> impl Iterator<Item = &PollOp> {
        self.poll_ops.iter()
    }

    /// The name of operation `id`.
    pub(crate) fn source(&self, id: u64) -> &str {
        self.sources.get(&id).unwrap_or_else(|| panic!("no operation {id} in {self:#?}"))
    }

    /// The value of a part of a resource's state as text, and its unit.
    pub(crate) fn attribute(&self, resource: u64, name: &str) -> Option<(String, String)> {
        let attributes = self.attributes.get(&resource)?;
        attributes.iter().find_map(|attribute| {
            let (found, value) = of_field(attribute.field.as_ref()?)?;
            (found == name).then(|| (value, attribute.unit.clone().unwrap_or_default()))
        })
    }
}

impl Task {
    fn new(told: tasks::Task) -> Self {
        let fields: HashMap<_, _> = told.fields.iter().filter_map(of_field).collect();
        let text = |name: &str| fields.get(name).cloned().unwrap_or_default();
        let place = told.location.expect("each has a place");
        Self {
            id: told.id.expect("each has a number").id,
            name: text("task.name"),
            kind: text("kind"),
            file: place.file.expect("the place has a file"),
            line: place.line.expect("the place has a line") as usize,
            stats: Stats::default(),
        }
    }

    fn poll_stats(&self) -> PollStats {
        self.stats.poll_stats.unwrap_or_default()
    }

    pub(crate) fn polls(&self) -> u64 {
        self.poll_stats().polls
    }

    pub(crate) fn busy_time(&self) -> Duration {
        self.poll_stats().busy_time.and_then(|time| time.try_into().ok()).unwrap_or_default()
    }

    /// Whether the console says that it has lost its waker: reckoned as the console does.
    pub(crate) fn is_lost(&self) -> bool {
        let polls = self.poll_stats();
        let time = |stamp: Option<prost_types::Timestamp>| stamp.and_then(|stamp| SystemTime::try_from(stamp).ok());
        let (began, ended) = (time(polls.last_poll_started), time(polls.last_poll_ended));
        let is_running = began > ended;
        let is_woken = polls.polls == 0 || time(self.stats.last_wake) > began;
        let has_wakers = self.stats.waker_clones > self.stats.waker_drops;
        self.stats.dropped_at.is_none() && !has_wakers && !is_running && !is_woken
    }
}

impl Resource {
    fn new(told: resources::Resource) -> Self {
        let kind = told.kind.and_then(|Kind { kind }| kind);
        let place = told.location.expect("each has a place");
        Self {
            concrete_type: told.concrete_type,
            is_timer: kind == Some(kind::Kind::Known(Known::Timer as i32)),
            file: place.file.expect("the place has a file"),
            line: place.line.expect("the place has a line") as usize,
        }
    }
}

impl PollOp {
    fn new(told: resources::PollOp) -> Self {
        Self {
            name: told.name,
            resource: told.resource_id.expect("it is of a resource").id,
            operation: told.async_op_id.expect("it is of an operation").id,
            task: told.task_id.expect("it is a task's").id,
            is_ready: told.is_ready,
        }
    }
}

/// A field's name and its value as text.
fn of_field(field: &Field) -> Option<(String, String)> {
    let Some(Name::StrName(name)) = &field.name else { return None };
    let value = match field.value.as_ref()? {
        Value::DebugVal(text) | Value::StrVal(text) => text.clone(),
        Value::U64Val(number) => number.to_string(),
        Value::I64Val(number) => number.to_string(),
        Value::BoolVal(flag) => flag.to_string(),
    };
    Some((name.clone(), value))
}
