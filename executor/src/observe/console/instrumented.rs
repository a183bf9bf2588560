//! A future inside a span, which is entered for each poll and closed when the future has been
//! dropped.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use pin_project_lite::pin_project;
use tracing::Span;

use super::waking::{Lent, Waking};

pin_project! {
    /// The future comes first, since fields are dropped in their order: its end is shown once it
    /// has ended.
    #[derive(Debug)]
    pub(crate) struct Instrumented<F> {
        #[pin]
        future: F,
        watch: Option<Box<Watch>>,
    }
}

/// The additional state of a watched task.
#[derive(Debug)]
struct Watch {
    span: Span,
    /// The state of the task's wakers, created at the first poll.
    waking: Option<Arc<Waking>>,
}

impl<F> Instrumented<F> {
    pub(crate) fn new(future: F, span: Span) -> Self {
        let watch = (!span.is_disabled()).then(|| Box::new(Watch { span, waking: None }));
        Self { future, watch }
    }
}

impl Watch {
    /// Updates the waker for this poll. A task has the same waker in all of its polls; the future
    /// of a `block_on` gets another waker if its runtime ends during the wait.
    fn rewaken(&mut self, waker: &Waker) {
        if !self.waking.as_ref().is_some_and(|waking| waking.leads_to(waker)) {
            self.waking = self.span.id().map(|id| Arc::new(Waking::new(id, waker.clone())));
        }
    }

    fn lend(&self) -> Option<Lent<'_>> {
        self.waking.as_ref().map(Waking::lend)
    }
}

impl<F: Future> Future for Instrumented<F> {
    type Output = F::Output;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let Some(watch) = this.watch else { return this.future.poll(context) };
        watch.rewaken(context.waker());
        let Some(waker) = watch.lend() else { return this.future.poll(context) };
        let _entered = watch.span.enter();
        this.future.poll(&mut Context::from_waker(&waker))
    }
}
