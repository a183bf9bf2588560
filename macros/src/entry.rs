//! The two attribute macros, and the differences between them.

use std::fmt;

use crate::options::Flavor;

/// The attribute macro that the user wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// `#[wsrt::main]`
    Main,
    /// `#[wsrt::test]`
    Test,
}

impl Entry {
    /// Returns the flavor that applies if the user chooses none. A program should use every core,
    /// whereas a test should run in the same order each time.
    pub(crate) fn default_flavor(self) -> Flavor {
        match self {
            Self::Main => Flavor::MultiThread,
            Self::Test => Flavor::CurrentThread,
        }
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Main => "#[wsrt::main]",
            Self::Test => "#[wsrt::test]",
        })
    }
}
