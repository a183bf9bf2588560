//! `/stalls`: polls that take too long, now and since the start.

use std::cmp::Reverse;
use std::fmt::Write;
use std::time::Duration;

use wsrt::runtime::{__ShortLocation as ShortLocation, Handle, TaskKind, TaskState};

use super::{Request, text};
use crate::answer::Answer;

/// A poll that is worth a line. Polls should take microseconds.
const LONG: Duration = Duration::from_millis(10);

/// The most stacks that are shown.
const STACKS: usize = 50;

pub(super) fn answer(request: &Request<'_>) -> Result<Answer, Answer> {
    text(request, write)
}

fn write(runtime: &Handle, page: &mut String) {
    let metrics = runtime.metrics().snapshot();
    let (stalls, spares) = (metrics.stall_count(), metrics.num_spare_processors());
    let reported = if stalls == 1 { "poll was reported as a stall" } else { "polls were reported as stalls" };
    let workers = if spares == 1 { "spare worker is" } else { "spare workers are" };
    let _ = writeln!(page, " {stalls} {reported} (WSRT_STALL_MS, by default 100 ms); {spares} {workers} in use");
    for (site, count) in metrics.stalls_by_site() {
        let _ = writeln!(page, "{count:>8} of tasks spawned at {}", ShortLocation(site));
    }
    for (first, count, longest) in runtime.__stalls_by_stack().into_iter().take(STACKS) {
        let longest = longest.as_millis();
        let _ = writeln!(page, "{count:>8} with this stack, the longest of {longest} ms; the first: {first}");
        if let Some(backtrace) = first.backtrace() {
            let _ = writeln!(page, "{backtrace}");
        }
    }
    let dump = runtime.dump();
    let mut long: Vec<_> = dump
        .tasks()
        .iter()
        .filter(|task| task.kind() != TaskKind::BlockingJob)
        .filter_map(|task| match task.state() {
            TaskState::Running(running) => Some((running.elapsed().filter(|elapsed| *elapsed >= LONG)?, task)),
            _ => None,
        })
        .collect();
    long.sort_by_key(|(elapsed, task)| (Reverse(*elapsed), task.id()));
    let lasted = if long.len() == 1 { "poll has lasted" } else { "polls have lasted" };
    let _ = writeln!(page, "{} {lasted} for {LONG:?} and more by now", long.len());
    for (_, task) in long {
        let _ = writeln!(page, "  {task}");
    }
}
