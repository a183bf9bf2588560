//! Time limits that do not run out while the machine stands still.

use std::thread;
use std::time::Duration;

use super::LIMIT;

/// How long the pause between two looks is.
pub(super) const PAUSE: Duration = Duration::from_millis(5);

/// A time limit of [`LIMIT`] for a condition that a test checks repeatedly. The limit is counted in
/// the pauses between the checks, so it does not run out while all processes stand still, as on a
/// suspended machine.
#[derive(Debug)]
pub struct Patience(u32);

impl Default for Patience {
    fn default() -> Self {
        Self((LIMIT.as_nanos() / PAUSE.as_nanos()) as u32)
    }
}

impl Patience {
    /// Counts one pause of the caller. Returns `false` once the limit is used up.
    #[must_use]
    pub fn allows_a_pause(&mut self) -> bool {
        self.0 = self.0.saturating_sub(1);
        self.0 > 0
    }

    /// Waits until `is_ready` returns `true`. Returns `false` if the limit is used up first.
    #[must_use]
    pub fn wait_until(mut self, mut is_ready: impl FnMut() -> bool) -> bool {
        while !is_ready() {
            if !self.allows_a_pause() {
                return false;
            }
            thread::sleep(PAUSE);
        }
        true
    }
}
