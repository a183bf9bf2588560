//! Waits that a machine which stands still does not use up.

use std::thread;
use std::time::Duration;

use super::LIMIT;

/// How long the pause between two looks is.
pub(super) const PAUSE: Duration = Duration::from_millis(5);

/// A limit of [`LIMIT`] for something that a test looks at again and again, counted in pauses of
/// its own: while all processes stand still, as on a machine that is held, nothing is used up.
#[derive(Debug)]
pub struct Patience(u32);

impl Default for Patience {
    fn default() -> Self {
        Self((LIMIT.as_nanos() / PAUSE.as_nanos()) as u32)
    }
}

impl Patience {
    /// Counts a pause that the caller makes. Returns false if it has had the last one.
    #[must_use]
    pub fn allows_a_pause(&mut self) -> bool {
        self.0 = self.0.saturating_sub(1);
        self.0 > 0
    }

    /// Waits until `is_ready` returns true. Returns false if that takes too long.
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
