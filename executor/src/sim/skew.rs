//! Clocks of hosts that are wrong.

use std::time::Duration;

use super::Sim;
use wsrt_world::ClockSkew;

/// Describes how the clocks of a host differ from the simulation's: see [`Sim::skew`].
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
    /// Creates a description of clocks without error.
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

    /// Sets the calendar, [`SystemTime::now`](std::time::SystemTime::now), ahead by this.
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

    /// Sets the calendar back by this.
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

    /// Makes all clocks run too fast by this many parts per million, or too slow if it is negative.
    /// A computer's is wrong by some 50, and a bad one by some 500.
    ///
    /// # Panics
    ///
    /// Panics if it is -1,000,000 or less, at which a clock would stand.
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
    /// Sets the error of a host's clocks from now on, replacing an earlier one.
    /// [Faults](super::Faults::clock_jumps) of the run are added to it.
    ///
    /// On the host, [`SystemTime`](std::time::SystemTime) is ahead or behind; and it, both
    /// `Instant`s and all timers of [`wsrt::time`](crate::time) drift. A clock that has drifted
    /// continues from the time that it shows, and no `Instant` goes back. Timers that are armed
    /// stay at their moments. An `Instant` means another moment on another host. The clocks of std
    /// belong to the simulation only where its [limits](super#not-guaranteed) allow it.
    ///
    /// # Panics
    ///
    /// Panics if there is no host of this name.
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
