//! Writes a dump on standard error each time that a signal comes.
//!
//! On its own thread, which needs no processor: a dump is most useful when all of them are
//! stuck.

use std::io::{self, Write};
use std::sync::{Arc, Weak};

use crate::runtime::Handle;
use crate::scheduler::Scheduler;
use crate::signal::SignalThread;
use crate::signal::unix::SignalKind;

/// Starts the thread that writes dumps.
pub(crate) fn start(kind: SignalKind, scheduler: &Arc<Scheduler>) -> io::Result<SignalThread> {
    let watched = Arc::downgrade(scheduler);
    SignalThread::start("wsrt-dump", kind, move || write_dump(&watched))
}

fn write_dump(scheduler: &Weak<Scheduler>) {
    let Some(scheduler) = scheduler.upgrade() else { return };
    let text = format!("wsrt dump: {}\n", Handle::new(scheduler).dump());
    // A closed standard error is no reason to end the program.
    let _ = io::stderr().write_all(text.as_bytes());
}
