//! The proxy's service: each request goes to one upstream server, over hyper-util's pooled client,
//! and the answer comes back as it is.
//!
//! The pool has no limit, as is usual: it keeps as many connections open as had a request at once.

use std::net::SocketAddr;

use hyper::body::Incoming;
use hyper::http::uri::{Authority, PathAndQuery, Scheme};
use hyper::service::Service;
use hyper::{Request, Response, Uri};
use hyper_util::client::legacy::connect::Connect;
use hyper_util::client::legacy::{Client, Error, ResponseFuture};

use crate::Failure;

#[derive(Clone, Debug)]
pub(super) struct Proxy<C> {
    client: Client<C, Incoming>,
    upstream: Authority,
}

impl<C> Proxy<C> {
    pub(super) fn new(client: Client<C, Incoming>, upstream: SocketAddr) -> Result<Self, Failure> {
        Ok(Self { client, upstream: upstream.to_string().parse()? })
    }

    /// Returns where upstream is what `asked` names here.
    fn target(&self, asked: &Uri) -> Uri {
        let mut parts = hyper::http::uri::Parts::default();
        parts.scheme = Some(Scheme::HTTP);
        parts.authority = Some(self.upstream.clone());
        parts.path_and_query = Some(asked.path_and_query().cloned().unwrap_or(PathAndQuery::from_static("/")));
        Uri::from_parts(parts).expect("all parts are there")
    }
}

impl<C: Connect + Clone + Send + Sync + 'static> Service<Request<Incoming>> for Proxy<C> {
    type Response = Response<Incoming>;
    type Error = Error;
    type Future = ResponseFuture;

    fn call(&self, mut request: Request<Incoming>) -> ResponseFuture {
        *request.uri_mut() = self.target(request.uri());
        self.client.request(request)
    }
}
