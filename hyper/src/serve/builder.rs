//! `Serve`: a server's settings.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::io;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Body;
use hyper::http::Extensions;
use hyper::{Request, Response};
use hyper_util::server::conn::auto;
use tower_service::Service;

use super::accepting::AcceptErrors;
use super::terms::Terms;
use super::{Carrying, Handshake, Listener, NoHandshake, RequestBody};
use crate::{BoxError, WsrtExecutor};

/// hyper-util's builder of connections that speak HTTP/1.1 or HTTP/2, as the client chooses.
pub type HttpBuilder = auto::Builder<WsrtExecutor>;

pub(super) type Signal = Pin<Box<dyn Future<Output = ()> + Send>>;
pub(super) type OnConnectionError = Arc<dyn Fn(&(dyn Error + Send + Sync)) + Send + Sync>;

/// Serves HTTP/1.1 and HTTP/2 on `listener`, and passes the requests to `service`: an axum router,
/// tonic's routes or any other tower service.
///
/// The server begins when the returned value is awaited, and ends gracefully when the runtime is
/// drained or when its own signal comes: see [Shutting down](#shutting-down). The service is cloned
/// for each request. Each connection is a task on the runtime's processors, and so is each open
/// request of HTTP/2; nothing runs on other threads.
///
/// The server does the following:
///
/// - It detects the version of HTTP from a connection's first bytes. Upgrades work, HTTP/2's
///   extended CONNECT included.
/// - It adds a [`ConnectInfo`](super::ConnectInfo) to each request, as an extension.
/// - When no file descriptor is left, it waits until connections have closed some.
/// - It closes a connection that is idle or silent for too long: see the limits below. It sends a
///   ping each minute on a silent HTTP/2 connection.
///
/// # Limits
///
/// | a client that | is met by | default | set by |
/// |---|---|---|---|
/// | opens more and more connections | accepting no more; they wait in the OS's queue | three quarters of the process's descriptors | [`with_max_connections`](Serve::with_max_connections) |
/// | is slow with the handshake (TLS, too), or with the head of its first request | closing | 30 s for each | [`with_first_request_timeout`](Serve::with_first_request_timeout) |
/// | is slow with a later head, or idle (HTTP/1.1) | closing | 30 s | `http1().header_read_timeout` |
/// | has no request open, and answers pings (HTTP/2) | closing, after GOAWAY | 180 s | [`with_idle_timeout`](Serve::with_idle_timeout) |
/// | has vanished (HTTP/2) | closing, after a ping | 60 s of silence, and 20 s | `http2().keep_alive_interval`, `keep_alive_timeout` |
/// | is slow with the body of its request | an error of the body | 60 s, and 240 bytes a second | [`with_body_timeout`](Serve::with_body_timeout) |
/// | reads nothing | closing | 60 s | [`with_write_timeout`](Serve::with_write_timeout) |
/// | opens no flow-control windows, or only by a byte now and then (HTTP/2) | closing | 60 s, and 240 bytes a second; for buffered rests of answers 180 s, GOAWAY, and 60 s | [`with_write_timeout`](Serve::with_write_timeout), [`with_idle_timeout`](Serve::with_idle_timeout) |
/// | has requests open when the server shuts down | closing | 30 s | [`with_shutdown_timeout`](Serve::with_shutdown_timeout) |
/// | sends large heads | status 431, or a reset of the stream | 100 headers and 400 kB (HTTP/1.1), 16 kB (HTTP/2) | `http1().max_headers`, `max_buf_size`; `http2().max_header_list_size` |
/// | opens many streams at once | refusing more | 200 | `http2().max_concurrent_streams` |
/// | opens streams and resets them | closing | 20 not yet begun, 1024 for its own faults | `http2().max_pending_accept_reset_streams`, `max_local_error_reset_streams` |
/// | floods it with frames | its task yielding after eight reads | always | |
/// | asks for large answers | its task yielding after 128 kB of writes | always | |
/// | asks for large answers, and reads slowly or nothing | the system keeping no more unsent (Linux) | 128 kB | [`with_unsent_limit`](Serve::with_unsent_limit) |
/// | sends windows of zero, and asks for large answers | buffering no more | 64 kB for a stream, and a frame of its body | `http2().max_send_buf_size` |
///
/// The names without a link are hyper's: see [`configure_http`](Serve::configure_http). No limit
/// concerns the length of a body, nor a connection that was upgraded or has a tunnel (CONNECT of
/// HTTP/2), except for its writes.
///
/// Only waits for the *client* are limited by default. A service may take as long as it wants to
/// answer, or until the next frame of its answer: long polling, server-sent events and gRPC's
/// streams continue however long they are silent. After the head of the answer, the request's body
/// may be silent, too, since client and service may have a dialogue. With HTTP/2 a connection on
/// which one request waits for the service is not closed for another whose client takes nothing. A
/// service that any request can keep waiting needs
/// [`with_request_timeout`](Serve::with_request_timeout).
///
/// A panic of the service closes its connection (HTTP/1.1) or resets its stream (HTTP/2), and
/// nothing else.
///
/// # Shutting down
///
/// The server shuts down when the runtime is drained (`Handle::drain` of [`wsrt::runtime`]), or
/// when the `shutdown_token` fires for another reason, without any code of yours;
/// [`with_graceful_shutdown`](Serve::with_graceful_shutdown) adds its own signal. Then the listener
/// is closed at once. Connections that wait for a request are closed, those with open requests when
/// these are answered, and then the server's future is ready. Connections that are still open after
/// the [shutdown timeout](Serve::with_shutdown_timeout), 30 seconds, are closed; a drain has its
/// own deadline beside. The server does not close connections that were upgraded: their handlers
/// should watch the token or the signal.
///
/// # Panics
///
/// Panics when it is awaited outside a wsrt runtime.
///
/// # Errors
///
/// Returns none at present: a listener that fails is called again, without end. An error that is
/// added later will be one after which nothing can be served.
///
/// # Cancel safety
///
/// Dropping the future closes the listener, and open connections end as soon as they have answered.
///
/// # Examples
///
/// ```
/// use std::convert::Infallible;
/// use hyper::{Request, Response};
/// use http_body_util::Full;
/// use wsrt_hyper::RequestBody;
/// use wsrt::net::{TcpListener, TcpStream};
///
/// # #[derive(Clone)] struct Hello;
/// # impl tower_service::Service<Request<RequestBody>> for Hello {
/// #     type Response = Response<Full<&'static [u8]>>;
/// #     type Error = Infallible;
/// #     type Future = std::future::Ready<Result<Self::Response, Infallible>>;
/// #     fn poll_ready(&mut self, _: &mut std::task::Context<'_>) -> std::task::Poll<Result<(), Infallible>> {
/// #         std::task::Poll::Ready(Ok(()))
/// #     }
/// #     fn call(&mut self, _: Request<RequestBody>) -> Self::Future {
/// #         std::future::ready(Ok(Response::new(Full::new(b"hello" as &[u8]))))
/// #     }
/// # }
/// # let runtime = wsrt::runtime::Runtime::new()?;
/// # runtime.block_on(async {
/// let listener = TcpListener::bind("127.0.0.1:0").await?;
/// let mut client = TcpStream::connect(listener.local_addr()?).await?;
/// let (end, ended) = wsrt::sync::oneshot::channel::<()>();
/// // `Hello` is a service that answers "hello"; with axum: `Router::new().route("/", get(|| async { "hello" }))`.
/// let server = wsrt_hyper::serve(listener, Hello).with_graceful_shutdown(async { drop(ended.await) });
/// let server = wsrt::spawn(server.into_future());
///
/// client.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await?;
/// let mut answer = String::new();
/// client.read_to_string(&mut answer).await?;
/// assert!(answer.ends_with("hello"));
/// drop(end);
/// server.await?
/// # })?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[track_caller]
pub fn serve<L, S, B>(listener: L, service: S) -> Serve<L, S>
where
    L: Listener,
    S: Service<Request<RequestBody>, Response = Response<B>, Error: Into<BoxError>, Future: Send + 'static>,
    S: Clone + Send + 'static,
    B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
{
    Serve::new(listener, service, Location::caller())
}

/// A server that begins when it is awaited, and its settings. Returned by [`serve`].
#[must_use = "a server does nothing unless it is awaited"]
pub struct Serve<L, S, H = NoHandshake> {
    pub(super) listener: L,
    pub(super) service: S,
    pub(super) handshake: H,
    pub(super) terms: Terms,
    pub(super) accept_errors: AcceptErrors,
    pub(super) on_connection_error: Option<OnConnectionError>,
    pub(super) signal: Option<Signal>,
    pub(super) called_at: &'static Location<'static>,
}

impl<L, S> Serve<L, S> {
    /// Sets what the user has not chosen.
    pub(super) fn new(listener: L, service: S, called_at: &'static Location<'static>) -> Self {
        Self {
            listener,
            service,
            handshake: NoHandshake,
            terms: Terms::default(),
            accept_errors: AcceptErrors::default(),
            on_connection_error: None,
            signal: None,
            called_at,
        }
    }
}

impl<L, S, H> Serve<L, S, H> {
    /// Shuts down the server gracefully when `signal` completes, for example
    /// `wsrt::signal::ctrl_c`.
    ///
    /// A drain of the runtime does that without a signal: see [Shutting
    /// down](fn@serve#shutting-down), which says what happens then.
    pub fn with_graceful_shutdown(mut self, signal: impl Future<Output = ()> + Send + 'static) -> Self {
        self.signal = Some(Box::pin(signal));
        self
    }

    /// Limits how long open requests may take once the server shuts down; then their connections
    /// are closed. The default is 30 seconds; `None` is no limit, so that a client that takes its
    /// answer slowly enough keeps the server from ending.
    pub fn with_shutdown_timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.terms.shutdown_timeout = limit.into();
        self
    }

    /// Limits how long a client may take for the handshake, and then for the headers of its first
    /// request; then the connection is closed. The default is 30 seconds; `None` is no limit. hyper
    /// limits the headers of later requests (see [`configure_http`](Self::configure_http)).
    pub fn with_first_request_timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.terms.first_request_timeout = limit.into();
        self
    }

    /// Limits how long the service may take until it returns the head of its answer, the time in
    /// which it waits for the request's body included. Then the connection is closed (HTTP/1.1) or
    /// the stream reset (HTTP/2). The default is no limit, since an answer may wait for an event.
    ///
    /// [`with_body_timeout`](Self::with_body_timeout) limits the waits for the body's sender alone.
    pub fn with_request_timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.terms.request_timeout = limit.into();
        self
    }

    /// Limits how long the service may wait for the client to send more of a request's body; then
    /// the [`RequestBody`] returns an error. The default is 60 seconds; `None` is no limit.
    ///
    /// Each 240 bytes of the body earn a second back, up to the limit: a client that is slower for
    /// long is given up, one that pauses now and then is not. Only waits count, so a service may
    /// take its time between two frames. The limit ends with the head of the answer, since client
    /// and service may have a dialogue then: a service that answers first has to limit its reading
    /// itself, and one that gathers a client's rare messages before it answers needs a longer
    /// limit.
    pub fn with_body_timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.terms.body_timeout = limit.into();
        self
    }

    /// Limits how long a connection may have no request open; then it is closed, with HTTP/2 after
    /// a GOAWAY and the answers that are on their way. The default is 180 seconds; `None` is no
    /// limit.
    ///
    /// hyper's limit for the headers of HTTP/1.1, 30 seconds, ends a connection earlier.
    pub fn with_idle_timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.terms.idle_timeout = limit.into();
        self
    }

    /// Limits how long a write may wait for the client to take anything, and how long all open
    /// answers of a connection may wait for room in HTTP/2's windows; then the connection is
    /// closed. The default is 60 seconds; `None` is no limit.
    ///
    /// A client that reads slowly is not closed, one that reads nothing is, and one that has
    /// vanished. Each 240 bytes that are written earn a second of the wait for windows back, up to
    /// the limit. That wait ends after twice the limit at the latest. The limit for a write holds
    /// for upgraded connections, too.
    pub fn with_write_timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.terms.write_timeout = limit.into();
        self
    }

    /// Limits how many bytes of an answer the system keeps that it has not sent yet; then writes
    /// wait. The default is 128 kB; `None` is the system's own limit, on Linux up to 4 MB for a
    /// connection.
    ///
    /// Clients that ask for large answers and read nothing would have the server copy megabytes for
    /// each of them. Bytes on their way to a client do not count, so that none gets its answer
    /// later; a higher limit saves a server of large answers some wakes. Holds for TCP on Linux,
    /// and for listeners that implement [`Listener::limit_unsent`].
    pub fn with_unsent_limit(mut self, bytes: impl Into<Option<u32>>) -> Self {
        self.terms.unsent_limit = bytes.into();
        self
    }

    /// Limits how many connections are open at a time. Further connections wait in the OS's queue
    /// until one ends. `None` is no limit.
    ///
    /// The default is three quarters of the descriptors that the process could have open when
    /// [`serve`] was called, so that the service has some left for its own files and sockets. A
    /// connection that was upgraded does not count: its handler has to limit those.
    ///
    /// # Panics
    ///
    /// Panics if the limit is zero.
    pub fn with_max_connections(mut self, limit: impl Into<Option<usize>>) -> Self {
        let limit = limit.into();
        assert!(limit != Some(0), "a server that may have no connection serves nothing: the limit has to be 1 or more");
        self.terms.max_connections = limit;
        self
    }

    /// Does a handshake on each connection before HTTP begins: TLS, or reading a proxy's header.
    ///
    /// `handshake` is called with the accepted stream, in the connection's own task, so that a slow
    /// client does not delay others. Its result has to implement hyper's I/O traits:
    /// [`TokioIo`](crate::TokioIo) adds them to a stream that implements tokio's. The
    /// handshake has the time limit of [the first request](Self::with_first_request_timeout).
    ///
    /// # Examples
    ///
    /// A client has to send a password before HTTP begins. TLS looks the same: call
    /// `acceptor.accept(stream)`, and wrap the result in a `TokioIo`.
    ///
    /// ```
    /// # use hyper::{Request, Response};
    /// # use wsrt_hyper::{BoxError, RequestBody};
    /// # use wsrt::net::TcpListener;
    /// # async fn example<S>(listener: TcpListener, router: S) -> std::io::Result<()>
    /// # where
    /// #     S: tower_service::Service<Request<RequestBody>, Response = Response<String>, Error: Into<BoxError>>,
    /// #     S: Clone + Send + 'static,
    /// #     S::Future: Send + 'static,
    /// # {
    /// use std::io;
    /// use wsrt::net::TcpStream;
    ///
    /// wsrt_hyper::serve(listener, router)
    ///     .with_handshake(|mut stream: TcpStream| async move {
    ///         let mut password = [0; 6];
    ///         stream.read_exact(&mut password).await?;
    ///         if &password == b"sesame" { Ok(stream) } else { Err(io::ErrorKind::PermissionDenied.into()) }
    ///     })
    ///     .await
    /// # }
    /// ```
    pub fn with_handshake<NewH>(self, handshake: NewH) -> Serve<L, S, NewH>
    where
        L: Listener,
        NewH: Handshake<L::Io>,
    {
        self.map_handshake(|_| handshake)
    }

    /// Adds extensions to each request, by what the handshake found out about its connection: the
    /// client's certificate, or the protocol that was agreed on. To be called after
    /// [`with_handshake`](Self::with_handshake).
    ///
    /// `extend` is called once a connection, after the handshake, with the stream that it returned.
    /// Each request gets a clone of the extensions, beside its
    /// [`ConnectInfo`](super::ConnectInfo).
    ///
    /// # Examples
    ///
    /// With rustls the stream is a `TokioIo<TlsStream<TcpStream>>`, and the certificates are in
    /// `stream.get_ref().get_ref().1.peer_certificates()`. Here it is a plain socket:
    ///
    /// ```
    /// # use hyper::{Request, Response};
    /// # use wsrt_hyper::{BoxError, RequestBody};
    /// # use wsrt::net::{TcpListener, TcpStream};
    /// # async fn example<S>(listener: TcpListener, router: S) -> std::io::Result<()>
    /// # where
    /// #     S: tower_service::Service<Request<RequestBody>, Response = Response<String>, Error: Into<BoxError>>,
    /// #     S: Clone + Send + 'static,
    /// #     S::Future: Send + 'static,
    /// # {
    /// /// The address that the client has chosen of ours.
    /// #[derive(Clone)]
    /// struct Reached(std::net::SocketAddr);
    ///
    /// wsrt_hyper::serve(listener, router)
    ///     .with_connection_extensions(|stream: &TcpStream, extensions| {
    ///         if let Ok(address) = stream.local_addr() {
    ///             extensions.insert(Reached(address));
    ///         }
    ///     })
    ///     .await
    /// # }
    /// ```
    pub fn with_connection_extensions<F>(self, extend: F) -> Serve<L, S, Carrying<H, F>>
    where
        L: Listener,
        H: Handshake<L::Io>,
        F: Fn(&H::Io, &mut Extensions) + Clone + Send + 'static,
    {
        self.map_handshake(|handshake| Carrying { handshake, extend })
    }

    fn map_handshake<NewH>(self, map: impl FnOnce(H) -> NewH) -> Serve<L, S, NewH> {
        let Self { listener, service, handshake, terms, accept_errors, on_connection_error, signal, called_at } = self;
        let handshake = map(handshake);
        Serve { listener, service, handshake, terms, accept_errors, on_connection_error, signal, called_at }
    }

    /// Changes hyper's settings for connections: limits on headers and streams, windows, whether
    /// connections are kept alive. The timers, a ping each 60 seconds on HTTP/2, and HTTP/2's
    /// extended CONNECT are set already.
    ///
    /// # Examples
    ///
    /// ```
    /// # use hyper::{Request, Response};
    /// # use wsrt_hyper::{BoxError, RequestBody};
    /// # use wsrt::net::TcpListener;
    /// # async fn example<S>(listener: TcpListener, router: S) -> std::io::Result<()>
    /// # where
    /// #     S: tower_service::Service<Request<RequestBody>, Response = Response<String>, Error: Into<BoxError>>,
    /// #     S: Clone + Send + 'static,
    /// #     S::Future: Send + 'static,
    /// # {
    /// use std::time::Duration;
    ///
    /// wsrt_hyper::serve(listener, router)
    ///     .configure_http(|http| {
    ///         http.http1().header_read_timeout(Duration::from_secs(5));
    ///         http.http2().max_concurrent_streams(1000);
    ///     })
    ///     .await
    /// # }
    /// ```
    pub fn configure_http(mut self, configure: impl FnOnce(&mut HttpBuilder)) -> Self {
        configure(&mut self.terms.http);
        self
    }

    /// Calls `hook` with each error of accepting. The default reports them on standard error, at
    /// most once a second, and leaves out errors of clients that disconnected.
    pub fn on_accept_error(mut self, hook: impl Fn(&io::Error) + Send + Sync + 'static) -> Self {
        self.accept_errors.hook = Some(Arc::new(hook));
        self
    }

    /// Calls `hook` with each error that ended a connection: a failed handshake, a client that
    /// disconnected during a request, violated the protocol or took too long. The default ignores
    /// them.
    pub fn on_connection_error(mut self, hook: impl Fn(&(dyn Error + Send + Sync)) + Send + Sync + 'static) -> Self {
        self.on_connection_error = Some(Arc::new(hook));
        self
    }
}

impl<L: fmt::Debug, S, H> fmt::Debug for Serve<L, S, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Serve").field("listener", &self.listener).field("terms", &self.terms).finish_non_exhaustive()
    }
}
