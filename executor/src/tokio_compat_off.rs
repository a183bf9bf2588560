//! The twin of `tokio_compat.rs` without feature `tokio-compat`: no runtime, and empty functions.

use std::io;
use std::time::Instant;

#[derive(Clone, Default)]
pub(crate) struct Choice(());

#[derive(Debug)]
pub(crate) struct TokioCompat;

#[derive(Debug)]
pub(crate) struct TokioEntered<'a>(std::marker::PhantomData<&'a TokioCompat>);

impl TokioCompat {
    pub(crate) fn new() -> Self {
        Self
    }

    pub(crate) fn start<G: 'static>(
        &self,
        _: &Choice,
        _: impl Fn() -> Option<G> + Send + Sync + 'static,
    ) -> io::Result<()> {
        Ok(())
    }

    pub(crate) fn enter(&self) -> TokioEntered<'_> {
        TokioEntered(std::marker::PhantomData)
    }

    pub(crate) fn shut_down(&self, _: Option<Instant>) {}

    pub(crate) fn shut_down_later(&self, _: impl FnOnce() + Send + 'static) {}
}
