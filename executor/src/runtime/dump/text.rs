//! A dump as text: a headline, and one line a task, so that it can be searched by lines.

use std::fmt;
use std::time::Duration;

use wsrt_trace::place::ShortLocation;

use super::{Cycle, Dump, TaskDump, TaskState, TaskStats};
use crate::observe::futurelocks;
use crate::runtime::{Running, SourceWait, SyncWait, TaskKind, WaitsOn};

impl fmt::Display for Dump {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |wanted: fn(&TaskDump) -> bool| self.tasks.iter().filter(|task| wanted(task)).count();
        self.cycles.iter().try_for_each(|cycle| writeln!(f, "{cycle}"))?;
        let jobs = count(|task| task.kind() == TaskKind::BlockingJob);
        write!(
            f,
            "{}, {}: {} running, {} scheduled, {} idle (looked at in {:.1?})",
            counted(self.tasks.len() - jobs, "task"),
            counted(jobs, "blocking job"),
            count(|task| matches!(task.state(), TaskState::Running(_))),
            count(|task| task.state() == TaskState::Scheduled),
            count(|task| task.state() == TaskState::Idle),
            self.took,
        )?;
        self.tasks.iter().try_for_each(|task| write!(f, "\n{task}"))
    }
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cycle of waits: {} cannot continue", counted(self.tasks.len(), "task"))?;
        self.tasks.iter().try_for_each(|task| write!(f, "\n  {task}"))?;
        let described = |wait: &SyncWait| futurelocks::described(wait.kind(), wait.made_at(), wait.holder());
        self.futurelocks().try_for_each(|wait| write!(f, "\n  futurelock: {}", described(wait)))
    }
}

impl fmt::Display for TaskDump {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind() {
            TaskKind::Task if self.is_background() => "background task",
            TaskKind::Task => "task",
            TaskKind::Local => "local task",
            TaskKind::BlockingJob => "blocking job",
        };
        write!(f, "{kind} {}", self.id())?;
        if let Some(name) = self.name() {
            // With line breaks escaped.
            write!(f, " {name:?}")?;
        }
        write!(f, ", spawned at {}", ShortLocation(self.spawned_at()))?;
        if let Some(host) = self.host_name() {
            write!(f, ", of the host `{host}`")?;
        }
        f.write_str(": ")?;
        match self.state() {
            TaskState::Scheduled => f.write_str("scheduled")?,
            TaskState::Running(running) => running.fmt(f)?,
            TaskState::Idle if self.is_orphan() => f.write_str("orphan, nothing is left that could wake or end it")?,
            TaskState::Idle if self.0.snapshot.wakers == 0 => {
                f.write_str("idle, no waker is left, and only a `JoinHandle` could end it")?;
            }
            TaskState::Idle => write_waits(self.waits_on(), f)?,
        }
        self.stats().map_or(Ok(()), |stats| write!(f, "; {stats}"))?;
        self.await_chains().iter().try_for_each(|chain| write_chain(&chain.to_string(), f))
    }
}

/// Writes a chain below the line of its task, the outermost function first.
fn write_chain(backtrace: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let lines = backtrace.lines().rev().map(str::trim_start);
    lines.enumerate().try_for_each(|(index, line)| {
        let mark = if index == 0 { "  - " } else { "    " };
        write!(f, "\n{mark}{line}")
    })
}

fn write_waits(waits: &[WaitsOn], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("idle, waits for ")?;
    if waits.is_empty() {
        return f.write_str("something unknown");
    }
    for (index, on) in waits.iter().enumerate() {
        let separator = if index == 0 { "" } else { " or " };
        write!(f, "{separator}{on}")?;
    }
    Ok(())
}

impl fmt::Display for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("running")?;
        if let Some(processor) = self.processor() {
            write!(f, " on P{processor}")?;
        }
        if let Some(elapsed) = self.elapsed() {
            write!(f, " for {elapsed:.1?}")?;
        }
        if self.is_in_block_in_place() { f.write_str(", in block_in_place") } else { Ok(()) }
    }
}

impl fmt::Display for WaitsOn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Source(source) => source.fmt(f),
            Self::Timer(timer) if timer.due_in() == Duration::ZERO => f.write_str("a timer that is due"),
            Self::Timer(timer) => write!(f, "a timer due in {:.1?}", timer.due_in()),
            Self::Task(id) => write!(f, "the end of task {id}"),
            Self::BlockingJob(id) => write!(f, "the end of blocking job {id}"),
            Self::Sync(sync) => sync.fmt(f),
        }
    }
}

impl fmt::Display for SourceWait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind())?;
        if let Some(descriptor) = self.descriptor() {
            write!(f, " {descriptor}")?;
        }
        if let Some(local) = self.local_addr() {
            write!(f, " at {local}")?;
        }
        if let Some(peer) = self.peer_addr() {
            write!(f, " with peer {peer}")?;
        }
        f.write_str(match (self.is_for_reading(), self.is_for_writing()) {
            (true, false) => " (to read)",
            (false, true) => " (to write)",
            _ => " (to read or write)",
        })
    }
}

impl fmt::Display for TaskStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "age {:.1?}, polls {}, took {:.1?}, longest {:.1?}",
            self.age(),
            self.polls(),
            self.total_poll_time(),
            self.longest_poll(),
        )?;
        self.since_wake().map_or(Ok(()), |since| write!(f, ", woken {since:.1?} ago"))
    }
}
