//! A condition variable with parking_lot's methods.

use std::time::{Duration, Instant};

use crate::lock::MutexGuard;
use crate::state::On;
use crate::{steps, time};

/// A condition variable, each use of which is a step of the schedule. In a schedule only: a wait
/// outside one returns at once.
#[derive(Debug, Default)]
pub struct Condvar {
    /// Has an address of its own.
    _place: u8,
}

/// Reports how a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// Returns whether its time had come.
    #[must_use]
    pub fn timed_out(self) -> bool {
        self.0
    }
}

impl Condvar {
    /// Returns a condition variable that no thread waits for.
    #[must_use]
    pub const fn new() -> Self {
        Self { _place: 0 }
    }

    fn place(&self) -> On {
        On::Address((&raw const self._place).addr())
    }

    /// Wakes one of the threads that wait.
    pub fn notify_one(&self) {
        steps::step();
        steps::with_state(|state, _| state.wake_any(self.place()));
    }

    /// Wakes all threads that wait.
    pub fn notify_all(&self) {
        steps::step();
        steps::with_state(|state, _| state.wake_all(self.place()));
    }

    fn wait_to<T>(&self, guard: &mut MutexGuard<'_, T>, until: Option<u64>) -> bool {
        // No other thread runs between the release and the wait.
        guard.lock.release();
        let woken = steps::wait(self.place(), until);
        if steps::current().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        guard.lock.take_again();
        woken
    }

    /// Waits until it is notified.
    pub fn wait<T>(&self, guard: &mut MutexGuard<'_, T>) {
        steps::step();
        let _ = self.wait_to(guard, None);
    }

    /// Waits until it is notified, until `deadline` at most.
    pub fn wait_until<T>(&self, guard: &mut MutexGuard<'_, T>, deadline: Instant) -> WaitTimeoutResult {
        steps::step();
        WaitTimeoutResult(!self.wait_to(guard, time::nanos(deadline)))
    }

    /// Waits until it is notified, for `timeout` at most.
    pub fn wait_for<T>(&self, guard: &mut MutexGuard<'_, T>, timeout: Duration) -> WaitTimeoutResult {
        match time::now().checked_add(timeout) {
            Some(deadline) => self.wait_until(guard, deadline),
            None => {
                self.wait(guard);
                WaitTimeoutResult(false)
            }
        }
    }

    /// Waits while `condition` holds.
    pub fn wait_while<T>(&self, guard: &mut MutexGuard<'_, T>, mut condition: impl FnMut(&mut T) -> bool) {
        while condition(guard) {
            self.wait(guard);
        }
    }

    /// Waits while `condition` holds, until `deadline` at most.
    pub fn wait_while_until<T>(
        &self,
        guard: &mut MutexGuard<'_, T>,
        mut condition: impl FnMut(&mut T) -> bool,
        deadline: Instant,
    ) -> WaitTimeoutResult {
        while condition(guard) {
            if self.wait_until(guard, deadline).timed_out() {
                return WaitTimeoutResult(condition(guard));
            }
        }
        WaitTimeoutResult(false)
    }

    /// Waits while `condition` holds, for `timeout` at most.
    pub fn wait_while_for<T>(
        &self,
        guard: &mut MutexGuard<'_, T>,
        condition: impl FnMut(&mut T) -> bool,
        timeout: Duration,
    ) -> WaitTimeoutResult {
        self.wait_while_until(guard, condition, time::now() + timeout)
    }
}
