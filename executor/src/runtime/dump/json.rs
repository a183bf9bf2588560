//! A dump as JSON.
//!
//! Written by hand: the format has six kinds of value, and a serializer would be a dependency of
//! every program that uses wsrt.

use std::fmt::Write as _;
use std::panic::Location;
use std::time::Duration;

use super::{Cycle, Dump, TaskDump, TaskState, TaskStats};
use crate::runtime::{Backtrace, SourceWait, SyncWait, TaskKind, WaitsOn};

pub(super) fn of(dump: &Dump) -> String {
    let mut json = String::with_capacity(64 + 320 * dump.tasks.len());
    append(&mut json, format_args!("{{\"took_us\":{},\"cycles\":", dump.took.as_micros()));
    list(&mut json, &dump.cycles, cycle);
    json.push_str(",\"tasks\":");
    list(&mut json, &dump.tasks, task);
    json.push('}');
    json
}

fn cycle(json: &mut String, cycle: &Cycle) {
    list(json, cycle.tasks(), |json, task| append(json, format_args!("{}", task.id())));
}

fn task(json: &mut String, task: &TaskDump) {
    let kind = match task.kind() {
        TaskKind::Task => "task",
        TaskKind::Local => "local",
        TaskKind::BlockingJob => "blocking_job",
    };
    append(json, format_args!("{{\"id\":{},\"kind\":\"{kind}\",\"name\":", task.id()));
    or_null(json, task.name(), text);
    json.push_str(",\"spawned_at\":");
    place(json, task.spawned_at());
    state(json, task.state());
    json.push_str(",\"waits_on\":");
    list(json, task.waits_on(), wait);
    if !task.await_chains().is_empty() {
        json.push_str(",\"await_chains\":");
        list(json, task.await_chains(), chain);
    }
    append(json, format_args!(",\"orphan\":{},\"background\":{}", task.is_orphan(), task.is_background()));
    json.push_str(",\"stats\":");
    or_null(json, task.stats(), stats);
    json.push('}');
}

fn state(json: &mut String, state: TaskState) {
    let (name, running) = match state {
        TaskState::Scheduled => ("scheduled", None),
        TaskState::Running(running) => ("running", Some(running)),
        TaskState::Idle => ("idle", None),
    };
    append(json, format_args!(",\"state\":\"{name}\",\"processor\":"));
    or_null(json, running.and_then(|running| running.processor()), |json, index| append(json, format_args!("{index}")));
    json.push_str(",\"in_poll_us\":");
    or_null(json, running.and_then(|running| running.elapsed()), micros);
    let is_blocking = running.is_some_and(|running| running.is_in_block_in_place());
    append(json, format_args!(",\"in_block_in_place\":{is_blocking}"));
}

fn wait(json: &mut String, on: &WaitsOn) {
    match on {
        WaitsOn::Source(on) => source(json, on),
        WaitsOn::Timer(timer) => {
            append(json, format_args!("{{\"kind\":\"timer\",\"due_in_us\":{}}}", timer.due_in().as_micros()));
        }
        WaitsOn::Task(id) => append(json, format_args!("{{\"kind\":\"task\",\"id\":{id}}}")),
        WaitsOn::BlockingJob(id) => append(json, format_args!("{{\"kind\":\"blocking_job\",\"id\":{id}}}")),
        WaitsOn::Sync(on) => sync(json, on),
    }
}

fn sync(json: &mut String, on: &SyncWait) {
    append(json, format_args!("{{\"kind\":\"sync\",\"sync\":\"{}\",\"made_at\":", on.kind().name()));
    place(json, on.made_at());
    json.push_str(",\"held_by\":");
    or_null(json, on.holder(), |json, id| append(json, format_args!("{id}")));
    json.push_str(",\"held_us\":");
    or_null(json, on.held_for(), micros);
    append(json, format_args!(",\"promised\":{}}}", on.is_promised()));
}

/// The outermost function first.
fn chain(json: &mut String, chain: &Backtrace) {
    let frames: Vec<_> = chain.frames().iter().rev().collect();
    list(json, &frames, |json, frame| {
        json.push_str("{\"function\":");
        text(json, frame.function());
        json.push_str(",\"file\":");
        or_null(json, frame.file(), text);
        json.push_str(",\"line\":");
        or_null(json, frame.line(), |json, line| append(json, format_args!("{line}")));
        json.push('}');
    });
}

fn place(json: &mut String, place: &Location<'_>) {
    json.push_str("{\"file\":");
    text(json, place.file());
    append(json, format_args!(",\"line\":{},\"column\":{}}}", place.line(), place.column()));
}

fn source(json: &mut String, source: &SourceWait) {
    json.push_str("{\"kind\":\"source\",\"source\":");
    text(json, source.kind());
    append(json, format_args!(",\"read\":{},\"write\":{}", source.is_for_reading(), source.is_for_writing()));
    json.push_str(",\"descriptor\":");
    or_null(json, source.descriptor(), |json, number| append(json, format_args!("{number}")));
    for (field, address) in [("local_addr", source.local_addr()), ("peer_addr", source.peer_addr())] {
        append(json, format_args!(",\"{field}\":"));
        or_null(json, address, |json, address| text(json, &address.to_string()));
    }
    json.push('}');
}

fn stats(json: &mut String, stats: TaskStats) {
    append(
        json,
        format_args!(
            "{{\"age_us\":{},\"polls\":{},\"total_poll_us\":{},\"longest_poll_us\":{},\"since_wake_us\":",
            stats.age().as_micros(),
            stats.polls(),
            stats.total_poll_time().as_micros(),
            stats.longest_poll().as_micros(),
        ),
    );
    or_null(json, stats.since_wake(), micros);
    json.push('}');
}

fn micros(json: &mut String, duration: Duration) {
    append(json, format_args!("{}", duration.as_micros()));
}

fn list<T>(json: &mut String, items: &[T], item: impl Fn(&mut String, &T)) {
    json.push('[');
    for (index, value) in items.iter().enumerate() {
        if index > 0 {
            json.push(',');
        }
        item(json, value);
    }
    json.push(']');
}

fn or_null<T>(json: &mut String, value: Option<T>, some: impl Fn(&mut String, T)) {
    match value {
        Some(value) => some(json, value),
        None => json.push_str("null"),
    }
}

/// Appends a string in quotes, with the characters escaped that JSON forbids inside them.
fn text(json: &mut String, value: &str) {
    json.push('"');
    for character in value.chars() {
        match character {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\n' => json.push_str("\\n"),
            control if control < ' ' => append(json, format_args!("\\u{:04x}", u32::from(control))),
            other => json.push(other),
        }
    }
    json.push('"');
}

fn append(json: &mut String, arguments: std::fmt::Arguments<'_>) {
    json.write_fmt(arguments).expect("a string takes all that is written");
}
