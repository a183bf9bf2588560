//! A thread that looks at a runtime periodically.
//!
//! It needs no processor, so that it runs even if every processor is stuck, and it does not keep
//! the runtime alive.

use std::io;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::scheduler::Scheduler;

/// The thread; dropping this ends it, after one last look.
#[derive(Debug)]
pub(crate) struct Periodic {
    ending: Arc<Ending>,
    thread: Option<thread::JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Ending {
    ended: Mutex<bool>,
    on_end: Condvar,
}

impl Periodic {
    /// Starts a thread called `name`, which calls `look` after each `period`.
    pub(crate) fn start(
        name: &str,
        scheduler: &Arc<Scheduler>,
        period: Duration,
        look: impl FnMut(&Scheduler) + Send + 'static,
    ) -> io::Result<Self> {
        let ending = Arc::new(Ending::default());
        let (watched, ends) = (Arc::downgrade(scheduler), Arc::clone(&ending));
        let thread = thread::Builder::new().name(name.into()).spawn(move || ends.look_until(&watched, period, look))?;
        Ok(Self { ending, thread: Some(thread) })
    }
}

impl Ending {
    fn look_until(&self, scheduler: &Weak<Scheduler>, period: Duration, mut look: impl FnMut(&Scheduler)) {
        let mut due = Some(Instant::now());
        let mut ended = self.ended.lock();
        while !*ended {
            due = due.and_then(|due| due.checked_add(period));
            while !*ended && !self.is_due(&mut ended, due) {}
            let Some(scheduler) = scheduler.upgrade() else { return };
            look(&scheduler);
        }
    }

    /// Waits for the end, until `due` at the latest; for ever if that is beyond the clock. Returns
    /// `true` at `due`.
    fn is_due(&self, ended: &mut parking_lot::MutexGuard<'_, bool>, due: Option<Instant>) -> bool {
        match due {
            Some(due) => self.on_end.wait_until(ended, due).timed_out(),
            None => {
                self.on_end.wait(ended);
                false
            }
        }
    }
}

impl Drop for Periodic {
    fn drop(&mut self) {
        *self.ending.ended.lock() = true;
        self.ending.on_end.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
