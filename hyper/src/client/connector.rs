//! `Connector`: opens a connection for a URI.

use std::future::Future;
use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::Uri;
use tower_service::Service;
use wsrt::net::TcpStream;
use wsrt::time::timeout;

use super::ClientStream;

/// How long looking up a name and connecting may take, unless the user sets another limit.
const CONNECT: Duration = Duration::from_secs(30);

/// A connector for hyper-util's [`client`](super::client()) that opens wsrt TCP connections: a
/// tower service that takes a URI and returns a [`ClientStream`].
///
/// The OS's resolver looks up the host name, and the addresses are tried in parallel, as by
/// [`TcpStream::connect`]. Nagle's algorithm is disabled, so that requests are sent as soon as they
/// are written. Only the scheme, host and port of the URI are used; unless the URI contains a port,
/// it is 80 for `http` and 443 for `https`.
///
/// # Panics
///
/// The returned futures panic if they are polled outside a wsrt runtime.
///
/// # Errors
///
/// The returned futures fail with `InvalidInput` if the URI has no host or a scheme that is not
/// allowed, and with `TimedOut` if the [time limit](Connector::with_connect_timeout) expires. They
/// also fail if the host name cannot be resolved or no address accepts the connection.
///
/// # Cancel safety
///
/// Dropping a returned future abandons the connection attempt; no socket stays open.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use tower_service::Service;
/// use wsrt_hyper::Connector;
/// use wsrt::net::TcpListener;
///
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let listener = TcpListener::bind("127.0.0.1:0").await?;
/// let address = listener.local_addr()?;
///
/// let mut connector = Connector::new().with_connect_timeout(Duration::from_secs(5));
/// let stream = connector.call(format!("http://{address}/index.html").parse()?).await?;
/// assert_eq!(stream.get_ref().peer_addr()?, address);
/// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "a connector does nothing unless a client is built with it"]
pub struct Connector {
    connect_timeout: Option<Duration>,
    enforce_http: bool,
}

impl Connector {
    /// Creates a connector that accepts only `http` URIs and has a time limit of 30 seconds.
    pub fn new() -> Self {
        Self { connect_timeout: Some(CONNECT), enforce_http: true }
    }

    /// Sets the time limit for looking up the host name and connecting together. The default is 30
    /// seconds. With `None`, only the OS's own limit applies, which is often several minutes.
    pub fn with_connect_timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.connect_timeout = limit.into();
        self
    }

    /// Sets whether to reject URIs with a scheme other than `http`. The default is `true`. If a TLS
    /// connector wraps this connector, set it to `false`, because this connector also opens the
    /// connections for `https`.
    ///
    /// Without a TLS connector around this connector, `false` causes `https` requests to be sent in
    /// plain text.
    ///
    /// # Examples
    ///
    /// ```
    /// use tower_service::Service;
    /// use wsrt_hyper::Connector;
    ///
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let refused = Connector::new().call("https://localhost/".parse()?).await;
    /// assert_eq!(refused.unwrap_err().kind(), std::io::ErrorKind::InvalidInput);
    /// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn enforce_http(mut self, enforce: bool) -> Self {
        self.enforce_http = enforce;
        self
    }

    /// Returns the host and the port that `uri` names.
    fn target(&self, uri: &Uri) -> io::Result<(String, u16)> {
        let refuse = |reason: &str| Err(io::Error::new(ErrorKind::InvalidInput, format!("{reason}: {uri}")));
        let usual_port = match uri.scheme_str() {
            Some("http") => 80,
            Some("https") if !self.enforce_http => 443,
            Some("https") => return refuse("`https` needs a connector with TLS around this one"),
            Some(_) => return refuse("a scheme other than `http`"),
            None => return refuse("a URI without a scheme"),
        };
        let Some(host) = uri.host() else { return refuse("a URI without a host") };
        // The brackets of an IPv6 address are the URI's.
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        Ok((host.to_owned(), uri.port_u16().unwrap_or(usual_port)))
    }
}

impl Default for Connector {
    fn default() -> Self {
        Self::new()
    }
}

async fn connect(target: (String, u16), limit: Option<Duration>) -> io::Result<ClientStream> {
    let connecting = TcpStream::connect(target);
    let stream = match limit {
        Some(limit) => timeout(limit, connecting).await??,
        None => connecting.await?,
    };
    // An error does not prevent the connection from being used.
    let _ = stream.set_nodelay(true);
    Ok(ClientStream::new(stream))
}

impl Service<Uri> for Connector {
    type Response = ClientStream;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<ClientStream>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let (target, limit) = (self.target(&uri), self.connect_timeout);
        Box::pin(async move { connect(target?, limit).await })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(connector: &Connector, uri: &str) -> Result<(String, u16), ErrorKind> {
        connector.target(&uri.parse().expect("a URI")).map_err(|error| error.kind())
    }

    #[test]
    fn host_and_port_are_those_of_the_uri() {
        let plain = Connector::new();
        assert_eq!(target(&plain, "http://one.test/x?y"), Ok(("one.test".into(), 80)));
        assert_eq!(target(&plain, "http://me@one.test:8080"), Ok(("one.test".into(), 8080)));
        assert_eq!(target(&plain, "http://[::1]:7/"), Ok(("::1".into(), 7)));
        assert_eq!(target(&plain.enforce_http(false), "https://one.test/"), Ok(("one.test".into(), 443)));
    }

    #[test]
    fn schemes_that_would_not_be_honoured_are_refused() {
        let plain = Connector::new();
        for uri in ["https://one.test/", "ftp://one.test/", "/without/one"] {
            assert_eq!(target(&plain, uri), Err(ErrorKind::InvalidInput), "{uri}");
        }
        assert_eq!(target(&plain.enforce_http(false), "ftp://one.test/"), Err(ErrorKind::InvalidInput));
    }
}
