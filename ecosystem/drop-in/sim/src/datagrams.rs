//! The socket of a QUIC endpoint: quinn's interface on a UDP socket of tokio's, one datagram
//! a call.
//!
//! quinn's own socket uses more of the system: many datagrams in a call, and marks of congestion.
//! For that it makes system calls on the descriptor.

use std::fmt;
use std::io::{self, IoSliceMut};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use quinn::udp::{RecvMeta, Transmit};
use quinn::{AsyncUdpSocket, UdpPoller};
use tokio::io::ReadBuf;
use tokio::net::UdpSocket;

/// A UDP socket for `quinn::Endpoint::new_with_abstract_socket`.
#[derive(Debug)]
pub struct Datagrams(Arc<UdpSocket>);

impl Datagrams {
    /// Binds one.
    ///
    /// # Errors
    ///
    /// Returns an error if the port is taken.
    pub async fn bind(address: SocketAddr) -> io::Result<Arc<Self>> {
        Ok(Arc::new(Self(Arc::new(UdpSocket::bind(address).await?))))
    }
}

impl AsyncUdpSocket for Datagrams {
    fn create_io_poller(self: Arc<Self>) -> Pin<Box<dyn UdpPoller>> {
        Box::pin(Writable { socket: Arc::clone(&self.0), waiting: None })
    }

    fn try_send(&self, transmit: &Transmit<'_>) -> io::Result<()> {
        // By `max_transmit_segments` it is one datagram.
        self.0.try_send_to(transmit.contents, transmit.destination).map(drop)
    }

    fn poll_recv(
        &self,
        cx: &mut Context<'_>,
        bufs: &mut [IoSliceMut<'_>],
        meta: &mut [RecvMeta],
    ) -> Poll<io::Result<usize>> {
        let mut room = ReadBuf::new(&mut bufs[0]);
        let addr = ready!(self.0.poll_recv_from(cx, &mut room))?;
        let len = room.filled().len();
        meta[0] = RecvMeta { addr, len, stride: len, ecn: None, dst_ip: None };
        Poll::Ready(Ok(1))
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

/// One connection's wait for the socket. It has a future of its own, since `poll_send_ready` of
/// tokio's socket wakes its last caller only.
struct Writable {
    socket: Arc<UdpSocket>,
    waiting: Option<Pin<Box<dyn Future<Output = io::Result<()>> + Send + Sync>>>,
}

impl UdpPoller for Writable {
    fn poll_writable(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self { socket, waiting } = &mut *self;
        let waits = waiting.get_or_insert_with(|| {
            let socket = Arc::clone(socket);
            Box::pin(async move { socket.writable().await })
        });
        let outcome = ready!(waits.as_mut().poll(cx));
        *waiting = None;
        Poll::Ready(outcome)
    }
}

impl fmt::Debug for Writable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writable").field("socket", &self.socket).finish_non_exhaustive()
    }
}
