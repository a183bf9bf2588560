//! The twin of `console/` without that feature: nothing, which compiles to nothing.

use std::task::Poll;
use std::time::Duration;

use crate::scheduler::Context;
use crate::task::{Id, Origin};

/// The future itself.
pub(crate) type Instrumented<F> = F;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind;

#[expect(clippy::extra_unused_type_parameters, reason = "its twin needs them")]
impl Kind {
    #[inline(always)]
    pub(crate) fn task<F>() -> Self {
        Self
    }

    #[inline(always)]
    pub(crate) fn local<F>() -> Self {
        Self
    }

    #[inline(always)]
    pub(crate) fn blocking<F>() -> Self {
        Self
    }
}

/// Nothing has to be kept.
pub(crate) struct Kept;

#[inline(always)]
pub(crate) fn keep(_: Option<&Context>) -> Kept {
    Kept
}

#[inline(always)]
pub(crate) fn watch<F>(future: F, _: Kind, _: Id, _: Origin<'_>) -> Instrumented<F> {
    future
}

#[inline(always)]
pub(crate) fn watch_block_on<F>(future: F) -> Instrumented<F> {
    future
}

#[derive(Debug)]
pub(crate) struct TimerSpan;

impl TimerSpan {
    #[inline(always)]
    pub(crate) fn new(_: &'static str, _: &'static str, _: &'static str) -> Self {
        Self
    }

    #[inline(always)]
    pub(crate) fn enter(&mut self, _: impl Fn() -> Duration) {}

    #[inline(always)]
    pub(crate) fn leave(&self, _entered: (), _: Poll<()>) {}

    #[inline(always)]
    pub(crate) fn set(&self, _: impl Fn() -> Duration) {}
}
