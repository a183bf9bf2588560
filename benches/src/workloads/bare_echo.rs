//! The echo server without a runtime: a thread for each processor, and on each an epoll loop of its
//! own for its share of the connections. The cost of a runtime's echo beyond this is the runtime's.
//!
//! The loop does the least possible: it waits for events, reads, and writes the same bytes. Where a
//! read falls short of the buffer the socket is empty, and is not read again before its next event.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};

use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token, Waker};

use crate::runtimes::listen;

/// Events that one wait takes at most.
const EVENTS: usize = 1024;
/// The token of the waker: no connection has this number.
const NEWS: Token = Token(usize::MAX);

/// A server that echoes until its clients have ended every connection.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    acceptor: JoinHandle<io::Result<u64>>,
}

impl Server {
    /// Listens, and has `threads` loops serve `connections`, with buffers of `buffer` bytes.
    pub(crate) fn start(threads: usize, connections: usize, buffer: usize) -> io::Result<Self> {
        let listener = listen((Ipv4Addr::LOCALHOST, 0).into())?;
        listener.set_nonblocking(false)?;
        let address = listener.local_addr()?;
        let loops = (0..threads).map(|_| Loop::start(buffer)).collect::<io::Result<Vec<_>>>()?;
        let acceptor = thread::spawn(move || deal_out(&listener, loops, connections));
        Ok(Self { address, acceptor })
    }

    /// Waits until the connections have ended, and answers how many bytes went back.
    pub(super) fn join(self) -> io::Result<u64> {
        self.acceptor.join().expect("the acceptor does not panic")
    }
}

/// Gives each loop a connection in turn, and then waits for them all.
fn deal_out(listener: &TcpListener, loops: Vec<Loop>, connections: usize) -> io::Result<u64> {
    for number in 0..connections {
        let (stream, _) = listener.accept()?;
        stream.set_nonblocking(true)?;
        loops[number % loops.len()].give(TcpStream::from_std(stream))?;
    }
    loops.into_iter().map(Loop::join).sum()
}

/// One thread with its poll, from outside.
struct Loop {
    give: Sender<TcpStream>,
    news: Arc<Waker>,
    thread: JoinHandle<io::Result<u64>>,
}

impl Loop {
    fn start(buffer: usize) -> io::Result<Self> {
        let poll = Poll::new()?;
        let news = Arc::new(Waker::new(poll.registry(), NEWS)?);
        let (give, given) = mpsc::channel();
        let thread = thread::spawn(move || echo_all(poll, &given, &mut vec![0; buffer]));
        Ok(Self { give, news, thread })
    }

    fn give(&self, stream: TcpStream) -> io::Result<()> {
        // Fails if the loop has broken off; `join` says why.
        let _given = self.give.send(stream);
        self.news.wake()
    }

    fn join(self) -> io::Result<u64> {
        drop(self.give);
        self.news.wake()?;
        self.thread.join().expect("the loop does not panic")
    }
}

/// Echoes until there is no connection left and none can come.
fn echo_all(mut poll: Poll, given: &Receiver<TcpStream>, buffer: &mut [u8]) -> io::Result<u64> {
    let mut events = Events::with_capacity(EVENTS);
    let mut streams: Vec<Option<TcpStream>> = Vec::new();
    let (mut open, mut echoed, mut more_may_come) = (0_usize, 0, true);
    while open > 0 || more_may_come {
        wait(&mut poll, &mut events)?;
        for event in &events {
            if event.token() == NEWS {
                let before = streams.len();
                more_may_come = take_given(&poll, given, &mut streams)?;
                open += streams.len() - before;
                continue;
            }
            let slot = &mut streams[event.token().0];
            let Some(stream) = slot else { continue };
            let Echoed { bytes, ended } = echo(stream, buffer)?;
            echoed += bytes;
            if ended {
                *slot = None;
                open -= 1;
            }
        }
    }
    Ok(echoed)
}

fn wait(poll: &mut Poll, events: &mut Events) -> io::Result<()> {
    loop {
        match poll.poll(events, None) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            waited => return waited,
        }
    }
}

/// Takes in the connections that are waiting; answers whether more may come.
fn take_given(poll: &Poll, given: &Receiver<TcpStream>, streams: &mut Vec<Option<TcpStream>>) -> io::Result<bool> {
    loop {
        match given.try_recv() {
            Ok(mut stream) => {
                poll.registry().register(&mut stream, Token(streams.len()), Interest::READABLE)?;
                streams.push(Some(stream));
            }
            Err(why) => return Ok(why == mpsc::TryRecvError::Empty),
        }
    }
}

/// The outcome of one event.
struct Echoed {
    bytes: u64,
    ended: bool,
}

fn echo(stream: &mut TcpStream, buffer: &mut [u8]) -> io::Result<Echoed> {
    let mut bytes = 0;
    loop {
        let read = match stream.read(buffer) {
            Ok(0) => return Ok(Echoed { bytes, ended: true }),
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(Echoed { bytes, ended: false }),
            Err(error) => return Err(error),
        };
        // The clients have one request outstanding, which their sockets have room for.
        stream.write_all(&buffer[..read])?;
        bytes += read as u64;
        if read < buffer.len() {
            return Ok(Echoed { bytes, ended: false });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_connection_gets_its_bytes_back_on_any_loop_count() {
        for threads in [1, 3] {
            let server = Server::start(threads, 5, 8).unwrap();
            let mut clients: Vec<_> = (0..5).map(|_| std::net::TcpStream::connect(server.address).unwrap()).collect();
            for message in [&b"short"[..], b"as long as three buffers", b"8 bytes."] {
                for client in &mut clients {
                    client.write_all(message).unwrap();
                }
                for client in &mut clients {
                    let mut answer = vec![0; message.len()];
                    client.read_exact(&mut answer).unwrap();
                    assert_eq!(answer, message);
                }
            }
            drop(clients);
            assert_eq!(server.join().unwrap(), 5 * (5 + 24 + 8));
        }
    }
}
