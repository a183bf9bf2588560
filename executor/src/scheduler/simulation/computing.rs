//! Computing: virtual time that passes in the middle of a poll, on one processor only.
//!
//! The task seems to wait, and its machine, which has nothing else to do until then, wakes it and
//! polls it again. So others act during that time, as they do beside a task that computes.

use std::task::Waker;

use super::{Computing, Simulation};

impl Simulation {
    /// Lets the machine whose turn it is compute for so long, and then wake `waker`. Returns when
    /// that is; `None` if the simulation is not driven on this thread.
    pub(crate) fn compute(&self, now: u64, nanos: u64, waker: &Waker) -> Option<u64> {
        if !self.is_driven_here() {
            return None;
        }
        let mut state = self.state.lock();
        let computing = &mut state.computing;
        computing.nanos += nanos;
        computing.wakers.push(waker.clone());
        state.computed += nanos;
        Some(now + state.computing.nanos)
    }

    pub(super) fn take_computing(&self) -> Computing {
        std::mem::take(&mut self.state.lock().computing)
    }

    /// Returns how long all tasks have computed, in nanoseconds.
    pub(crate) fn computed(&self) -> u64 {
        self.state.lock().computed
    }
}
