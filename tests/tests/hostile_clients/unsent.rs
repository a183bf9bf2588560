//! Of a large answer to a client that reads nothing, the server makes little.

use std::future::IntoFuture;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, channel};
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame};
use hyper::{Request, Response};
use socket2::{Domain, Socket, Type};
use wsrt::net::TcpListener;
use wsrt::runtime::Runtime;
use wsrt_hyper::{RequestBody, serve};
use wsrt_tests::{LIMIT, runtime_with, within_a_minute};

use crate::frames::{END_HEADERS, END_STREAM, HEADERS, OPENING, SETTINGS, WINDOW_UPDATE, push, request};

const FRAME: &[u8] = &[b'x'; 16 << 10];

/// Answers without end, and counts the bytes that were taken of all answers.
#[derive(Clone, Default)]
struct Endless(Arc<AtomicUsize>);

impl Body for Endless {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, std::convert::Infallible>>> {
        self.0.fetch_add(FRAME.len(), Relaxed);
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(FRAME)))))
    }
}

impl tower_service::Service<Request<RequestBody>> for Endless {
    type Response = Response<Endless>;
    type Error = std::convert::Infallible;
    type Future = std::future::Ready<Result<Response<Endless>, std::convert::Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), std::convert::Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Request<RequestBody>) -> Self::Future {
        std::future::ready(Ok(Response::new(self.clone())))
    }
}

/// A server of endless answers, on a runtime of its own.
struct Server {
    endless: Endless,
    address: SocketAddr,
    lost_clients: Receiver<()>,
    _runtime: Runtime,
}

impl Server {
    /// It gives a client up that takes nothing for `write_timeout`.
    fn that_waits_for(write_timeout: Duration) -> Self {
        let (runtime, endless) = (runtime_with(2), Endless::default());
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("there is a free port");
        let address = listener.local_addr().expect("it is bound");
        let (report, lost_clients) = channel();
        let serving = serve(listener, endless.clone())
            .with_write_timeout(write_timeout)
            .on_connection_error(move |_| _ = report.send(()));
        runtime.handle().spawn(serving.into_future());
        Self { endless, address, lost_clients, _runtime: runtime }
    }

    fn await_a_lost_client(&self) {
        self.lost_clients.recv_timeout(LIMIT).expect("the server notices that the client is gone, or gives it up");
    }
}

/// hyper buffers some frames, and the client's window takes a few kilobytes. Without the limit
/// Linux takes three megabytes.
#[test]
fn little_of_an_answer_is_made_for_a_deaf_client() {
    within_a_minute(|| {
        let server = Server::that_waits_for(Duration::from_millis(100));

        // It comes back when the server serves, so that the next connection has the limit.
        let mut first = ask_by_a_small_window(server.address);
        first.read_exact(&mut [0; 1]).expect("the server answers");
        drop(first);
        server.await_a_lost_client();
        server.endless.0.store(0, Relaxed);

        let _deaf = ask_by_a_small_window(server.address);
        server.await_a_lost_client();
        let made = server.endless.0.load(Relaxed);
        assert!((1..=1 << 20).contains(&made), "{made} bytes");
    });
}

/// The client opens its windows wide and reads nothing: each of its streams is buffered for.
#[test]
fn little_is_buffered_for_the_streams_of_a_deaf_client() {
    const STREAMS: u32 = 50;
    const WIDE: u32 = (1 << 31) - 1;
    within_a_minute(|| {
        let server = Server::that_waits_for(Duration::from_millis(500));

        let mut frames = OPENING.to_vec();
        push(&mut frames, SETTINGS, 0, 0, &[&[0, 4][..], &WIDE.to_be_bytes()].concat());
        push(&mut frames, WINDOW_UPDATE, 0, 0, &(WIDE - 0xffff).to_be_bytes());
        for stream in 0..STREAMS {
            push(&mut frames, HEADERS, END_HEADERS | END_STREAM, 2 * stream + 1, &request("GET", "/"));
        }
        let mut deaf = connect_by_a_small_window(server.address);
        deaf.write_all(&frames).expect("the server reads");
        server.await_a_lost_client();
        // Per stream 64 kB and the frames in hand, where hyper's default is 400 kB. A megabyte is
        // on its way, as above.
        let (made, most) = (server.endless.0.load(Relaxed), STREAMS as usize * (128 << 10) + (1 << 20));
        assert!((1..=most).contains(&made), "{made} bytes of {most}");
    });
}

fn connect_by_a_small_window(address: SocketAddr) -> TcpStream {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("there are sockets");
    socket.set_recv_buffer_size(4096).expect("sockets have options");
    socket.connect(&address.into()).expect("the server listens");
    let stream = TcpStream::from(socket);
    stream.set_read_timeout(Some(LIMIT)).expect("sockets have timeouts");
    stream
}

fn ask_by_a_small_window(address: SocketAddr) -> TcpStream {
    let mut stream = connect_by_a_small_window(address);
    stream.write_all(b"GET / HTTP/1.1\r\nHost: test\r\n\r\n").expect("the server reads");
    stream
}
