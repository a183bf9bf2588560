//! `Connector`: from a URI to a connection.

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

/// Connects hyper-util's [`client`](super::client()) by wsrt's TCP sockets: a tower service that
/// takes a URI and returns a [`ClientStream`].
///
/// The host's name is looked up by the OS's resolver; its addresses are tried side by side, as by
/// [`TcpStream::connect`]. Nagle's algorithm is off, so that requests leave as soon as they are
/// written. Only the scheme, the host and the port of the URI count; the port is 80 for `http` and
/// 443 for `https`, unless the URI has one.
///
/// # Panics
///
/// The returned futures panic when they are polled outside a wsrt runtime.
///
/// # Errors
///
/// The returned futures fail if the URI has no host or a scheme that is not allowed
/// (`InvalidInput`), if the name is not found, if no address accepts the connection, and with
/// `TimedOut` when the [time limit](Connector::with_connect_timeout) is over.
///
/// # Cancel safety
///
/// Dropping a returned future gives up connecting; nothing is left open.
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
    /// Returns a connector for `http`, with a time limit of 30 seconds.
    pub fn new() -> Self {
        Self { connect_timeout: Some(CONNECT), enforce_http: true }
    }

    /// Limits how long looking up the name and connecting may take together. The default is 30
    /// seconds; `None` leaves it to the OS, which takes minutes.
    pub fn with_connect_timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.connect_timeout = limit.into();
        self
    }

    /// Sets whether schemes other than `http` are refused, which is the default. A connector with
    /// TLS that wraps this one needs `false`, since this one makes the connections for `https`,
    /// too.
    ///
    /// Without a TLS connector around it, `false` sends `https` requests in plain text.
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
