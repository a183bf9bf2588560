//! The twin of `capture` for builds that capture no stacks.

use std::iter;
use std::num::NonZeroU32;

use crate::{Backtrace, NoStack};

/// A request for a thread's stack: there is none here.
#[derive(Debug)]
pub struct Request(Never);

/// A copy of a thread's stack: there is none here.
#[derive(Debug)]
pub struct Sample(Never);

/// A sample of a thread's stack: there is none here.
#[derive(Debug)]
pub struct CpuSample {
    /// The thread's number.
    pub thread: u32,
    /// When it was taken, in nanoseconds of the monotonic clock.
    pub nanos: u64,
    /// The copy of the stack.
    pub sample: Sample,
}

/// What samples threads by their CPU time: there is none here.
#[derive(Debug)]
pub struct CpuSampler(Never);

#[derive(Debug)]
enum Never {}

impl Request {
    /// Returns [`NoStack::Unsupported`].
    pub fn send(_: u32) -> Result<Self, NoStack> {
        Err(NoStack::Unsupported)
    }

    /// Is never called.
    pub fn answer(&mut self) -> Option<Sample> {
        match self.0 {}
    }

    /// Is never called.
    pub fn waits_for_core(&self) -> bool {
        match self.0 {}
    }
}

/// Does nothing.
pub fn forget() {}

/// `true` if this build captures stacks.
pub const IS_SUPPORTED: bool = false;

impl Sample {
    /// Returns `None`.
    pub fn of_caller(_: usize) -> Option<Self> {
        None
    }

    /// Is never called.
    pub fn backtrace(&self) -> Backtrace {
        match self.0 {}
    }
}

impl CpuSampler {
    /// Returns [`NoStack::Unsupported`].
    pub fn begin(_: NonZeroU32) -> Result<Self, NoStack> {
        Err(NoStack::Unsupported)
    }

    /// Is never called.
    pub fn add(&mut self, _: u32) {
        match self.0 {}
    }

    /// Is never called.
    pub fn take(&mut self) -> iter::Empty<CpuSample> {
        match self.0 {}
    }

    /// Is never called.
    pub fn take_missed(&mut self) -> u64 {
        match self.0 {}
    }
}
