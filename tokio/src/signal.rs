//! Signals of the operating system.

pub use wsrt::signal::{ctrl_c, unix};
