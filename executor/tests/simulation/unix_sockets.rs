//! Unix sockets stay within their host, and do there as they do on a system.

use std::fmt::Debug;
use std::io;
use std::net::Shutdown;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use wsrt::net::unix::SocketAddr;
use wsrt::net::{UnixDatagram, UnixListener, UnixSocket, UnixStream};
use wsrt::runtime::Runtime;
use wsrt::sim;
use wsrt::time::sleep;

/// The outcomes of calls, with the folder left out of names.
struct Seen {
    folder: PathBuf,
    lines: Vec<String>,
}

impl Seen {
    fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), lines: Vec::new() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn name(&self, address: &SocketAddr) -> String {
        match address.as_pathname() {
            Some(path) => path.strip_prefix(&self.folder).expect("all are in there").display().to_string(),
            None => String::new(),
        }
    }

    fn note<T: Debug>(&mut self, what: &str, outcome: io::Result<T>) {
        self.lines.push(format!("{what}: {:?}", outcome.map_err(|error| error.kind())));
    }

    fn note_datagram(&mut self, what: &str, buf: &[u8], outcome: io::Result<(usize, SocketAddr)>) {
        let seen = outcome.map(|(count, from)| (buf[..count].to_vec(), self.name(&from)));
        self.note(what, seen);
    }
}

async fn exchange_datagrams(seen: &mut Seen) -> io::Result<()> {
    let mut buf = [0; 4];
    let server = UnixDatagram::bind(seen.path("server"))?;
    let client = UnixDatagram::bind(seen.path("client"))?;
    seen.note("taken", UnixDatagram::bind(seen.path("server")).map(drop));
    seen.note("taken by datagrams", UnixListener::bind(seen.path("server")).map(drop));
    seen.note("too early", server.try_recv(&mut buf));
    seen.note("to nobody", client.send_to(b"who", seen.path("nobody")).await);
    seen.note("connect to nobody", client.connect(seen.path("nobody")));
    seen.note("not connected", client.send(b"who").await);
    seen.note("no peer", client.peer_addr().map(drop));

    seen.note("sent", client.send_to(b"longer", seen.path("server")).await);
    let peeked = server.peek_from(&mut buf).await;
    seen.note_datagram("peeked", &buf, peeked);
    let received = server.recv_from(&mut buf).await;
    seen.note_datagram("received", &buf, received);

    let nameless = UnixDatagram::unbound()?;
    nameless.connect(seen.path("server"))?;
    let peer = nameless.peer_addr().map(|peer| seen.name(&peer));
    seen.note("peer", peer);
    seen.note("sent by the nameless", nameless.send(b"").await);
    let received = server.recv_from(&mut buf).await;
    seen.note_datagram("of the nameless", &buf, received);

    server.connect(seen.path("client"))?;
    seen.note("of a stranger", nameless.send(b"no").await);
    seen.note("of the peer", client.send_to(b"yes", seen.path("server")).await);
    drop(server);
    seen.note("to the gone", nameless.send(b"no").await);

    let (one, other) = UnixDatagram::pair()?;
    seen.note("pair", one.send(b"pair").await);
    let received = other.recv_from(&mut buf).await;
    seen.note_datagram("of the pair", &buf, received);
    other.shutdown(Shutdown::Read)?;
    seen.note("to one that reads no more", one.send(b"no").await);
    one.shutdown(Shutdown::Write)?;
    seen.note("after its end", one.send(b"no").await);
    seen.note("too long", other.try_send(&vec![0; 1 << 20]).map_err(|_| io::ErrorKind::InvalidInput.into()));
    let late = UnixSocket::new_datagram()?;
    late.bind(seen.path("late"))?;
    let late = late.datagram()?;
    seen.note("to the late", client.send_to(b"late", seen.path("late")).await);
    let received = late.recv_from(&mut buf).await;
    seen.note_datagram("by the late", &buf, received);
    Ok(())
}

async fn exchange_streams(seen: &mut Seen) -> io::Result<()> {
    let socket = UnixSocket::new_stream()?;
    socket.bind(seen.path("listener"))?;
    seen.note("datagrams of a stream socket", UnixSocket::new_stream()?.datagram().map(drop));
    let listener = socket.listen(8)?;
    let socket = UnixSocket::new_stream()?;
    socket.bind(seen.path("caller"))?;
    let mut caller = socket.connect(seen.path("listener")).await?;
    let (mut accepted, from) = listener.accept().await?;
    seen.lines.push(seen.name(&from));
    let peer = seen.name(&caller.peer_addr()?);
    seen.lines.push(peer);
    caller.write_all(b"stream").await?;
    drop(caller);
    let mut heard = String::new();
    accepted.read_to_string(&mut heard).await?;
    seen.lines.push(heard);
    seen.note("no such", UnixStream::connect(seen.path("no such")).await.map(drop));
    Ok(())
}

/// Twice as many as a receiver's queue holds, whether the senders are connected or not.
async fn fill(seen: &mut Seen) -> io::Result<()> {
    const NUMBERS: u8 = 40;
    let receiver = UnixDatagram::bind(seen.path("receiver"))?;
    let (connected, unconnected) = (UnixDatagram::unbound()?, UnixDatagram::unbound()?);
    connected.connect(seen.path("receiver"))?;
    let path = seen.path("receiver");
    let one = wsrt::spawn(async move {
        for number in 0..NUMBERS {
            connected.send(&[number]).await?;
        }
        io::Result::Ok(())
    });
    let other = wsrt::spawn(async move {
        for number in 100..100 + NUMBERS {
            unconnected.send_to(&[number], &path).await?;
        }
        io::Result::Ok(())
    });
    sleep(Duration::from_millis(20)).await;
    let (full, mut buf, mut numbers) = (UnixDatagram::unbound()?, [0; 1], Vec::new());
    seen.note("full", full.try_send_to(&[0], seen.path("receiver")));
    while numbers.len() < 2 * usize::from(NUMBERS) {
        receiver.recv(&mut buf).await?;
        numbers.push(buf[0]);
    }
    one.await.expect("no panic")?;
    other.await.expect("no panic")?;
    let (one, other): (Vec<u8>, Vec<u8>) = numbers.iter().partition(|number| **number < 100);
    seen.lines.push(format!("{one:?} {other:?}"));
    Ok(())
}

async fn all(mut seen: Seen) -> Vec<String> {
    exchange_datagrams(&mut seen).await.expect("datagrams");
    exchange_streams(&mut seen).await.expect("streams");
    fill(&mut seen).await.expect("a full receiver");
    seen.lines
}

#[test]
fn unix_sockets_do_in_a_simulation_as_on_a_system() {
    let folder = std::env::temp_dir().join(format!("wsrt-sim-unix-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the sockets");
    let on_system = Runtime::new().expect("it starts").block_on(all(Seen::in_folder(&folder)));
    std::fs::remove_dir_all(&folder).expect("it was made above");
    for seed in 0..8 {
        let simulated = sim::run(seed, |_| all(Seen::in_folder("/run")));
        assert_eq!(simulated, on_system);
    }
}

#[test]
fn a_crash_closes_unix_sockets_and_frees_their_names() {
    sim::run(3, |sim| async move {
        let bound = Arc::new(std::sync::atomic::AtomicU32::new(0));
        let lives = bound.clone();
        sim.host("node", move || {
            let lives = lives.clone();
            async move {
                let _socket = UnixDatagram::bind("/run/node")?;
                lives.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                std::future::pending::<io::Result<()>>().await
            }
        });
        sleep(Duration::from_secs(1)).await;
        let outside = UnixDatagram::unbound().expect("it takes a descriptor");
        let error = outside.send_to(b"hello", "/run/node").await.expect_err("another host has that name");
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        sim.crash("node");
        sim.restart("node");
        sleep(Duration::from_secs(1)).await;
        assert_eq!(bound.load(std::sync::atomic::Ordering::Relaxed), 2, "the second life had the name");
    });
}
