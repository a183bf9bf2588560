//! Idle work: a machine that has found no task may do it before it sleeps.

use std::any::Any;
use std::time::{Duration, Instant};

use crate::util::spin_time::SpinTime;
use crate::util::sync;

/// Work for machines without a task. The runtime gives it to the scheduler, which knows nothing
/// else of it; in this crate it is helping with parallel calls (`fork_join`).
pub(crate) trait IdleWork: Send + Sync {
    /// Returns whether there is any work. A thread that has work to offer wakes a machine on the
    /// idle list, and relies on its coming: so a machine asks this after it has come on the list,
    /// and once more when it is off the list and before it ends.
    fn is_wanted(&self) -> bool;

    /// Returns the function that does the work, a `RunIdleWork` of the room `worker`. As `Any`:
    /// this file, which the scheduler imports, knows no machine.
    fn runner(&self) -> &dyn Any;

    /// Returns the value itself, for the room that has defined it.
    fn as_any(&self) -> &dyn Any;
}

/// How long a machine spins for more idle work before it goes back to sleep: to wake it costs the
/// owner of a region some microseconds, and the machine itself some tens. The time is tuned by
/// whether spinning has found something.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spinner {
    spin_time: Duration,
    ended: Option<Instant>,
}

impl Default for Spinner {
    fn default() -> Self {
        Self { spin_time: SpinTime::LONGEST, ended: None }
    }
}

impl Spinner {
    pub(crate) fn spin_time(&self) -> Duration {
        self.spin_time
    }

    /// The machine begins with idle work. One that comes back soon has gone to sleep too early.
    pub(crate) fn begin(&mut self) {
        if self.ended.is_some_and(|ended| sync::now().saturating_duration_since(ended) < 4 * SpinTime::LONGEST) {
            self.spin_time = SpinTime::LONGEST;
        }
    }

    /// The machine goes back to sleep, or to its tasks.
    pub(crate) fn end(&mut self) {
        self.ended = Some(sync::now());
    }

    /// The machine has spun, and found something or not.
    pub(crate) fn adapt(&mut self, found: bool) {
        self.spin_time = if found { SpinTime::LONGEST } else { (self.spin_time / 2).max(SpinTime::LONGEST / 64) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_spins_for_less_time_while_it_finds_nothing() {
        let mut spinner = Spinner::default();
        let mut times = vec![spinner.spin_time()];
        for _ in 0..9 {
            spinner.adapt(false);
            times.push(spinner.spin_time());
        }
        assert!(
            times.is_sorted_by(|longer, shorter| longer > shorter || *shorter == SpinTime::LONGEST / 64),
            "{times:?}"
        );
        assert_eq!((times[0], times[9]), (SpinTime::LONGEST, SpinTime::LONGEST / 64));
        spinner.begin();
        assert_eq!(spinner.spin_time(), SpinTime::LONGEST / 64, "it has not slept yet");
        spinner.ended = sync::now().checked_sub(8 * SpinTime::LONGEST);
        spinner.begin();
        assert_eq!(spinner.spin_time(), SpinTime::LONGEST / 64, "it has slept long enough");
        spinner.ended = Some(sync::now() + SpinTime::LONGEST);
        spinner.begin();
        assert_eq!(spinner.spin_time(), SpinTime::LONGEST, "it was woken at once");
        spinner.adapt(false);
        spinner.adapt(true);
        assert_eq!(spinner.spin_time(), SpinTime::LONGEST);
    }
}
