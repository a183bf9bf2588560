//! Stalls: polls that held a processor for long, counted, logged once for each spawn site, and
//! passed on to a hook. And the rescues: what sysmon did on behalf of the machines.

use std::collections::HashMap;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

use crate::observe::counters::Counter;
use crate::util::report::report;
use crate::util::sync::{self, Mutex};
use crate::util::unwind::call_hook;

/// A poll that has lasted longer than the threshold, and had not returned when it was reported.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Stall {
    /// The id of the task, as [`Id`](crate::task::Id) displays it.
    pub task_id: u64,
    /// The task's name, if it was given one with
    /// [`task::Builder::name`](crate::task::Builder::name).
    pub task_name: Option<Arc<str>>,
    /// Where the task was spawned.
    pub spawned_at: &'static Location<'static>,
    /// How long the poll has lasted so far. It began up to two milliseconds earlier than was
    /// noticed.
    pub duration: Duration,
    /// True if the thread sleeps in a system call; otherwise it uses CPU time, or waits for a core.
    pub asleep: bool,
}

impl fmt::Display for Stall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "task {}", self.task_id)?;
        if let Some(name) = &self.task_name {
            write!(f, " \"{name}\"")?;
        }
        let doing = if self.asleep { "asleep in a blocking call" } else { "burning CPU time" };
        write!(
            f,
            ", spawned at {}, has been in one poll for {} ms, {doing}",
            self.spawned_at,
            self.duration.as_millis()
        )
    }
}

/// The hook that is called for each stall.
pub(crate) type StallHook = Arc<dyn Fn(&Stall) + Send + Sync>;

/// The stalls of one runtime.
#[derive(Debug, Default)]
pub(crate) struct Stalls {
    by_site: Mutex<HashMap<&'static Location<'static>, u64>>,
}

impl Stalls {
    /// Each spawn site's count, in no order.
    pub(crate) fn by_site(&self) -> Vec<(&'static Location<'static>, u64)> {
        self.by_site.lock().iter().map(|(&site, &count)| (site, count)).collect()
    }

    /// Counts `stall`, logs it if it is the first of its site, and calls the hook.
    pub(crate) fn report(&self, stall: &Stall, hook: Option<&StallHook>) {
        let count = {
            let mut by_site = self.by_site.lock();
            let count = by_site.entry(stall.spawned_at).or_insert(0);
            *count += 1;
            *count
        };
        if count == 1 {
            report(format_args!(
                "{stall}. Other tasks keep running, but consider `spawn_blocking` or `block_in_place` (reported once for \
                 this spawn site; WSRT_STALL_MS sets the threshold, 0 turns reports off)"
            ));
        }
        if let Some(hook) = hook {
            call_hook("on_stall", || hook(stall));
        }
    }
}

/// The rescues in one runtime, written by its watcher thread alone.
#[derive(Debug, Default)]
pub(crate) struct Rescues {
    all: Counter,
    /// The number of rescues that no long poll explains.
    unexplained: Counter,
}

impl Rescues {
    /// Counts a rescue that a long poll explains.
    pub(crate) fn count(&self) {
        self.all.add(1);
    }

    /// Counts a rescue where a machine slept despite work. Under a controlled schedule, this is a
    /// failure.
    pub(crate) fn count_unexplained(&self, beside: impl fmt::Debug) {
        self.all.add(1);
        self.unexplained.add(1);
        sync::fail(format_args!("a machine slept beside work, and sysmon had to wake it: {beside:?}"));
    }

    pub(crate) fn all(&self) -> u64 {
        self.all.get()
    }

    pub(crate) fn unexplained(&self) -> u64 {
        self.unexplained.get()
    }
}
