//! A proxy over TCP on loopback: bytes copied in both directions by the runtime's own function.
//!
//! wsrt splices between two sockets of its own. Where the sockets are hidden behind a reference it
//! copies by a buffer, as the others do: the two rows of each kind show the price of that.
//!
//! The source and the sink are threads that block, and the CPU time that the kernel charges to them
//! is subtracted: the processor time is the proxy's.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::{Duration, Instant};

use super::{About, Failure, Figures, Plan, Runtime};
use crate::metric::Metric;
use crate::usage::Usage;

pub(super) const BULK: About = About {
    name: "proxy_bulk",
    summary: "256 MiB in one direction through copy_bidirectional, written 64 KiB at a time",
    size: 4096,
    rounds: 4,
    bare: None,
};

pub(super) const BULK_HIDDEN: About = About {
    name: "proxy_bulk_hidden",
    summary: "proxy_bulk with the sockets behind a reference, so that none splices",
    ..BULK
};

pub(super) const MESSAGES: About = About {
    name: "proxy_1k",
    summary: "messages of 1 kB, each sent when the one before has come back, through copy_bidirectional",
    size: 5_000,
    rounds: 4,
    bare: None,
};

pub(super) const MESSAGES_HIDDEN: About = About {
    name: "proxy_1k_hidden",
    summary: "proxy_1k with the sockets behind a reference, so that none splices",
    ..MESSAGES
};

/// The bytes that pass through the proxy.
#[derive(Clone, Copy, Debug)]
struct Load {
    /// Bytes of one piece: of a write, or of a message.
    piece: usize,
    pieces: usize,
    /// Whether the sink sends each piece back before the source sends the next.
    is_answered: bool,
}

impl Load {
    fn bulk(plan: &Plan) -> Self {
        Self { piece: 64 * 1024, pieces: plan.size(&BULK), is_answered: false }
    }

    fn messages(plan: &Plan) -> Self {
        Self { piece: 1000, pieces: plan.size(&MESSAGES), is_answered: true }
    }

    /// Returns the bytes there and back.
    fn bytes(self) -> (u64, u64) {
        let there = (self.piece * self.pieces) as u64;
        (there, if self.is_answered { there } else { 0 })
    }
}

pub(super) fn run_bulk<R: Runtime>(runtime: &R, plan: &Plan) -> Figures {
    run(runtime, plan, &BULK, Load::bulk(plan), false)
}

pub(super) fn run_bulk_hidden<R: Runtime>(runtime: &R, plan: &Plan) -> Figures {
    run(runtime, plan, &BULK_HIDDEN, Load::bulk(plan), true)
}

pub(super) fn run_messages<R: Runtime>(runtime: &R, plan: &Plan) -> Figures {
    run(runtime, plan, &MESSAGES, Load::messages(plan), false)
}

pub(super) fn run_messages_hidden<R: Runtime>(runtime: &R, plan: &Plan) -> Figures {
    run(runtime, plan, &MESSAGES_HIDDEN, Load::messages(plan), true)
}

fn run<R: Runtime>(runtime: &R, plan: &Plan, about: &About, load: Load, hidden: bool) -> Figures {
    let rounds = plan.rounds(about);
    for _ in 0..rounds.warm_up {
        round(runtime, load, hidden)?;
    }
    let before = Usage::now()?;
    let (mut elapsed, mut of_ends) = (Duration::ZERO, Duration::ZERO);
    for _ in 0..rounds.measured {
        let end = round(runtime, load, hidden)?;
        elapsed += end.elapsed;
        of_ends += end.cpu;
    }
    let of_proxy = Usage::now()?.since(before).cpu.saturating_sub(of_ends);
    let (there, back) = load.bytes();
    let bytes = u64::from(rounds.measured) as f64 * (there + back) as f64;
    Ok(vec![
        Metric::MEGABYTES_PER_SECOND.of(bytes / 1e6 / elapsed.as_secs_f64()),
        Metric::CPU_MILLISECONDS_PER_GIGABYTE.of(of_proxy.as_secs_f64() * 1e3 / (bytes / 1e9)),
    ])
}

/// The cost of one end, or of both.
struct End {
    elapsed: Duration,
    cpu: Duration,
}

/// Sends `load` through a new proxy once.
fn round<R: Runtime>(runtime: &R, load: Load, hidden: bool) -> Result<End, Failure> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let target = listener.local_addr()?;
    let sink = thread::spawn(move || receive(&listener, load));
    let (tell_address, address) = mpsc::channel();
    let proxy = R::spawn_on(&runtime.handle(), serve::<R>(target, hidden, tell_address));
    let address = address.recv().expect("the proxy listens before it ends");
    let source = send(address, load)?;
    let sink = sink.join().expect("the sink does not panic")?;
    assert_eq!(runtime.block_on(proxy)?, load.bytes(), "the bytes that the proxy copied");
    Ok(End { cpu: source.cpu + sink.cpu, ..source })
}

/// Takes one connection and passes it on to `target`, until both have ended.
async fn serve<R: Runtime>(
    target: SocketAddr,
    hidden: bool,
    tell_address: Sender<SocketAddr>,
) -> io::Result<(u64, u64)> {
    let listener = R::bind((Ipv4Addr::LOCALHOST, 0).into()).await?;
    // The source waits for this.
    let _told = tell_address.send(R::local_addr(&listener)?);
    pass_on::<R>(R::accept(&listener).await?, target, hidden).await
}

/// Connects to `target`, and copies in both directions until both have ended.
pub(crate) async fn pass_on<R: Runtime>(
    mut client: R::Stream,
    target: SocketAddr,
    hidden: bool,
) -> io::Result<(u64, u64)> {
    let mut server = R::connect(target).await?;
    R::copy_bidirectional(&mut client, &mut server, hidden).await
}

/// Sends all pieces from a thread of its own, and waits until the other end has ended.
fn send(proxy: SocketAddr, load: Load) -> Result<End, Failure> {
    let source = thread::spawn(move || {
        let mut stream = TcpStream::connect(proxy)?;
        stream.set_nodelay(true)?;
        let mut piece = vec![7; load.piece];
        let start = Instant::now();
        for _ in 0..load.pieces {
            stream.write_all(&piece)?;
            if load.is_answered {
                stream.read_exact(&mut piece)?;
            }
        }
        stream.shutdown(Shutdown::Write)?;
        let left = stream.read(&mut piece)?;
        assert_eq!(left, 0, "nothing comes back but the answers");
        Ok(End { elapsed: start.elapsed(), cpu: Usage::of_this_thread()?.cpu })
    });
    let outcome: io::Result<End> = source.join().expect("the source does not panic");
    Ok(outcome?)
}

/// Receives the bytes, and sends the answers.
fn receive(listener: &TcpListener, load: Load) -> io::Result<End> {
    let start = Instant::now();
    let (mut stream, _) = listener.accept()?;
    stream.set_nodelay(true)?;
    let mut buffer = vec![0; load.piece];
    loop {
        let read = stream.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        if load.is_answered {
            stream.write_all(&buffer[..read])?;
        }
    }
    Ok(End { elapsed: start.elapsed(), cpu: Usage::of_this_thread()?.cpu })
}
