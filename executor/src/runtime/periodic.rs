//! A thread that looks at a runtime periodically.
//!
//! It needs no processor, so that it runs even if every processor is stuck, and it does not keep
//! the runtime alive.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Weak};
use std::time::Duration;

use crate::scheduler::Scheduler;
use crate::util::sync::{self, thread};
use crate::util::threads::JoinedThread;

/// The thread; dropping this ends it, after one last look.
#[derive(Debug)]
pub(crate) struct Periodic {
    /// Nothing is sent: the thread learns from its drop, which comes before the thread is joined.
    _until_dropped: Sender<()>,
    _thread: JoinedThread,
}

impl Periodic {
    /// Starts a thread called `name`, which calls `look` after each `period`.
    pub(crate) fn start(
        name: &str,
        scheduler: &Arc<Scheduler>,
        period: Duration,
        look: impl FnMut(&Scheduler) + Send + 'static,
    ) -> io::Result<Self> {
        let (until_dropped, ended) = channel();
        let watched = Arc::downgrade(scheduler);
        let thread =
            thread::Builder::new().name(name.into()).spawn(move || look_until(&ended, &watched, period, look))?;
        Ok(Self { _until_dropped: until_dropped, _thread: JoinedThread::new(thread) })
    }
}

fn look_until(ended: &Receiver<()>, scheduler: &Weak<Scheduler>, period: Duration, mut look: impl FnMut(&Scheduler)) {
    let mut due = Some(sync::now());
    let mut goes_on = true;
    while goes_on {
        due = due.and_then(|due| due.checked_add(period));
        goes_on = match due {
            Some(due) => {
                let left = due.saturating_duration_since(sync::now());
                ended.recv_timeout(left) == Err(RecvTimeoutError::Timeout)
            }
            // Beyond the clock: only the end is left to wait for.
            None => ended.recv().is_ok(),
        };
        let Some(scheduler) = scheduler.upgrade() else { return };
        look(&scheduler);
    }
}
