//! Writes a dump on standard error each time that a signal comes.
//!
//! On its own thread, which needs no processor: a dump is most useful when all of them are
//! stuck.

use std::io::{self, Write};
use std::sync::{Arc, Weak};
use std::time::Duration;

use crate::runtime::Handle;
use crate::scheduler::Scheduler;
use crate::signal::SignalThread;
use crate::signal::unix::SignalKind;

/// How long a dump with chains waits for a worker: all of them may be stuck.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// Starts the thread that writes dumps.
pub(crate) fn start(kind: SignalKind, with_chains: bool, scheduler: &Arc<Scheduler>) -> io::Result<SignalThread> {
    let watched = Arc::downgrade(scheduler);
    SignalThread::start("wsrt-dump", kind, move || write_dump(&watched, with_chains))
}

fn write_dump(scheduler: &Weak<Scheduler>, with_chains: bool) {
    let Some(scheduler) = scheduler.upgrade() else { return };
    let handle = Handle::new(scheduler);
    let dump = if with_chains { handle.dump_with_chains(LONGEST_WAIT) } else { handle.dump() };
    let text = format!("wsrt dump: {dump}\n");
    // A closed standard error is no reason to end the program.
    let _ = io::stderr().write_all(text.as_bytes());
}
