//! `client`: a builder of hyper-util's client, with wsrt's executor and timers instead of tokio's.

use hyper_util::client::legacy;

use crate::{WsrtExecutor, WsrtTimer};

/// The builder of pooled clients from hyper-util, as returned by [`client`].
pub type ClientBuilder = legacy::Builder;

/// The pooled client from hyper-util. `C` is the type of the connector, and `B` the type of the
/// request bodies.
pub type Client<C, B> = legacy::Client<C, B>;

/// Returns a builder for hyper-util's pooled HTTP client, set up to run on wsrt alone: both the
/// client's tasks and the timers of its pool are wsrt's. Pass a [`Connector`](super::Connector) to
/// the builder's `build` method.
///
/// The client keeps connections open for later requests. By default, an idle connection is closed
/// after 90 seconds (`pool_idle_timeout`), and the number of idle connections for each host is not
/// limited (`pool_max_idle_per_host`). Cloning a client is cheap, and all clones share the pool.
/// The client uses HTTP/1.1; it uses HTTP/2 if a TLS connector has negotiated it, or always with
/// `http2_only`. Requests have no time limit, so wrap them in [`timeout`](wsrt::time::timeout()).
///
/// For `https`, wrap wsrt's connector in a TLS connector, for example the one from hyper-rustls:
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
/// This function does not panic, but sending a request outside a wsrt runtime does.
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
