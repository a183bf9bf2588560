//! `client`: a builder of hyper-util's client with all set that would otherwise be tokio's.

use hyper_util::client::legacy;

use crate::{WsrtExecutor, WsrtTimer};

/// hyper-util's builder of pooled clients.
pub type ClientBuilder = legacy::Builder;

/// hyper-util's pooled client, with its connector and the type of its requests' bodies.
pub type Client<C, B> = legacy::Client<C, B>;

/// Returns the builder of a pooled HTTP client, hyper-util's, that runs on wsrt alone: its tasks
/// are wsrt's, and so are the timers of its pool. Pass a [`Connector`](super::Connector) to its
/// method `build`.
///
/// The client keeps connections for further requests: idle ones for 90 seconds
/// (`pool_idle_timeout`), any number for each host (`pool_max_idle_per_host`). It is cloned
/// cheaply, and its clones share the pool. It speaks HTTP/1.1, and HTTP/2 where a connector with
/// TLS has agreed on it, or always with `http2_only`. Requests have no time limit: put
/// [`timeout`](wsrt::time::timeout()) around them.
///
/// For `https` a connector with TLS goes around wsrt's, for example hyper-rustls':
///
/// ```text
/// let tls = HttpsConnectorBuilder::new()
///     .with_webpki_roots()
///     .https_or_http()
///     .enable_all_versions()
///     .wrap_connector(Connector::new().enforce_http(false));
/// let client = wsrt_hyper::client().build(tls);
/// ```
///
/// # Panics
///
/// This function does not panic. A request that is sent outside a wsrt runtime panics.
///
/// # Examples
///
/// ```
/// use http_body_util::{BodyExt, Empty};
/// use hyper::body::Bytes;
/// use wsrt_hyper::Connector;
/// use wsrt::net::TcpListener;
///
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let listener = TcpListener::bind("127.0.0.1:0").await?;
/// let url = format!("http://{}/", listener.local_addr()?).parse()?;
/// # wsrt::spawn(async move {
/// #     let (mut stream, _) = listener.accept().await?;
/// #     let mut request = [0; 4096];
/// #     stream.read(&mut request).await?;
/// #     stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello").await
/// # });
///
/// let client = wsrt_hyper::client().build::<_, Empty<Bytes>>(Connector::new());
/// let response = client.get(url).await?;
/// assert_eq!(response.into_body().collect().await?.to_bytes(), "hello");
/// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn client() -> ClientBuilder {
    let mut builder = ClientBuilder::new(WsrtExecutor);
    // Without the second, the pool keeps idle connections forever.
    builder.timer(WsrtTimer).pool_timer(WsrtTimer);
    builder
}
