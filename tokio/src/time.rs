//! Timers: sleeping, intervals and timeouts.

pub use wsrt::time::{
    Duration, Instant, Interval, MissedTickBehavior, Sleep, Timeout, interval, interval_at, sleep, sleep_until,
    timeout, timeout_at,
};
#[cfg(feature = "test-util")]
pub use wsrt::time::{advance, pause, resume};

/// The errors of timers.
pub mod error {
    pub use wsrt::time::error::Elapsed;

    use std::fmt;

    /// An error of the timer. No function of this crate returns such an error; the type exists for
    /// programs that create one themselves.
    #[derive(Clone, Copy, Debug)]
    pub struct Error(Kind);

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Kind {
        Shutdown,
        AtCapacity,
        Invalid,
    }

    impl Error {
        /// Creates the error that stands for a timer whose runtime has shut down.
        #[must_use]
        pub fn shutdown() -> Self {
            Self(Kind::Shutdown)
        }

        /// Returns `true` if the error was created by [`shutdown`](Self::shutdown).
        #[must_use]
        pub fn is_shutdown(&self) -> bool {
            self.0 == Kind::Shutdown
        }

        /// Creates the error that stands for too many timers.
        #[must_use]
        pub fn at_capacity() -> Self {
            Self(Kind::AtCapacity)
        }

        /// Returns `true` if the error was created by [`at_capacity`](Self::at_capacity).
        #[must_use]
        pub fn is_at_capacity(&self) -> bool {
            self.0 == Kind::AtCapacity
        }

        /// Creates the error that stands for a timer with an invalid configuration.
        #[must_use]
        pub fn invalid() -> Self {
            Self(Kind::Invalid)
        }

        /// Returns `true` if the error was created by [`invalid`](Self::invalid).
        #[must_use]
        pub fn is_invalid(&self) -> bool {
            self.0 == Kind::Invalid
        }
    }

    impl fmt::Display for Error {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(match self.0 {
                Kind::Shutdown => "the runtime of the timers has ended",
                Kind::AtCapacity => "there are too many timers",
                Kind::Invalid => "the timers are not configured as they should be",
            })
        }
    }

    impl std::error::Error for Error {}
}
