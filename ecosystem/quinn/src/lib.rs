//! quinn, an implementation of QUIC, on the wsrt runtime: timers, tasks, and a UDP socket that
//! supports all the OS features that quinn-udp uses.
//!
//! quinn is built without its features for other runtimes, `runtime-tokio` and `runtime-smol`.
//!
//! # Examples
//!
//! ```
//! use std::net::UdpSocket;
//! use std::sync::Arc;
//! use quinn::{Endpoint, EndpointConfig};
//! use wsrt_quinn::QuinnOnWsrt;
//!
//! #[wsrt::main]
//! async fn main() -> std::io::Result<()> {
//!     let socket = UdpSocket::bind("127.0.0.1:0")?;
//!     // A client. A server passes its `ServerConfig` for the `None`.
//!     let endpoint = Endpoint::new(EndpointConfig::default(), None, socket, Arc::new(QuinnOnWsrt))?;
//!     endpoint.close(0_u32.into(), b"done");
//!     endpoint.wait_idle().await;
//!     Ok(())
//! }
//! ```

use std::future::Future;
use std::io::{self, ErrorKind, IoSliceMut};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use quinn::udp::{RecvMeta, Transmit, UdpSocketState};
use quinn::{AsyncTimer, AsyncUdpSocket, Runtime, UdpPoller};
use wsrt::io::Interest;
use wsrt::net::UdpSocket;
use wsrt::time::{Sleep, sleep_until};

/// A runtime for quinn that uses the current wsrt runtime. Pass it to `quinn::Endpoint::new`.
///
/// # Panics
///
/// The methods of this type panic outside a wsrt runtime, and so does `quinn::Endpoint::new`.
///
/// # Errors
///
/// Creating an endpoint fails if the socket cannot be registered with the netpoller.
#[derive(Debug, Clone, Copy)]
pub struct QuinnOnWsrt;

impl Runtime for QuinnOnWsrt {
    fn new_timer(&self, deadline: Instant) -> Pin<Box<dyn AsyncTimer>> {
        Box::pin(Timer(Box::pin(sleep_until(deadline.into()))))
    }

    fn spawn(&self, future: Pin<Box<dyn Future<Output = ()> + Send>>) {
        drop(wsrt::spawn(future));
    }

    fn wrap_udp_socket(&self, socket: std::net::UdpSocket) -> io::Result<Arc<dyn AsyncUdpSocket>> {
        let state = UdpSocketState::new((&socket).into())?;
        Ok(Arc::new(Socket { socket: UdpSocket::from_std(socket)?, state }))
    }

    /// The clock of the timers, which a test may have stopped.
    fn now(&self) -> Instant {
        wsrt::time::Instant::now().into_std()
    }
}

#[derive(Debug)]
struct Timer(Pin<Box<Sleep>>);

impl AsyncTimer for Timer {
    fn reset(mut self: Pin<&mut Self>, deadline: Instant) {
        self.0.as_mut().reset(deadline.into());
    }

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.0.as_mut().poll(cx)
    }
}

#[derive(Debug)]
struct Socket {
    socket: UdpSocket,
    /// The OS's capabilities: many datagrams in one call, above all.
    state: UdpSocketState,
}

impl AsyncUdpSocket for Socket {
    fn create_io_poller(self: Arc<Self>) -> Pin<Box<dyn UdpPoller>> {
        Box::pin(Writable(self))
    }

    fn try_send(&self, transmit: &Transmit<'_>) -> io::Result<()> {
        self.socket.try_io(Interest::WRITABLE, || self.state.send((&self.socket).into(), transmit))
    }

    fn poll_recv(
        &self,
        cx: &mut Context<'_>,
        bufs: &mut [IoSliceMut<'_>],
        meta: &mut [RecvMeta],
    ) -> Poll<io::Result<usize>> {
        loop {
            ready!(self.socket.poll_recv_ready(cx))?;
            let receive = || self.state.recv((&self.socket).into(), bufs, meta);
            match self.socket.try_io(Interest::READABLE, receive) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                outcome => return Poll::Ready(outcome),
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    fn max_transmit_segments(&self) -> usize {
        self.state.max_gso_segments()
    }

    fn max_receive_segments(&self) -> usize {
        self.state.gro_segments()
    }

    fn may_fragment(&self) -> bool {
        self.state.may_fragment()
    }
}

/// One connection's wait for the socket. wsrt's sockets keep any number of wakers, so that it needs
/// no state of its own.
#[derive(Debug)]
struct Writable(Arc<Socket>);

impl UdpPoller for Writable {
    fn poll_writable(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.socket.poll_send_ready(cx)
    }
}
