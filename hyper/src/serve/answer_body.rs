//! `AnswerBody`: an answer's body, which tells whether it is the service or the client that the
//! connection waits for.

use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Body, Frame, SizeHint};
use pin_project_lite::pin_project;

use super::traffic::RequestTurn;

pin_project! {
    /// The body of an open request's answer.
    pub(super) struct AnswerBody<B> {
        // `None` if the answer is the server's own, and not the service's.
        #[pin]
        body: Option<B>,
        turn: RequestTurn,
    }
}

impl<B> AnswerBody<B> {
    pub(super) fn new(body: B, turn: RequestTurn) -> Self {
        Self { body: Some(body), turn }
    }

    /// The body of an answer that has none.
    pub(super) fn empty(turn: RequestTurn) -> Self {
        Self { body: None, turn }
    }
}

impl<B: Body> Body for AnswerBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    /// hyper asks for a frame as soon as the client has room for it.
    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        let this = self.project();
        let frame = this.body.as_pin_mut().map_or(Poll::Ready(None), |body| body.poll_frame(context));
        match frame {
            Poll::Pending => this.turn.await_service(),
            Poll::Ready(_) => this.turn.await_client(),
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or_else(|| SizeHint::with_exact(0), Body::size_hint)
    }
}
