//! `WaitAllowance`: how long a client may keep the server waiting, and what earns it more time.

use std::time::Duration;

/// How many bytes earn a client a second: a client that is slower for long is given up.
///
/// Kestrel and IIS ask for as many by default, Apache for 500.
pub(super) const LEAST_RATE: u32 = 240;

/// The waiting time that a client has left. Each wait spends some of the time, and each byte earns
/// some of it back, up to the limit. Silence therefore ends a client after the limit, and an
/// occasional byte not much later.
#[derive(Debug, Clone, Copy)]
pub(super) struct WaitAllowance {
    limit: Duration,
    left: Duration,
}

impl WaitAllowance {
    pub(super) fn new(limit: Duration) -> Self {
        Self { limit, left: limit }
    }

    /// Returns how long the next wait may take if no byte moves.
    pub(super) fn left(&self) -> Duration {
        self.left
    }

    /// Forgets all previous waits.
    pub(super) fn restore(&mut self) {
        self.left = self.limit;
    }

    /// Spends the time of a wait in which `bytes` bytes have moved. Returns whether the wait took
    /// too long.
    #[must_use]
    pub(super) fn spend(&mut self, waited: Duration, bytes: u64) -> bool {
        let earned = Duration::from_secs(bytes) / LEAST_RATE;
        let left = self.left.saturating_add(earned).saturating_sub(waited);
        self.left = left.min(self.limit);
        left.is_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(60);

    /// Returns after how long a client is given up that sends `bytes` after each pause.
    fn given_up_after(pause: Duration, bytes: u64) -> Option<Duration> {
        let mut allowance = WaitAllowance::new(LIMIT);
        (1..10_000).find(|_| allowance.spend(pause, bytes)).map(|pauses| pause * pauses)
    }

    #[test]
    fn silence_and_single_bytes_end_a_client() {
        assert_eq!(given_up_after(LIMIT, 0), Some(LIMIT));
        assert_eq!(given_up_after(Duration::from_secs(20), 1), Some(Duration::from_secs(80)));
        let just_too_slow = given_up_after(Duration::from_secs(1), u64::from(LEAST_RATE) - 24);
        assert_eq!(just_too_slow, Some(Duration::from_secs(600)));
    }

    #[test]
    fn a_client_at_the_least_rate_is_never_given_up() {
        assert_eq!(given_up_after(Duration::from_secs(1), u64::from(LEAST_RATE)), None);
        assert_eq!(given_up_after(LIMIT * 2, u64::from(LEAST_RATE) * 120), None);
    }

    #[test]
    fn a_fast_beginning_buys_no_silence_beyond_the_limit() {
        let mut allowance = WaitAllowance::new(LIMIT);
        assert!(!allowance.spend(Duration::from_secs(1), 1 << 30));
        assert_eq!(allowance.left(), LIMIT);
        assert!(allowance.spend(LIMIT, 0));
        allowance.restore();
        assert_eq!(allowance.left(), LIMIT);
    }
}
