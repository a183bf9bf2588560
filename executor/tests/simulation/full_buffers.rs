//! Full buffers: for a while the sockets of a host take little at a time, or nothing.

use std::io::{self, ErrorKind};
use std::time::Duration;

use wsrt::io::{AsyncReadExt, AsyncWriteExt};
use wsrt::net::{TcpListener, UdpSocket, UnixDatagram};
use wsrt::sim::{self, Faults, Plan, Record, Sim};
use wsrt::time::{Instant, sleep};

use crate::network::{connect, kind};

const SECOND: Duration = Duration::from_secs(1);

/// Takes all that one stream sends, and tells how much that was.
async fn sink() -> io::Result<()> {
    let listener = TcpListener::bind("0.0.0.0:7").await?;
    loop {
        let (mut stream, _) = listener.accept().await?;
        wsrt::spawn(async move {
            let mut all = Vec::new();
            stream.read_to_end(&mut all).await?;
            let is_whole = all.iter().enumerate().all(|(at, byte)| *byte == at as u8);
            stream.write_u32(if is_whole { all.len() as u32 } else { 0 }).await
        });
    }
}

fn bytes(count: usize) -> Vec<u8> {
    (0..count).map(|at| at as u8).collect()
}

/// Runs `main` on a host beside a sink, and returns what it has returned.
async fn on_host<T, F>(sim: &Sim, main: fn() -> F) -> T
where
    T: Send + 'static,
    F: Future<Output = io::Result<T>> + Send + 'static,
{
    sim.host("sink", sink);
    let (sender, mut receiver) = wsrt::sync::mpsc::channel(1);
    sim.host("node", move || {
        let sender = sender.clone();
        async move { sender.send(main().await.expect("no call fails")).await.expect("the test waits") }
    });
    receiver.recv().await.expect("the host tells")
}

#[test]
fn a_stream_takes_parts_and_keeps_their_order() {
    for seed in 0..20 {
        sim::run(seed, |sim| async move {
            let (parts, took) = on_host(&sim, || async {
                let mut stream = connect("sink:7").await;
                Sim::current().fill_buffers("node");
                assert_eq!(kind(stream.try_write(b"x")), Some(ErrorKind::WouldBlock));
                let (all, began, mut parts) = (bytes(2_000), Instant::now(), Vec::new());
                while parts.iter().sum::<usize>() < all.len() {
                    parts.push(stream.write(&all[parts.iter().sum()..]).await?);
                }
                stream.shutdown().await?;
                assert_eq!(stream.read_u32().await?, 2_000);
                Ok((parts, began.elapsed()))
            })
            .await;
            assert!(parts.len() > 30 && parts.iter().all(|part| (1..=64).contains(part)), "seed {seed}: {parts:?}");
            assert!(took > SECOND / 10 && took < 10 * SECOND, "seed {seed}: {took:?}");
        });
    }
}

#[test]
fn a_stream_made_meanwhile_is_full_too_and_free_after() {
    sim::run(3, |sim| async move {
        on_host(&sim, || async {
            let sim = Sim::current();
            sim.fill_buffers("node");
            let mut stream = connect("sink:7").await;
            assert!(stream.write(&bytes(1_000)).await? <= 64);
            sim.free_buffers("node");
            assert_eq!(stream.write(&bytes(1_000)).await?, 1_000);
            Ok(())
        })
        .await;
    });
}

/// The writer waits already when the buffers are freed: nothing else would wake it.
#[test]
fn freeing_buffers_wakes_the_writers_that_wait() {
    for seed in 0..20 {
        sim::run(seed, |sim| async move {
            let took = on_host(&sim, || async {
                let mut stream = connect("sink:7").await;
                let sim = Sim::current();
                sim.fill_buffers("node");
                let began = Instant::now();
                let writer = wsrt::spawn(async move { stream.write_all(&bytes(60_000)).await });
                sleep(SECOND / 10).await;
                assert!(!writer.is_finished());
                sim.free_buffers("node");
                writer.await.expect("no panic")?;
                Ok(began.elapsed())
            })
            .await;
            assert!(took < SECOND / 8, "seed {seed}: {took:?}");
        });
    }
}

#[test]
fn a_datagram_that_finds_no_room_waits_for_it() {
    sim::run(5, |sim| async move {
        on_host(&sim, || async {
            let socket = UdpSocket::bind("0.0.0.0:9").await?;
            let (near, far) = UnixDatagram::pair()?;
            Sim::current().fill_buffers("node");
            let to = socket.local_addr()?;
            assert_eq!(kind(socket.try_send_to(b"now", to)), Some(ErrorKind::WouldBlock));
            assert_eq!(kind(near.try_send(b"now")), Some(ErrorKind::WouldBlock));
            let began = Instant::now();
            let mut buf = [0; 8];
            for number in 0..20 {
                socket.send_to(&[number], to).await?;
                assert_eq!((socket.recv_from(&mut buf).await?.0, buf[0]), (1, number), "each is whole");
                near.send(&[number]).await?;
                assert_eq!((far.recv(&mut buf).await?, buf[0]), (1, number), "each is whole");
            }
            assert!(began.elapsed() > SECOND / 50, "{:?}", began.elapsed());
            Ok(())
        })
        .await;
    });
}

#[test]
fn buffers_are_full_while_a_fault_or_program_says_so() {
    sim::run(5, |sim| async move {
        sim.inject(&"at 1s buffers full node for 2s; at 2s buffers full node for 2s".parse().expect("a plan"));
        let seen = on_host(&sim, || async {
            let (sim, mut stream) = (Sim::current(), connect("sink:7").await);
            let mut seen = Vec::new();
            for moment in 0..7 {
                match moment {
                    // A fault goes on.
                    2 => {
                        sim.fill_buffers("node");
                        sim.free_buffers("node");
                    }
                    3 => sim.fill_buffers("node"),
                    6 => sim.free_buffers("node"),
                    _ => {}
                }
                seen.push(stream.write(&bytes(1_000)).await? < 1_000);
                sleep(SECOND - Duration::from_millis(60)).await;
                // It ends in the middle of a second.
                if moment == 0 {
                    sleep(SECOND / 2).await;
                }
            }
            Ok(seen)
        })
        .await;
        assert_eq!(seen, [false, true, true, true, true, true, false]);
    });
}

/// A client that sends to a sink again and again, with the faults of the seed, or those of a plan.
fn run(seed: u64, plan: Option<Plan>) -> (Record, Plan) {
    sim::run(seed, |sim| async move {
        sim.host("sink", sink);
        sim.host("node", || async {
            loop {
                let mut stream = connect("sink:7").await;
                stream.write_all(&bytes(500)).await?;
                stream.shutdown().await?;
                assert_eq!(stream.read_u32().await?, 500);
                sleep(SECOND / 20).await;
            }
            #[expect(unreachable_code, reason = "it says what errors there are")]
            io::Result::Ok(())
        });
        match plan {
            Some(plan) => sim.inject(&plan),
            None => sim.random_faults(Faults::new(10 * SECOND).full_buffers()),
        }
        sleep(12 * SECOND).await;
        (sim.record(), sim.plan())
    })
}

#[test]
fn a_run_with_full_buffers_repeats_by_its_plan() {
    for seed in 0..8 {
        let (record, plan) = run(seed, None);
        let text = plan.to_string();
        assert!(text.contains(" buffers full node for ") && text.contains(" buffers full sink for "), "{text}");
        let again = run(seed, Some(text.parse().expect("it is a plan")));
        assert_eq!(again, (record, plan), "seed {seed}: {text}");
        assert_ne!(run(seed, Some(Plan::default())).0.hash(), record.hash(), "seed {seed}");
    }
}
