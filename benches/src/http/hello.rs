//! The service: one short answer to every request, ready at once, so that the figures are those of
//! everything else.

use std::convert::Infallible;
use std::future::{Ready, ready};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::service::Service;
use hyper::{Request, Response};

/// Its future has a name, which HTTP/2's executors ask for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hello;

pub(super) type Answer = Ready<Result<Response<Full<Bytes>>, Infallible>>;

impl Service<Request<Incoming>> for Hello {
    type Response = Response<Full<Bytes>>;
    type Error = Infallible;
    type Future = Answer;

    fn call(&self, _: Request<Incoming>) -> Answer {
        ready(Ok(Response::new(Full::new(Bytes::from_static(b"Hello, world!\n")))))
    }
}
