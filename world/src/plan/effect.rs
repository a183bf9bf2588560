//! The kinds of faults in a plan, and their textual form.

use std::fmt;

use super::words::Name;
use super::{moment, share};

/// A change for hosts, which it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FaultEffect {
    Crash(String),
    /// Both directions.
    Cut(String, String),
    CutOneWay(String, String),
    Reset(String, String),
    /// The factor by which packets are delayed, in both directions.
    Slow(String, String, u32),
    /// The buffers of its sockets take little at a time.
    BuffersFull(String),
    /// No byte more fits on the disk.
    DiskFull(String),
    /// How many reads, writes and syncs in a million fail.
    DiskFailing(String, u32),
    /// The factor by which calls on the disk are delayed.
    DiskSlow(String, u32),
    /// How far the calendar is ahead, in nanoseconds; negative if it is behind.
    ClockJump(String, i64),
    /// How much too fast the clocks run, in parts per million; negative if they are too slow.
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

    /// Returns whether the effect cuts this direction.
    pub(crate) fn cuts(&self, from: &str, to: &str) -> bool {
        match self {
            Self::Cut(one, other) => (from, to) == (one, other) || (from, to) == (other, one),
            Self::CutOneWay(one, other) => (from, to) == (one, other),
            _ => false,
        }
    }

    /// The hosts that it names: one twice, if there is no other.
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
            Self::Crash(host) => write!(f, "crash {}", Name(host)),
            Self::Cut(one, other) => write!(f, "cut {} {}", Name(one), Name(other)),
            Self::CutOneWay(from, to) => write!(f, "cut {} -> {}", Name(from), Name(to)),
            Self::Reset(one, other) => write!(f, "reset {} {}", Name(one), Name(other)),
            Self::Slow(one, other, factor) => write!(f, "slow {} {} by {factor}", Name(one), Name(other)),
            Self::BuffersFull(host) => write!(f, "buffers full {}", Name(host)),
            Self::DiskFull(host) => write!(f, "disk full {}", Name(host)),
            Self::DiskFailing(host, millionths) => {
                write!(f, "disk failing {} by {}", Name(host), share::text(*millionths))
            }
            Self::DiskSlow(host, factor) => write!(f, "disk slow {} by {factor}", Name(host)),
            Self::ClockJump(host, ahead) => {
                let direction = if *ahead < 0 { "behind" } else { "ahead" };
                write!(f, "clock {direction} {} by {}", Name(host), moment::text(ahead.unsigned_abs()))
            }
            Self::ClockDrift(host, parts) => write!(f, "clock drift {} by {parts}", Name(host)),
        }
    }
}
