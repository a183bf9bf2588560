//! Hosts reach each other by wsrt's sockets over a simulated network.

use std::io::{self, ErrorKind};
use std::time::Duration;

use wsrt::net::{TcpListener, TcpStream, UdpSocket, UnixListener, UnixStream, lookup_host};
use wsrt::sim::{self, Link, Sim};
use wsrt::time::{Instant, sleep, timeout};

const MILLI: Duration = Duration::from_millis(1);

/// A host that sends back what it gets.
async fn echo() -> io::Result<()> {
    echo_by(TcpListener::bind("0.0.0.0:7").await?).await
}

pub(super) async fn echo_by(listener: TcpListener) -> io::Result<()> {
    loop {
        let (mut stream, _) = listener.accept().await?;
        wsrt::spawn(async move {
            let mut buf = [0; 1_024];
            while let Ok(count @ 1..) = stream.read(&mut buf).await {
                stream.write_all(&buf[..count]).await?;
            }
            io::Result::Ok(())
        });
    }
}

/// Connects as soon as the host listens.
pub(super) async fn connect(to: &str) -> TcpStream {
    loop {
        match TcpStream::connect(to).await {
            Ok(stream) => return stream,
            Err(_) => sleep(MILLI).await,
        }
    }
}

pub(super) async fn ask(stream: &mut TcpStream, text: &str) -> io::Result<String> {
    stream.write_all(text.as_bytes()).await?;
    let mut heard = vec![0; text.len()];
    stream.read_exact(&mut heard).await?;
    Ok(String::from_utf8_lossy(&heard).into_owned())
}

pub(super) fn kind<T>(result: io::Result<T>) -> Option<ErrorKind> {
    result.err().map(|error| error.kind())
}

#[test]
fn a_stream_carries_bytes_both_ways_and_takes_time() {
    for seed in 0..50 {
        sim::run(seed, |sim| async move {
            sim.links(&Link::new().latency(10 * MILLI..11 * MILLI));
            let address = sim.host("server", echo);
            let mut stream = connect("server:7").await;
            assert_eq!(stream.peer_addr().expect("it is connected").ip(), address);
            let began = Instant::now();
            assert_eq!(ask(&mut stream, "hello").await.expect("it answers"), "hello");
            let elapsed = began.elapsed();
            assert!(elapsed >= 20 * MILLI && elapsed < 40 * MILLI, "seed {seed}: {elapsed:?}");
            stream.set_nodelay(true).expect("options can be set");
        });
    }
}

#[test]
fn one_seed_is_one_run_of_the_network_too() {
    let run = |seed| {
        sim::run(seed, |sim| async move {
            sim.links(&Link::new().loss(0.05));
            sim.host("server", echo);
            let clients: Vec<_> = (0..4)
                .map(|number| {
                    wsrt::spawn(async move {
                        let mut stream = connect("server:7").await;
                        for round in 0..5 {
                            let text = format!("{number}/{round}");
                            assert_eq!(ask(&mut stream, &text).await.expect("it answers"), text);
                        }
                    })
                })
                .collect();
            for client in clients {
                client.await.expect("it is answered");
            }
            (sim.record().hash(), sim.record().steps())
        })
    };
    for seed in 0..200 {
        let first = run(seed);
        assert_eq!(first, run(seed), "seed {seed}");
        assert_ne!(first, run(seed + 1_000));
    }
}

#[test]
fn a_sender_waits_for_a_reader_that_does_not_read() {
    sim::run(3, |sim| async move {
        sim.host("server", || async {
            let listener = TcpListener::bind("0.0.0.0:7").await?;
            let (mut stream, _) = listener.accept().await?;
            sleep(Duration::from_secs(5)).await;
            let mut all = Vec::new();
            stream.read_to_end(&mut all).await?;
            stream.write_all(&all.len().to_le_bytes()).await
        });
        let mut stream = connect("server:7").await;
        let began = Instant::now();
        stream.write_all(&vec![7; 1_000_000]).await.expect("it is read in the end");
        assert!(began.elapsed() > Duration::from_secs(4), "{:?}", began.elapsed());
        stream.shutdown().await.expect("it is open");
        let mut count = [0; 8];
        stream.read_exact(&mut count).await.expect("it answers");
        assert_eq!(u64::from_le_bytes(count), 1_000_000);
    });
}

#[test]
fn addresses_that_no_host_has_are_refused_by_name() {
    sim::run(1, |sim| async move {
        sim.host("server", || async {});
        assert_eq!(kind(TcpStream::connect("server:7").await), Some(ErrorKind::ConnectionRefused));
        let error = TcpStream::connect("93.184.215.14:80").await.expect_err("it is outside");
        assert_eq!(error.kind(), ErrorKind::NetworkUnreachable);
        assert!(error.to_string().contains("no host of this simulation"), "{error}");
        let error = lookup_host("example.com:80").await.map(drop).expect_err("it is outside");
        assert!(error.to_string().contains("no host of this simulation"), "{error}");
        assert_eq!(kind(TcpListener::bind("10.9.9.9:80").await), Some(ErrorKind::AddrNotAvailable));
        let _bound = TcpListener::bind("0.0.0.0:80").await.expect("it is free");
        assert_eq!(kind(TcpListener::bind("127.0.0.1:80").await), Some(ErrorKind::AddrInUse));
    });
}

#[test]
fn datagrams_are_lost_and_overtake_each_other() {
    let arrived = |seed| {
        sim::run(seed, |sim| async move {
            sim.links(&Link::new().latency(MILLI..20 * MILLI).loss(0.2));
            sim.host("sender", || async {
                let socket = UdpSocket::bind("0.0.0.0:0").await?;
                sleep(MILLI).await;
                for number in 0..50_u8 {
                    socket.send_to(&[number], "receiver:9").await?;
                    sleep(MILLI).await;
                }
                io::Result::Ok(())
            });
            let (tell, mut told) = wsrt::sync::mpsc::unbounded_channel();
            sim.host("receiver", move || {
                let tell = tell.clone();
                async move {
                    let socket = UdpSocket::bind("0.0.0.0:9").await?;
                    let mut buf = [0; 8];
                    loop {
                        let (_, from) = socket.recv_from(&mut buf).await?;
                        let _ = tell.send((buf[0], from.ip()));
                    }
                    #[expect(unreachable_code, reason = "it says what errors there are")]
                    io::Result::Ok(())
                }
            });
            sleep(Duration::from_secs(1)).await;
            let mut numbers = Vec::new();
            while let Ok((number, from)) = told.try_recv() {
                assert_eq!(from, lookup_host("sender:0").await.expect("a host").next().expect("one").ip());
                numbers.push(number);
            }
            numbers
        })
    };
    let numbers = arrived(5);
    assert_eq!(numbers, arrived(5));
    assert!((25..49).contains(&numbers.len()), "{numbers:?}");
    assert!(!numbers.is_sorted(), "{numbers:?}");
}

#[test]
fn unix_streams_stay_within_their_host() {
    sim::run(2, |sim| async move {
        let (near, mut far) = UnixStream::pair().expect("it takes a descriptor");
        let mut near = near;
        near.write_all(b"pair").await.expect("there is room");
        let mut heard = [0; 4];
        far.read_exact(&mut heard).await.expect("it comes");
        assert_eq!(&heard, b"pair");
        sim.host("node", || async {
            let listener = UnixListener::bind("/run/node.sock").expect("no file is made");
            let server = wsrt::spawn(async move {
                let (mut stream, _) = listener.accept().await?;
                stream.write_all(b"hello").await
            });
            let mut heard = String::new();
            UnixStream::connect("/run/node.sock").await?.read_to_string(&mut heard).await?;
            assert_eq!(heard, "hello");
            server.await.expect("no panic")
        });
        sleep(Duration::from_secs(1)).await;
        assert_eq!(kind(UnixStream::connect("/run/node.sock").await), Some(ErrorKind::NotFound));
    });
}

/// A stream to an echoing server, and what becomes of it after `then`.
async fn answer_after(sim: &Sim, then: impl FnOnce(&Sim)) -> Option<ErrorKind> {
    sim.host("client", || async {});
    sim.host("server", echo);
    let mut stream = connect("server:7").await;
    ask(&mut stream, "before").await.expect("it answers");
    then(sim);
    kind(timeout(Duration::from_secs(7_200), ask(&mut stream, "after")).await.expect("it is given up before"))
}

#[test]
fn a_crash_is_silent_until_the_peer_sends() {
    for seed in 0..20 {
        sim::run(seed, |sim| async move {
            let after = answer_after(&sim, |sim| sim.crash("server")).await;
            assert_eq!(after, Some(ErrorKind::TimedOut), "seed {seed}: no host answers");
        });
        sim::run(seed, |sim| async move {
            let after = answer_after(&sim, |sim| sim.restart("server")).await;
            assert_eq!(after, Some(ErrorKind::ConnectionReset), "seed {seed}: the new life knows nothing of it");
            let mut stream = connect("server:7").await;
            assert_eq!(ask(&mut stream, "again").await.expect("it answers"), "again");
        });
    }
}

#[test]
fn a_partition_holds_streams_up_until_it_is_healed() {
    for seed in 0..20 {
        sim::run(seed, |sim| async move {
            let (tell, told) = wsrt::sync::oneshot::channel();
            let tell = std::sync::Mutex::new(Some(tell));
            sim.host("server", echo);
            sim.host("client", move || {
                let tell = tell.lock().expect("no panic").take();
                async move {
                    let mut stream = connect("server:7").await;
                    ask(&mut stream, "before").await?;
                    sleep(Duration::from_secs(1)).await;
                    let began = Instant::now();
                    let answer = ask(&mut stream, "through").await;
                    drop(tell.map(|tell| tell.send((answer.ok(), began.elapsed()))));
                    io::Result::Ok(())
                }
            });
            sleep(500 * MILLI).await;
            sim.partition("client", "server");
            sleep(Duration::from_secs(10)).await;
            sim.heal("client", "server");
            let (answer, took) = told.await.expect("it tells");
            assert_eq!(answer.as_deref(), Some("through"), "seed {seed}");
            assert!(took > Duration::from_secs(8), "seed {seed}: {took:?}");
        });
    }
}

#[test]
fn a_crash_drops_the_tasks_of_its_host_only() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    sim::run(4, |sim| async move {
        let beats = [(); 2].map(|()| Arc::new(AtomicUsize::new(0)));
        for (name, beats) in ["one", "other"].into_iter().zip(&beats) {
            let beats = Arc::clone(beats);
            sim.host(name, move || {
                let beats = Arc::clone(&beats);
                async move {
                    // In a task that a task of the host has spawned.
                    wsrt::spawn(async move {
                        loop {
                            beats.fetch_add(1, SeqCst);
                            sleep(MILLI).await;
                        }
                    });
                }
            });
        }
        sleep(100 * MILLI).await;
        sim.crash("one");
        let before = beats.each_ref().map(|beats| beats.load(SeqCst));
        sleep(100 * MILLI).await;
        let after = beats.each_ref().map(|beats| beats.load(SeqCst));
        assert!(before[0] > 50 && after[0] == before[0], "{before:?} {after:?}");
        assert!(after[1] > before[1] + 50, "{before:?} {after:?}");
        sim.restart("one");
        sleep(100 * MILLI).await;
        assert!(beats[0].load(SeqCst) > after[0] + 50);
    });
}

#[test]
fn reset_streams_fail_on_both_sides() {
    sim::run(9, |sim| async move {
        sim.host("server", || async {
            let listener = TcpListener::bind("0.0.0.0:7").await.expect("it is free");
            let (mut stream, _) = listener.accept().await.expect("it connects");
            assert_eq!(kind(stream.read(&mut [0; 8]).await), Some(ErrorKind::ConnectionReset));
        });
        sim.host("client", || async {
            let mut stream = connect("server:7").await;
            assert_eq!(kind(stream.read(&mut [0; 8]).await), Some(ErrorKind::ConnectionReset));
        });
        sleep(Duration::from_secs(1)).await;
        sim.reset_streams("client", "server");
        sleep(Duration::from_secs(1)).await;
    });
}
