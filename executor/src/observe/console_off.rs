//! The twin of `console/` without the feature: types and functions that compile to nothing.

use std::panic::Location;
use std::task::Poll;
use std::time::Duration;

/// The future itself, without a span around it.
pub(crate) type Instrumented<F> = F;

#[expect(clippy::extra_unused_type_parameters, reason = "its twin needs it")]
#[inline(always)]
pub(crate) fn watch<User, F>(
    future: F,
    _: &'static str,
    _: u64,
    _: Option<&str>,
    _: &'static Location<'static>,
) -> Instrumented<F> {
    future
}

#[inline(always)]
pub(crate) fn watch_block_on<F>(future: F, _: impl FnOnce() -> u64) -> Instrumented<F> {
    future
}

#[derive(Debug)]
pub(crate) struct TimerSpan;

pub(crate) struct EnteredPoll;

impl TimerSpan {
    #[inline(always)]
    pub(crate) fn new(_: &'static str, _: &'static str, _: &'static str) -> Self {
        Self
    }

    #[inline(always)]
    pub(crate) fn enter(&mut self, _: impl Fn() -> Duration) -> EnteredPoll {
        EnteredPoll
    }

    #[inline(always)]
    pub(crate) fn leave(&self, _: EnteredPoll, _: Poll<()>) {}

    #[inline(always)]
    pub(crate) fn set(&self, _: impl Fn() -> Duration) {}
}
