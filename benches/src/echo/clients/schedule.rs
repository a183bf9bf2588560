//! When requests are due, whatever the server does.

use std::time::Duration;

/// The requests of one thread's connections, evenly spaced, so that those of all threads together
/// are, too.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Schedule {
    first: f64,
    /// Nanoseconds between two.
    apart: f64,
    pub(super) requests: usize,
}

impl Schedule {
    /// Spreads `rate` requests a second for `length` over the threads, and returns those of
    /// `thread`.
    pub(super) fn of(rate: usize, threads: usize, thread: usize, length: Duration) -> Self {
        let each = 1e9 / rate as f64;
        let (first, apart) = (each * thread as f64, each * threads as f64);
        Self { first, apart, requests: ((length.as_nanos() as f64 / apart) as usize).max(1) }
    }

    /// Returns when the request of this number is due, from the start.
    pub(super) fn due(&self, number: usize) -> Duration {
        Duration::from_nanos((self.first + self.apart * number as f64) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_requests_of_all_threads_are_evenly_spaced() {
        let schedules = [0, 1].map(|thread| Schedule::of(1000, 2, thread, Duration::from_millis(6)));
        let mut due: Vec<_> =
            schedules.iter().flat_map(|schedule| (0..schedule.requests).map(|number| schedule.due(number))).collect();
        due.sort();
        assert_eq!(due, [0, 1, 2, 3, 4, 5].map(Duration::from_millis));
    }
}
