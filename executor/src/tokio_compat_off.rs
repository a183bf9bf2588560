//! The twin of `tokio_compat.rs` without feature `tokio-compat`: no runtime, and empty functions.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use crate::scheduler::Scheduler;

#[derive(Debug)]
pub(crate) struct TokioCompat;

#[derive(Debug)]
pub(crate) struct TokioEntered<'a>(std::marker::PhantomData<&'a TokioCompat>);

impl TokioCompat {
    pub(crate) fn new() -> Self {
        Self
    }

    pub(crate) fn start(&self, _: &Arc<Scheduler>) -> io::Result<()> {
        Ok(())
    }

    pub(crate) fn enter(&self) -> TokioEntered<'_> {
        TokioEntered(std::marker::PhantomData)
    }

    pub(crate) fn shut_down(&self, _: Option<Instant>) {}

    pub(crate) fn shut_down_later(&self, _: &Arc<Scheduler>) {}
}
