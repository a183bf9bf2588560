//! An alarm that the console may see: what sleeps, timeouts and intervals are made of.

use std::task::{Context, Poll};
use std::time::Duration;

use super::Instant;
use super::alarm::Alarm;
use crate::observe::console::TimerSpan;

/// An [`Alarm`]; with feature `console`, one that is shown.
#[derive(Debug)]
pub(super) struct Timer {
    alarm: Alarm,
    span: TimerSpan,
}

impl Timer {
    #[inline]
    pub(super) fn new(deadline: Instant, span: TimerSpan) -> Self {
        Self { alarm: Alarm::new(deadline), span }
    }

    #[inline]
    pub(super) fn deadline(&self) -> Instant {
        self.alarm.deadline()
    }

    /// See [`Alarm::has_rung`].
    #[inline]
    pub(super) fn has_rung(&self) -> bool {
        self.alarm.has_rung()
    }

    /// See [`Alarm::poll`].
    #[inline]
    pub(super) fn poll(&mut self, cx: &mut Context<'_>, owner: &str) -> Poll<()> {
        let deadline = self.alarm.deadline();
        self.span.poll(|| remaining(deadline), || self.alarm.poll(cx, owner))
    }

    /// See [`Alarm::poll_rung`].
    #[inline]
    pub(super) fn poll_rung(&mut self, cx: &mut Context<'_>, owner: &str) -> Poll<()> {
        let deadline = self.alarm.deadline();
        self.span.poll(|| remaining(deadline), || self.alarm.poll_rung(cx, owner))
    }

    /// See [`Alarm::set`].
    #[inline]
    pub(super) fn set(&mut self, deadline: Instant) {
        self.alarm.set(deadline);
        self.span.set(|| remaining(deadline));
    }
}

fn remaining(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now())
}
