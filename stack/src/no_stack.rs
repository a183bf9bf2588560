//! Why there is no stack.

use std::fmt;

/// Why a thread's stack could not be captured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoStack {
    /// Not on this system, or not in this build.
    Unsupported,
    /// The limit of stacks that are captured at once is reached: try again.
    Busy,
    /// The program has installed a handler for the signal after this crate's.
    HandlerReplaced,
    /// The thread blocks the signal.
    SignalBlocked,
    /// The system would not send the signal: the thread has ended, or a filter forbids it.
    NotSent,
    /// The thread did not answer in time: its system call cannot be interrupted, or its system is
    /// busy.
    NoAnswer,
    /// What the thread was in was over before it answered.
    Over,
    /// No frame of the program was found on the stack.
    NoFrames,
}

impl fmt::Display for NoStack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unsupported => "this build captures none",
            Self::Busy => "too many were being captured",
            Self::HandlerReplaced => "the program has replaced wsrt's handler for SIGURG",
            Self::SignalBlocked => "its thread blocks SIGURG",
            Self::NotSent => "the system did not send SIGURG to its thread",
            Self::NoAnswer => "its thread did not answer to SIGURG",
            Self::Over => "the poll was over before its thread had answered",
            Self::NoFrames => "no function of the program was found on it",
        })
    }
}
