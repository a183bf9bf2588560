//! hickory-resolver on the wsrt runtime: name lookups that use wsrt's tasks, timers and UDP
//! sockets, and its TCP streams for answers that are too long for UDP.
//!
//! hickory-resolver is built without its default features, which include tokio. To use the OS's own
//! resolver, you do not need this crate: every wsrt function that takes a host name queries that
//! resolver.
//!
//! # Examples
//!
//! ```
//! use hickory_resolver::Resolver;
//! use hickory_resolver::config::{NameServerConfig, ResolverConfig};
//! use wsrt_hickory::HickoryOnWsrt;
//!
//! #[wsrt::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
//!     let server = NameServerConfig::udp_and_tcp([127, 0, 0, 53].into());
//!     let config = ResolverConfig::from_name_servers(vec![server]);
//!     let resolver = Resolver::builder_with_config(config, HickoryOnWsrt).build()?;
//!     // `resolver.lookup_ip("example.org.").await?`
//!     # drop(resolver);
//!     Ok(())
//! }
//! ```

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use async_trait::async_trait;
use futures_io::{AsyncRead, AsyncWrite};
use hickory_resolver::net::runtime::{DnsTcpStream, DnsUdpSocket, RuntimeProvider, Spawn, Time};
use wsrt::io::ReadBuf;
use wsrt::net::{TcpSocket, TcpStream, UdpSocket};
use wsrt::time::{sleep, timeout};

/// How long a name server may take to accept a connection, where hickory does not say.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// A runtime for hickory-resolver that runs on wsrt. Pass it to `Resolver::builder_with_config`,
/// and use the resolver inside a wsrt runtime.
///
/// # Panics
///
/// A lookup panics if it runs outside a wsrt runtime.
#[derive(Debug, Clone, Copy)]
pub struct HickoryOnWsrt;

impl RuntimeProvider for HickoryOnWsrt {
    type Handle = Tasks;
    type Timer = Timers;
    type Udp = Udp;
    type Tcp = Tcp;

    fn create_handle(&self) -> Tasks {
        Tasks
    }

    fn connect_tcp(
        &self,
        server: SocketAddr,
        bind: Option<SocketAddr>,
        limit: Option<Duration>,
    ) -> Pin<Box<dyn Future<Output = io::Result<Tcp>> + Send>> {
        Box::pin(async move {
            let socket = if server.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
            if let Some(bind) = bind {
                socket.bind(bind)?;
            }
            socket.set_nodelay(true)?;
            Ok(Tcp(timeout(limit.unwrap_or(CONNECT_TIMEOUT), socket.connect(server)).await??))
        })
    }

    fn bind_udp(
        &self,
        local: SocketAddr,
        _server: SocketAddr,
    ) -> Pin<Box<dyn Future<Output = io::Result<Udp>> + Send>> {
        Box::pin(async move { UdpSocket::bind(local).await.map(Udp) })
    }
}

/// Spawns hickory's background futures as tasks of the current wsrt runtime.
#[derive(Debug, Clone, Copy)]
pub struct Tasks;

impl Spawn for Tasks {
    fn spawn_bg(&mut self, future: impl Future<Output = ()> + Send + 'static) {
        drop(wsrt::spawn(future));
    }
}

/// Provides hickory with the timers of the current wsrt runtime.
#[derive(Debug, Clone, Copy)]
pub struct Timers;

#[async_trait]
impl Time for Timers {
    async fn delay_for(duration: Duration) {
        sleep(duration).await;
    }

    async fn timeout<F: Future + Send + 'static>(duration: Duration, future: F) -> io::Result<F::Output> {
        Ok(timeout(duration, future).await?)
    }
}

/// A wsrt UDP socket that implements hickory's socket trait.
#[derive(Debug)]
pub struct Udp(UdpSocket);

impl DnsUdpSocket for Udp {
    type Time = Timers;

    fn poll_recv_from(&self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<(usize, SocketAddr)>> {
        let mut buf = ReadBuf::new(buf);
        let sender = ready!(self.0.poll_recv_from(cx, &mut buf))?;
        Poll::Ready(Ok((buf.filled().len(), sender)))
    }

    fn poll_send_to(&self, cx: &mut Context<'_>, buf: &[u8], target: SocketAddr) -> Poll<io::Result<usize>> {
        self.0.poll_send_to(cx, buf, target)
    }
}

/// A wsrt TCP stream that implements hickory's stream trait, on top of the I/O traits of wsrt's
/// feature `futures-io`.
#[derive(Debug)]
pub struct Tcp(TcpStream);

impl DnsTcpStream for Tcp {
    type Time = Timers;
}

impl AsyncRead for Tcp {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        AsyncRead::poll_read(Pin::new(&mut self.0), cx, buf)
    }
}

impl AsyncWrite for Tcp {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        AsyncWrite::poll_write(Pin::new(&mut self.0), cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        AsyncWrite::poll_flush(Pin::new(&mut self.0), cx)
    }

    fn poll_close(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        AsyncWrite::poll_close(Pin::new(&mut self.0), cx)
    }
}
