//! `Answering`: a service's answer, within the time limit of a request.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use pin_project_lite::pin_project;

use super::BoxError;
use crate::time::{Sleep, sleep};

pin_project! {
    /// The future of an answer's head, which fails when the limit is over.
    pub(super) struct Answering<F> {
        #[pin]
        answering: F,
        expiry: Option<Pin<Box<Sleep>>>,
    }
}

impl<F> Answering<F> {
    /// Limits `answering`; `None` is no limit.
    pub(super) fn new(answering: F, limit: Option<Duration>) -> Self {
        Self { answering, expiry: limit.map(|limit| Box::pin(sleep(limit))) }
    }
}

impl<F, T, E> Future for Answering<F>
where
    F: Future<Output = Result<T, E>>,
    E: Into<BoxError>,
{
    type Output = Result<T, BoxError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        if let Poll::Ready(answer) = this.answering.poll(context) {
            return Poll::Ready(answer.map_err(Into::into));
        }
        let Some(expiry) = this.expiry else { return Poll::Pending };
        expiry.as_mut().poll(context).map(|()| Err("the request took too long".into()))
    }
}
