//! Polls that do not return: threads held until the test's condition holds.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

use crate::LIMIT;

/// How a thread is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// It sleeps in the kernel.
    Asleep,
    /// It burns CPU time.
    Burning,
}

impl Manner {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Asleep, Self::Burning];
}

/// Holds threads until it is opened or dropped.
#[derive(Debug, Default)]
pub struct Gate(Arc<Bars>);

/// Where threads wait for a [`Gate`].
#[derive(Debug, Clone)]
pub struct Hold(Arc<Bars>);

#[derive(Debug, Default)]
struct Bars {
    is_open: AtomicBool,
    lock: Mutex<()>,
    opened: Condvar,
}

impl Gate {
    /// A gate that is closed.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A place to wait for it.
    #[must_use]
    pub fn hold(&self) -> Hold {
        Hold(Arc::clone(&self.0))
    }

    /// Opens it for good.
    pub fn open(&self) {
        self.0.is_open.store(true, SeqCst);
        // A waiter that looked under the lock before sleeps by now.
        drop(self.0.lock.lock().unwrap_or_else(PoisonError::into_inner));
        self.0.opened.notify_all();
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.open();
    }
}

impl Hold {
    /// Holds the calling thread until the gate is open.
    ///
    /// # Panics
    ///
    /// Panics if that takes longer than [`LIMIT`].
    pub fn wait(&self, manner: Manner) {
        match manner {
            Manner::Asleep => self.sleep(),
            Manner::Burning => self.burn(),
        }
        assert!(self.0.is_open.load(SeqCst), "held for {LIMIT:?}: the gate was never opened");
    }

    fn sleep(&self) {
        let guard = self.0.lock.lock().unwrap_or_else(PoisonError::into_inner);
        let is_closed = |_: &mut ()| !self.0.is_open.load(SeqCst);
        drop(self.0.opened.wait_timeout_while(guard, LIMIT, is_closed));
    }

    fn burn(&self) {
        let end = Instant::now() + LIMIT;
        while !self.0.is_open.load(SeqCst) && Instant::now() < end {
            std::hint::spin_loop();
        }
    }
}
