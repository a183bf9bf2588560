//! `serve_make_service`: a separate service for each connection.

use std::future::{Future, poll_fn};
use std::panic::Location;

use hyper::body::Body;
use hyper::{Request, Response};
use tower_service::Service;

use super::{Listener, RequestBody, Serve};
use crate::BoxError;

/// Serves HTTP as [`serve`](fn@super::serve) does, but creates a separate service for each
/// connection. `make` is a tower service that takes the peer's address, a [`Listener::Addr`], and
/// returns the service for this peer's requests.
///
/// One such service is the result of axum's `Router::into_make_service_with_connect_info`, with
/// which handlers and middleware find axum's own `ConnectInfo` in their requests, in addition to
/// wsrt's:
///
/// ```text
/// let make = router.into_make_service_with_connect_info::<SocketAddr>();
/// wsrt_hyper::serve_make_service(listener, make).await
/// ```
///
/// `make` is cloned for each connection and called in the connection's own task, after the
/// handshake and within the same time limit. If `make` fails, the connection is closed.
///
/// # Panics
///
/// Panics if the server is awaited outside a wsrt runtime.
///
/// # Errors
///
/// No error is returned at present, as for [`serve`](fn@super::serve).
///
/// # Cancel safety
///
/// Dropping the future closes the listener. Open connections end as soon as their open requests are
/// answered.
///
/// # Examples
///
/// ```
/// use std::convert::Infallible;
/// use std::net::SocketAddr;
/// use hyper::{Request, Response};
/// use wsrt_hyper::RequestBody;
/// use wsrt::net::{TcpListener, TcpStream};
///
/// /// Answers with the address that it was made for.
/// #[derive(Clone)]
/// struct Greet(SocketAddr);
///
/// # impl tower_service::Service<Request<RequestBody>> for Greet {
/// #     type Response = Response<String>;
/// #     type Error = Infallible;
/// #     type Future = std::future::Ready<Result<Self::Response, Infallible>>;
/// #     fn poll_ready(&mut self, _: &mut std::task::Context<'_>) -> std::task::Poll<Result<(), Infallible>> {
/// #         std::task::Poll::Ready(Ok(()))
/// #     }
/// #     fn call(&mut self, _: Request<RequestBody>) -> Self::Future {
/// #         std::future::ready(Ok(Response::new(format!("hello, {}", self.0))))
/// #     }
/// # }
/// # #[derive(Clone)] struct MakeGreet;
/// # impl tower_service::Service<SocketAddr> for MakeGreet {
/// #     type Response = Greet;
/// #     type Error = Infallible;
/// #     type Future = std::future::Ready<Result<Greet, Infallible>>;
/// #     fn poll_ready(&mut self, _: &mut std::task::Context<'_>) -> std::task::Poll<Result<(), Infallible>> {
/// #         std::task::Poll::Ready(Ok(()))
/// #     }
/// #     fn call(&mut self, peer: SocketAddr) -> Self::Future {
/// #         std::future::ready(Ok(Greet(peer)))
/// #     }
/// # }
/// # let runtime = wsrt::runtime::Runtime::new()?;
/// # runtime.block_on(async {
/// let listener = TcpListener::bind("127.0.0.1:0").await?;
/// let mut client = TcpStream::connect(listener.local_addr()?).await?;
/// // `MakeGreet` is a service that makes a `Greet` of each address.
/// wsrt::spawn(wsrt_hyper::serve_make_service(listener, MakeGreet).into_future());
///
/// client.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await?;
/// let mut answer = String::new();
/// client.read_to_string(&mut answer).await?;
/// assert!(answer.ends_with(&format!("hello, {}", client.local_addr()?)));
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
#[track_caller]
pub fn serve_make_service<L, M, S, B>(listener: L, make: M) -> Serve<L, MakeService<M>>
where
    L: Listener,
    M: Service<L::Addr, Response = S, Error: Into<BoxError>, Future: Send + 'static> + Clone + Send + 'static,
    S: Service<Request<RequestBody>, Response = Response<B>, Error: Into<BoxError>, Future: Send + 'static>,
    S: Clone + Send + 'static,
    B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
{
    Serve::new(listener, MakeService(make), Location::caller())
}

/// Marks a server that creates a separate service for each connection. Returned, as a parameter of
/// the server's type, by [`serve_make_service`].
#[derive(Debug, Clone)]
pub struct MakeService<M>(M);

/// The source of a connection's service; each connection has a clone.
pub(super) trait ServiceSource<A>: Clone + Send + 'static {
    type Service;

    /// Returns the service for a connection from `peer`.
    fn service(self, peer: A) -> impl Future<Output = Result<Self::Service, BoxError>> + Send;
}

impl<M, A> ServiceSource<A> for MakeService<M>
where
    M: Service<A, Error: Into<BoxError>, Future: Send> + Clone + Send + 'static,
    A: Send,
{
    type Service = M::Response;

    async fn service(mut self, peer: A) -> Result<M::Response, BoxError> {
        poll_fn(|context| self.0.poll_ready(context)).await.map_err(Into::into)?;
        self.0.call(peer).await.map_err(Into::into)
    }
}

/// One service for all connections, each of which has a clone.
#[derive(Clone)]
pub(super) struct SharedService<S>(pub(super) S);

impl<S, A> ServiceSource<A> for SharedService<S>
where
    S: Clone + Send + 'static,
    A: Send,
{
    type Service = S;

    async fn service(self, _peer: A) -> Result<S, BoxError> {
        Ok(self.0)
    }
}
