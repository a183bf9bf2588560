//! The twin of `capture` for builds that capture no stacks.

use crate::{Backtrace, NoStack};

/// A request for a thread's stack: there is none here.
#[derive(Debug)]
pub struct Request(Never);

/// A copy of a thread's stack: there is none here.
#[derive(Debug)]
pub struct Sample(Never);

/// What makes a backtrace of a sample: there are none here.
#[derive(Debug, Default)]
pub struct Resolver(());

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
}

/// `true` if this build captures stacks.
pub const IS_SUPPORTED: bool = false;

impl Sample {
    /// Returns `None`.
    pub fn of_caller(_: usize) -> Option<Self> {
        None
    }
}

impl Resolver {
    /// Is never called.
    pub fn backtrace(&mut self, sample: &Sample) -> Backtrace {
        match sample.0 {}
    }
}
