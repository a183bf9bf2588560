//! Errors of hosts' clocks.

use std::time::Duration;

use super::Sim;
use wsrt_world::ClockSkew;

/// The errors of a host's clocks, compared with the simulation's clock. Passed to [`Sim::skew`].
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use wsrt::sim::Skew;
///
/// let behind_and_fast = Skew::new().behind(Duration::from_secs(90)).drift(200);
/// # drop(behind_and_fast);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Skew(ClockSkew);

impl Skew {
    /// Creates a description of clocks without errors.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(wsrt::sim::Skew::new(), wsrt::sim::Skew::default());
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the calendar clock, [`SystemTime::now`](std::time::SystemTime::now), ahead.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wsrt::sim::Skew;
    ///
    /// assert_ne!(Skew::new().ahead(Duration::from_secs(60)), Skew::new());
    /// ```
    #[must_use]
    pub fn ahead(mut self, by: Duration) -> Self {
        self.0.ahead = i64::try_from(by.as_nanos()).unwrap_or(i64::MAX);
        self
    }

    /// Sets the calendar clock, [`SystemTime::now`](std::time::SystemTime::now), back.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wsrt::sim::Skew;
    ///
    /// let minute = Duration::from_secs(60);
    /// assert_ne!(Skew::new().behind(minute), Skew::new().ahead(minute));
    /// ```
    #[must_use]
    pub fn behind(self, by: Duration) -> Self {
        let Self(ahead) = self.ahead(by);
        Self(ClockSkew { ahead: -ahead.ahead, ..ahead })
    }

    /// Makes all clocks run too fast by `parts` parts per million, or too slow if `parts` is
    /// negative. Clocks of real computers are off by about 50, and bad ones by about 500.
    ///
    /// # Panics
    ///
    /// Panics if `parts` is -1,000,000 or less, which would stop the clocks or turn them back.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::sim::Skew;
    ///
    /// assert_ne!(Skew::new().drift(50), Skew::new().drift(-50));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn drift(mut self, parts: i32) -> Self {
        assert!(parts > -1_000_000, "wsrt: a clock that drifts by {parts} parts in a million does not go on");
        self.0.drift = parts;
        self
    }
}

impl Sim {
    /// Sets the errors of a host's clocks from now on, replacing earlier errors. [Clock
    /// faults](super::Faults::clock_jumps) of the run are added to them.
    ///
    /// On the host, [`SystemTime`](std::time::SystemTime) is ahead or behind. `SystemTime`, both
    /// `Instant` types and all timers of [`wsrt::time`](crate::time) drift. When the drift changes,
    /// a clock continues from the time that it shows, and no `Instant` goes back. Timers that are
    /// already armed fire at their original moments. The same `Instant` is a different moment on
    /// another host. For std's clocks there are [limits](super#not-guaranteed).
    ///
    /// # Panics
    ///
    /// Panics if no host has this name.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wsrt::sim::Skew;
    /// use wsrt::time::{Instant, sleep};
    ///
    /// wsrt::sim::run(7, |sim| async move {
    ///     let (sender, mut receiver) = wsrt::sync::mpsc::channel(1);
    ///     sim.host("node", move || {
    ///         let sender = sender.clone();
    ///         async move {
    ///             sleep(Duration::from_secs(1)).await;
    ///             // Ten seconds on a clock that runs at twice the speed.
    ///             sleep(Duration::from_secs(10)).await;
    ///             sender.send(()).await
    ///         }
    ///     });
    ///     sim.skew("node", Skew::new().drift(1_000_000));
    ///     let began = Instant::now();
    ///     receiver.recv().await.unwrap();
    ///     assert!(began.elapsed() < Duration::from_secs(7));
    /// });
    /// ```
    #[track_caller]
    pub fn skew(&self, name: &str, skew: Skew) {
        let host = self.find(name);
        self.simulation().world().clocks().skew(host, self.now(), skew.0);
    }
}
