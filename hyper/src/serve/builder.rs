//! `Serve`: the settings of a server.

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
use wsrt::sync::CancellationToken;

use super::accepting::AcceptErrors;
use super::terms::Terms;
use super::{Carrying, Handshake, Listener, NoHandshake, RequestBody};
use crate::{BoxError, WsrtExecutor};

/// The builder from hyper-util for connections that use HTTP/1.1 or HTTP/2, whichever the client
/// chooses.
pub type HttpBuilder = auto::Builder<WsrtExecutor>;

pub(super) type Signal = Pin<Box<dyn Future<Output = ()> + Send>>;
pub(super) type OnConnectionError = Arc<dyn Fn(&(dyn Error + Send + Sync)) + Send + Sync>;

/// Serves HTTP/1.1 and HTTP/2 on the connections of `listener`, and passes each request to
/// `service`: an axum router, tonic's routes, or any other tower service.
///
/// The server starts when the returned value is awaited. It shuts down gracefully when the runtime
/// is drained, or when a signal set by the caller fires; see [Shutting down](#shutting-down). The
/// service is cloned for each request. Each connection runs as a task on the runtime's processors,
/// and so does each open HTTP/2 request; nothing runs on other threads.
///
/// The server does the following:
///
/// - It detects the HTTP version from the first bytes of a connection. Upgrades are supported,
///   including HTTP/2's extended CONNECT.
/// - It adds a [`ConnectInfo`](super::ConnectInfo) extension to each request.
/// - When the process has no free file descriptor, it waits until a connection has been closed.
/// - It closes connections that are idle or silent for too long, according to the limits below. It
///   sends a ping every minute on a silent HTTP/2 connection.
///
/// # Limits
///
/// | A client that | causes the server to | default limit | set by |
/// |---|---|---|---|
/// | opens ever more connections | stop accepting; further connections wait in the OS's queue | three quarters of the process's descriptors | [`with_max_connections`](Serve::with_max_connections) |
/// | is slow to complete the handshake (such as TLS) or the head of its first request | close the connection | 30 s for each | [`with_first_request_timeout`](Serve::with_first_request_timeout) |
/// | is slow to send a later head, or is idle (HTTP/1.1) | close the connection | 30 s | `http1().header_read_timeout` |
/// | has no open request, but answers pings (HTTP/2) | close the connection after a GOAWAY | 180 s | [`with_idle_timeout`](Serve::with_idle_timeout) |
/// | has vanished (HTTP/2) | close the connection after a ping | 60 s of silence, then 20 s | `http2().keep_alive_interval`, `keep_alive_timeout` |
/// | is slow to send the body of its request | return an error from the body | 60 s, at 240 bytes per second | [`with_body_timeout`](Serve::with_body_timeout) |
/// | reads nothing | close the connection | 60 s | [`with_write_timeout`](Serve::with_write_timeout) |
/// | does not open its flow-control windows, or only by a few bytes at a time (HTTP/2) | close the connection | 60 s, at 240 bytes per second; for answers whose rest is buffered, 180 s, a GOAWAY, and another 60 s | [`with_write_timeout`](Serve::with_write_timeout), [`with_idle_timeout`](Serve::with_idle_timeout) |
/// | has open requests when the server shuts down | close the connection | 30 s | [`with_shutdown_timeout`](Serve::with_shutdown_timeout) |
/// | sends large heads | answer with status 431, or reset the stream | 100 headers and 400 kB (HTTP/1.1), 16 kB (HTTP/2) | `http1().max_headers`, `max_buf_size`; `http2().max_header_list_size` |
/// | opens many streams at once | refuse further streams | 200 | `http2().max_concurrent_streams` |
/// | opens streams and resets them | close the connection | 20 streams that have not begun, 1024 resets caused by the client's errors | `http2().max_pending_accept_reset_streams`, `max_local_error_reset_streams` |
/// | floods the server with frames | yield to other tasks after eight reads | always | |
/// | requests large answers | yield to other tasks after writing 128 kB | always | |
/// | requests large answers and reads them slowly or not at all | limit the unsent bytes in the OS's buffers (Linux) | 128 kB | [`with_unsent_limit`](Serve::with_unsent_limit) |
/// | sends windows of zero and requests large answers | stop buffering | 64 kB per stream, and one frame of its body | `http2().max_send_buf_size` |
///
/// The settings without a link are hyper's; change them with
/// [`configure_http`](Serve::configure_http). No limit applies to the length of a body, nor, except
/// for writes, to connections that were upgraded or that carry a tunnel (HTTP/2's CONNECT).
///
/// By default, only waits for the *client* are limited. A service may take any amount of time to
/// produce an answer, or the next frame of an answer: long polling, server-sent events and gRPC
/// streams continue however long they are silent. Once the head of the answer has been sent, the
/// request's body may be silent too, because client and service may be in a dialogue. While one
/// request of an HTTP/2 connection waits for the service, the connection stays open even if the
/// client does not read another request's answer. If requests can keep a service waiting, set
/// [`with_request_timeout`](Serve::with_request_timeout).
///
/// A server that gets more requests than its workers can serve answers all of them too late, unless
/// it [sheds load](Serve::with_load_shedding).
///
/// If the service panics, only its connection (HTTP/1.1) or its stream (HTTP/2) is affected: the
/// connection is closed, or the stream is reset.
///
/// # Shutting down
///
/// The server shuts down when the runtime is drained (`Handle::drain` of [`wsrt::runtime`]) or when
/// the `shutdown_token` is cancelled for another reason. This requires no code of your own;
/// [`with_graceful_shutdown`](Serve::with_graceful_shutdown) adds a signal of your choice, and
/// [`with_shutdown_token`](Serve::with_shutdown_token) a token.
///
/// On shutdown, the listener is closed at once. Connections that are waiting for a request are
/// closed immediately, and connections with open requests are closed once these requests are
/// answered. Then the server's future completes. Connections that are still open after the
/// [shutdown timeout](Serve::with_shutdown_timeout), 30 seconds by default, are closed; a drain
/// additionally has its own deadline. The server does not close connections that were upgraded:
/// their handlers should watch the token or the signal.
///
/// # Panics
///
/// Panics if the server is awaited outside a wsrt runtime.
///
/// # Errors
///
/// No error is returned at present: if the listener fails, the server calls it again, without end.
/// A future version may return an error after which nothing can be served.
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

/// A server and its settings. Returned by [`serve`]; the server starts when this value is awaited.
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
    /// Shuts the server down gracefully when the future `signal` completes, for example
    /// `wsrt::signal::shutdown`.
    ///
    /// Draining the runtime shuts the server down even without a signal. See [Shutting
    /// down](fn@serve#shutting-down) for what happens during a shutdown.
    pub fn with_graceful_shutdown(mut self, signal: impl Future<Output = ()> + Send + 'static) -> Self {
        self.signal = Some(Box::pin(signal));
        self
    }

    /// Shuts the server down gracefully when `token` is cancelled. The token replaces a signal of
    /// [`with_graceful_shutdown`](Self::with_graceful_shutdown), and the other way round.
    ///
    /// # Examples
    ///
    /// Two servers that end together:
    ///
    /// ```
    /// # use hyper::{Request, Response};
    /// # use wsrt_hyper::{BoxError, RequestBody};
    /// # use wsrt::net::TcpListener;
    /// # async fn example<S>(api: TcpListener, admin: TcpListener, router: S) -> std::io::Result<()>
    /// # where
    /// #     S: tower_service::Service<Request<RequestBody>, Response = Response<String>, Error: Into<BoxError>>,
    /// #     S: Clone + Send + 'static,
    /// #     S::Future: Send + 'static,
    /// # {
    /// use wsrt::sync::CancellationToken;
    ///
    /// let token = CancellationToken::new();
    /// let admin = wsrt_hyper::serve(admin, router.clone()).with_shutdown_token(&token).into_future();
    /// let admin = wsrt::spawn(admin);
    /// let served = wsrt_hyper::serve(api, router).with_shutdown_token(&token).await;
    /// admin.await??;
    /// # served
    /// # }
    /// ```
    pub fn with_shutdown_token(self, token: &CancellationToken) -> Self {
        self.with_graceful_shutdown(token.clone().cancelled_owned())
    }

    /// Sets how long open requests may take once the server shuts down. When the limit expires,
    /// their connections are closed. The default is 30 seconds. With `None` there is no limit, so a
    /// client that reads its answer slowly enough can keep the server from finishing.
    pub fn with_shutdown_timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.terms.shutdown_timeout = limit.into();
        self
    }

    /// Sets how long a client may take for the handshake, and then for the headers of its first
    /// request. When the limit expires, the connection is closed. The default is 30 seconds; `None`
    /// means no limit. For the headers of later requests, hyper's own limit applies (see
    /// [`configure_http`](Self::configure_http)).
    pub fn with_first_request_timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.terms.first_request_timeout = limit.into();
        self
    }

    /// Sets how long the service may take to return the head of its response, including the time
    /// that it waits for the request's body. If the time runs out, the connection is closed
    /// (HTTP/1.1) or the stream is reset (HTTP/2). By default there is no limit, because a response
    /// may have to wait for an event.
    ///
    /// The service finds the limit by [`wsrt::time::deadline()`], and so do tasks that it spawns.
    ///
    /// To limit only how long the service waits for the sender of the body, use
    /// [`with_body_timeout`](Self::with_body_timeout).
    pub fn with_request_timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.terms.request_timeout = limit.into();
        self
    }

    /// Sets how long the service may wait for the client to send more of a request's body. When the
    /// limit expires, the [`RequestBody`] returns an error. The default is 60 seconds; `None` means
    /// no limit.
    ///
    /// Every 240 bytes of the body earn one second of waiting time back, up to the limit: a client
    /// that is slower than this for long is given up, but a client that pauses now and then is not.
    /// Only waiting counts, so the service may take its time between two frames.
    ///
    /// The limit ends when the service returns the head of its answer, because client and service
    /// may then be in a dialogue. A service that answers before it has read the body must limit its
    /// reading itself, and a service that collects a client's infrequent messages before answering
    /// needs a longer limit.
    pub fn with_body_timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.terms.body_timeout = limit.into();
        self
    }

    /// Sets how long a connection may stay open without an open request. When the limit expires,
    /// the connection is closed; an HTTP/2 connection is closed after a GOAWAY and after the
    /// answers that are still being sent. The default is 180 seconds; `None` means no limit.
    ///
    /// For HTTP/1.1, hyper's limit of 30 seconds for the headers of a request closes an idle
    /// connection earlier.
    pub fn with_idle_timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.terms.idle_timeout = limit.into();
        self
    }

    /// Sets how long a write may wait for the client to take any bytes, and how long all open
    /// answers of an HTTP/2 connection may wait for room in its flow-control windows. When the
    /// limit expires, the connection is closed. The default is 60 seconds; `None` means no limit.
    ///
    /// A client that reads slowly keeps its connection; a client that reads nothing or has vanished
    /// loses it. Every 240 bytes written earn back one second of the wait for windows, up to the
    /// limit, and this wait ends after twice the limit at the latest. The limit for writes also
    /// applies to upgraded connections.
    pub fn with_write_timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.terms.write_timeout = limit.into();
        self
    }

    /// Sets how many unsent bytes of an answer the OS may buffer for each connection; a write
    /// beyond this limit waits. The default is 128 kB. With `None` the OS's own limit applies,
    /// which on Linux is up to 4 MB for each connection.
    ///
    /// Without a limit, each client that requests a large answer and reads nothing makes the server
    /// copy megabytes. Bytes already on their way to a client do not count, so the limit does not
    /// delay answers; a higher limit saves a server of large answers some wake-ups. The limit
    /// applies to TCP on Linux, and to listeners that implement [`Listener::limit_unsent`].
    pub fn with_unsent_limit(mut self, bytes: impl Into<Option<u32>>) -> Self {
        self.terms.unsent_limit = bytes.into();
        self
    }

    /// Sets how many connections may be open at the same time. Further connections wait in the OS's
    /// queue until an open connection ends. `None` means no limit.
    ///
    /// The default is three quarters of the file descriptors that the process could have open when
    /// [`serve`] was called, so that some are left for the service's own files and sockets.
    /// Upgraded connections do not count; limit them in their handler.
    ///
    /// # Panics
    ///
    /// Panics if `limit` is zero.
    pub fn with_max_connections(mut self, limit: impl Into<Option<usize>>) -> Self {
        let limit = limit.into();
        assert!(limit != Some(0), "a server that may have no connection serves nothing: the limit has to be 1 or more");
        self.terms.max_connections = limit;
        self
    }

    /// Sheds load: while the workers cannot keep up, refuses requests and new connections that have
    /// waited for a worker for longer than `limit`. By default, and with `None`, nothing is
    /// refused, so that beyond the server's capacity all answers come ever later.
    ///
    /// A refused request is answered with status 503 and `Retry-After: 1`. The service is not
    /// called, and the connection stays open. A refused connection is closed before its handshake,
    /// such as TLS. The metrics `wsrt_shed_requests_total` and `wsrt_shed_connections_total` count
    /// both.
    ///
    /// The wait counts from the moment at which the runtime learns that a connection can be read,
    /// or accepted, until the service would be called. Nothing is refused until such waits have
    /// been too long for 20 times the limit, or for more than a third of the time: a burst that
    /// ends sooner is served. From then on, the requests that are served wait for about the limit,
    /// whatever the load.
    ///
    /// Choose a limit of five to ten times the CPU time of a request: 5 ms suit most services. The
    /// limit does not bound
    ///
    /// - the time that the service itself takes, where [`with_request_timeout`] does, or its waits
    ///   for a database or another server, for which tower's layers limit the number of requests;
    /// - waits of requests that are pipelined behind a slow one on their connection;
    /// - the cost of a refusal: parsing the request and writing the answer. A server that spends
    ///   its time on HTTP rather than in its service gains little.
    ///
    /// Health checks are refused like other requests. Serve them on a second listener, by a server
    /// without a limit. The guide's chapter *Overload* (`wsrt::guide::overload`) shows both.
    ///
    /// # Panics
    ///
    /// Panics if `limit` is zero.
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
    /// wsrt_hyper::serve(listener, router).with_load_shedding(Duration::from_millis(5)).await
    /// # }
    /// ```
    ///
    /// [`with_request_timeout`]: Self::with_request_timeout
    pub fn with_load_shedding(mut self, limit: impl Into<Option<Duration>>) -> Self {
        let limit = limit.into();
        assert!(
            limit != Some(Duration::ZERO),
            "a limit of zero would shed all that has to wait: choose a few milliseconds"
        );
        self.terms.shed_after = limit;
        self
    }

    /// Performs a handshake on each connection before HTTP begins, such as TLS, or reading a proxy
    /// protocol header.
    ///
    /// `handshake` is called with the accepted stream in the connection's own task, so a slow
    /// client does not delay others. The stream that `handshake` returns must implement hyper's I/O
    /// traits; [`TokioIo`](crate::TokioIo) adds these traits to a stream that implements tokio's.
    /// The time limit for [the first request](Self::with_first_request_timeout) also applies to the
    /// handshake.
    ///
    /// # Examples
    ///
    /// In this example, a client must send a password before HTTP begins. TLS looks the same: call
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

    /// Adds extensions to each request that describe the request's connection, based on the result
    /// of the handshake: for example the client's certificate, or the negotiated protocol. Call
    /// this method after [`with_handshake`](Self::with_handshake).
    ///
    /// `extend` is called once for each connection, after the handshake, with the stream that the
    /// handshake returned. Each request receives a clone of the extensions, in addition to its
    /// [`ConnectInfo`](super::ConnectInfo).
    ///
    /// # Examples
    ///
    /// With rustls, the stream is a `TokioIo<TlsStream<TcpStream>>`, and the certificates are in
    /// `stream.get_ref().get_ref().1.peer_certificates()`. This example uses a plain socket:
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

    /// Changes hyper's settings for connections, such as limits on headers and streams, window
    /// sizes, and keep-alive. The timers, a ping every 60 seconds on HTTP/2, and HTTP/2's extended
    /// CONNECT are already set.
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

    /// Calls `hook` with each error that occurs while accepting connections. By default, these
    /// errors are printed to standard error, at most one per second, except for errors caused by
    /// clients that have disconnected.
    pub fn on_accept_error(mut self, hook: impl Fn(&io::Error) + Send + Sync + 'static) -> Self {
        self.accept_errors.hook = Some(Arc::new(hook));
        self
    }

    /// Calls `hook` with each error that ended a connection: a failed handshake, or a client that
    /// disconnected during a request, violated the protocol, or took too long. By default, these
    /// errors are ignored.
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
