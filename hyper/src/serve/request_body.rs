//! `RequestBody`: the body of a request, with a time limit for its client.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use wsrt::time::{Instant, Sleep, sleep};

use super::wait_allowance::WaitAllowance;
use crate::BoxError;

/// The body of a request that [`serve`](fn@super::serve) passes to the service.
///
/// A `RequestBody` is hyper's [`Incoming`] with the time limit of
/// [`with_body_timeout`](super::Serve::with_body_timeout): a wait for the client fails when the
/// limit expires. The services of axum and tonic, which accept any body type, accept this type.
///
/// # Errors
///
/// [`poll_frame`](Body::poll_frame) returns an error if the client has disconnected, violated the
/// protocol, or taken too long. An error ends the body: the next frame is `None`.
///
/// # Cancel safety
///
/// Dropping a future that waits for a frame loses no frame, but the time limit continues to count.
pub struct RequestBody {
    /// `None` after an error.
    incoming: Option<Incoming>,
    /// `None` means no limit.
    limit: Option<Box<BodyTimeLimit>>,
}

struct BodyTimeLimit {
    allowance: WaitAllowance,
    /// When the wait for a frame began, if one is awaited.
    began: Option<Instant>,
    expiry: Option<Pin<Box<Sleep>>>,
    is_answered: IsAnswered,
}

/// True if the service has returned the head of its answer: client and service may have a dialogue
/// then, in which either may be silent for long.
pub(super) type IsAnswered = Arc<OnceLock<()>>;

impl RequestBody {
    /// Limits the waits for `incoming`. Returns the word that ends the limit, if there is one.
    pub(super) fn new(incoming: Incoming, limit: Option<Duration>) -> (Self, Option<IsAnswered>) {
        let limit = limit.filter(|_| !incoming.is_end_stream());
        let limit = limit.map(|limit| {
            Box::new(BodyTimeLimit {
                allowance: WaitAllowance::new(limit),
                began: None,
                expiry: None,
                is_answered: Arc::default(),
            })
        });
        let is_answered = limit.as_ref().map(|limit| Arc::clone(&limit.is_answered));
        (Self { incoming: Some(incoming), limit }, is_answered)
    }

    /// Polls for the next frame, or for the end of the time limit.
    fn poll_in_time(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let Some(incoming) = &mut self.incoming else { return Poll::Ready(None) };
        let frame = Pin::new(incoming).poll_frame(context);
        if self.limit.as_ref().is_some_and(|limit| limit.is_answered.get().is_some()) {
            self.limit = None;
        }
        let Some(limit) = &mut self.limit else { return frame.map_err(Into::into) };
        let Poll::Ready(frame) = frame else {
            let too_long = "the client sent too little of its request's body for too long";
            return limit.wait(context).map(|()| Some(Err(too_long.into())));
        };
        let bytes = frame.as_ref().and_then(|frame| frame.as_ref().ok()?.data_ref().map(Bytes::len));
        limit.end_wait(bytes.unwrap_or_default());
        Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
    }
}

impl BodyTimeLimit {
    /// Begins or continues the wait for a frame. Is ready when the wait takes too long.
    fn wait(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let left = self.allowance.left();
        if self.began.is_none() {
            let now = Instant::now();
            self.began = Some(now);
            match &mut self.expiry {
                Some(expiry) => expiry.as_mut().reset(now + left),
                none => *none = Some(Box::pin(sleep(left))),
            }
        }
        self.expiry.as_mut().map_or(Poll::Pending, |expiry| expiry.as_mut().poll(context))
    }

    /// Ends the wait for a frame of `bytes` bytes.
    fn end_wait(&mut self, bytes: usize) {
        let waited = self.began.take().map_or(Duration::ZERO, |began| began.elapsed());
        // If it was too long, the service has not looked at the expiry, nor at the frame perhaps.
        if self.allowance.spend(waited, bytes as u64) {
            self.allowance.restore();
        }
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        // A service that skips errors would ask forever: the limit repeats its error.
        let frame = ready!(self.poll_in_time(context));
        if matches!(frame, Some(Err(_))) {
            self.incoming = None;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming.as_ref().map_or_else(|| SizeHint::with_exact(0), Body::size_hint)
    }
}

impl fmt::Debug for RequestBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RequestBody").field(&self.incoming).finish()
    }
}
