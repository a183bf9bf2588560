//! The kinds of faults in a plan, and their textual form.

use std::fmt;

use super::words::QuotedName;
use super::{moment, share};

/// The effect of a fault, with the names of the hosts involved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FaultEffect {
    Crash(String),
    /// Cuts the link between two hosts in both directions.
    Cut(String, String),
    CutOneWay(String, String),
    Reset(String, String),
    /// Slows the link between two hosts down by this factor, in both directions.
    Slow(String, String, u32),
    /// Fills a host's socket buffers, so that they accept only a little data at a time.
    BuffersFull(String),
    /// Fills a host's disk, so that no more bytes fit.
    DiskFull(String),
    /// Makes this many out of a million reads, writes and syncs on a host's disk fail.
    DiskFailing(String, u32),
    /// Slows calls on a host's disk down by this factor.
    DiskSlow(String, u32),
    /// Moves a host's wall clock ahead by this many nanoseconds, or back if the number is negative.
    ClockJump(String, i64),
    /// Makes a host's clocks run too fast by this many parts per million, or too slow if the number
    /// is negative.
    ClockDrift(String, i32),
}

impl FaultEffect {
    /// Returns whether the effect ends as soon as it begins.
    pub(crate) fn is_instant(&self) -> bool {
        matches!(self, Self::Reset(..))
    }

    /// Returns whether the effect changes nothing.
    pub(crate) fn is_nothing(&self) -> bool {
        match self {
            Self::DiskFailing(_, millionths) => *millionths == 0,
            Self::Slow(.., factor) | Self::DiskSlow(_, factor) => *factor <= 1,
            Self::ClockJump(_, ahead) => *ahead == 0,
            Self::ClockDrift(_, parts) => *parts == 0,
            Self::Crash(_) | Self::Cut(..) | Self::CutOneWay(..) | Self::Reset(..) => false,
            Self::BuffersFull(_) | Self::DiskFull(_) => false,
        }
    }

    /// Returns whether the effect cuts the direction from one host to the other.
    pub(crate) fn cuts(&self, from: &str, to: &str) -> bool {
        match self {
            Self::Cut(one, other) => (from, to) == (one, other) || (from, to) == (other, one),
            Self::CutOneWay(one, other) => (from, to) == (one, other),
            _ => false,
        }
    }

    /// Returns the names of the two hosts involved, which are the same if there is only one.
    pub(crate) fn hosts(&self) -> [&str; 2] {
        match self {
            Self::Cut(one, other) | Self::CutOneWay(one, other) | Self::Reset(one, other) => [one, other],
            Self::Slow(one, other, _) => [one, other],
            Self::Crash(host) | Self::BuffersFull(host) | Self::DiskFull(host) => [host, host],
            Self::DiskFailing(host, _) | Self::DiskSlow(host, _) => [host, host],
            Self::ClockJump(host, _) | Self::ClockDrift(host, _) => [host, host],
        }
    }
}

impl fmt::Display for FaultEffect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Crash(host) => write!(f, "crash {}", QuotedName(host)),
            Self::Cut(one, other) => write!(f, "cut {} {}", QuotedName(one), QuotedName(other)),
            Self::CutOneWay(from, to) => write!(f, "cut {} -> {}", QuotedName(from), QuotedName(to)),
            Self::Reset(one, other) => write!(f, "reset {} {}", QuotedName(one), QuotedName(other)),
            Self::Slow(one, other, factor) => write!(f, "slow {} {} by {factor}", QuotedName(one), QuotedName(other)),
            Self::BuffersFull(host) => write!(f, "buffers full {}", QuotedName(host)),
            Self::DiskFull(host) => write!(f, "disk full {}", QuotedName(host)),
            Self::DiskFailing(host, millionths) => {
                write!(f, "disk failing {} by {}", QuotedName(host), share::text(*millionths))
            }
            Self::DiskSlow(host, factor) => write!(f, "disk slow {} by {factor}", QuotedName(host)),
            Self::ClockJump(host, ahead) => {
                let direction = if *ahead < 0 { "behind" } else { "ahead" };
                write!(f, "clock {direction} {} by {}", QuotedName(host), moment::text(ahead.unsigned_abs()))
            }
            Self::ClockDrift(host, parts) => write!(f, "clock drift {} by {parts}", QuotedName(host)),
        }
    }
}
