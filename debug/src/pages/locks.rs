//! `/locks`: the locks and channels that tasks wait for, with their holders, and deadlocks.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;

use wsrt::runtime::{Handle, TaskDump, WaitsOn};
use wsrt::task::Id;

use super::{Request, text};
use crate::answer::Answer;

/// How many of the tasks that wait for one lock are shown: the first of them.
const SHOWN: usize = 5;

pub(super) fn answer(request: &Request<'_>) -> Result<Answer, Answer> {
    text(request, write)
}

/// The tasks that wait for locks of one kind that were made in one place and have one holder.
#[derive(Default)]
struct Waiting<'a> {
    /// The first task's words for what it waits for.
    lock: String,
    tasks: Vec<&'a TaskDump>,
}

fn write(runtime: &Handle, page: &mut String) {
    let dump = runtime.dump();
    let mut groups: BTreeMap<_, Waiting<'_>> = BTreeMap::new();
    for task in dump.tasks() {
        for on in task.waits_on() {
            let WaitsOn::Sync(wait) = on else { continue };
            let place = (wait.made_at(), format!("{:?}", wait.kind()), wait.holder());
            let group = groups.entry(place).or_default();
            if group.tasks.is_empty() {
                group.lock = wait.to_string();
            }
            group.tasks.push(task);
        }
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(_, group)| Reverse(group.tasks.len()));
    let waiting: usize = groups.iter().map(|(_, group)| group.tasks.len()).sum();
    let deadlocks = dump.cycles().len();
    let _ = writeln!(
        page,
        " {waiting} {} for locks and channels, {deadlocks} {}",
        if waiting == 1 { "wait" } else { "waits" },
        if deadlocks == 1 { "deadlock" } else { "deadlocks" }
    );
    for cycle in dump.cycles() {
        let _ = writeln!(page, "\n{cycle}");
    }
    for ((_, _, holder), group) in &groups {
        write_group(dump.tasks(), *holder, group, page);
    }
}

fn write_group(all: &[TaskDump], holder: Option<Id>, group: &Waiting<'_>, page: &mut String) {
    let count = group.tasks.len();
    let _ = writeln!(page, "\n{count} {} for {}", if count == 1 { "task waits" } else { "tasks wait" }, group.lock);
    if let Some(holder) = holder.and_then(|holder| all.iter().find(|task| task.id() == holder)) {
        let _ = writeln!(page, "  held by {holder}");
    }
    for task in group.tasks.iter().take(SHOWN) {
        let _ = writeln!(page, "  {task}");
    }
    if count > SHOWN {
        let _ = writeln!(page, "  and {} more", count - SHOWN);
    }
}
