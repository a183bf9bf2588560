//! Timers.

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

    /// Reports that a timer cannot work. No function here returns it: a program may make it itself.
    #[derive(Clone, Copy, Debug)]
    pub struct Error(Kind);

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Kind {
        Shutdown,
        AtCapacity,
        Invalid,
    }

    impl Error {
        /// Returns the error of timers whose runtime has ended.
        #[must_use]
        pub fn shutdown() -> Self {
            Self(Kind::Shutdown)
        }

        /// Returns whether the runtime of the timers has ended.
        #[must_use]
        pub fn is_shutdown(&self) -> bool {
            self.0 == Kind::Shutdown
        }

        /// Returns the error of timers that are too many.
        #[must_use]
        pub fn at_capacity() -> Self {
            Self(Kind::AtCapacity)
        }

        /// Returns whether there were too many timers.
        #[must_use]
        pub fn is_at_capacity(&self) -> bool {
            self.0 == Kind::AtCapacity
        }

        /// Returns the error of timers that are not configured as they should be.
        #[must_use]
        pub fn invalid() -> Self {
            Self(Kind::Invalid)
        }

        /// Returns whether the timers are not configured as they should be.
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
