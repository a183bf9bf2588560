//! A proxy copies between streams of the simulation, whose bytes no descriptor of the system has.

use std::io;
use std::time::Duration;

use wsrt::io::copy_bidirectional;
use wsrt::net::{TcpListener, TcpStream};
use wsrt::sim::{self, Sim};
use wsrt::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::network::connect;

/// Of each direction, and more than a stream has room for.
const SIZE: usize = 1 << 20;

fn bytes(from: usize) -> Vec<u8> {
    (from..from + SIZE).map(|index| (index % 251) as u8).collect()
}

/// Adds a proxy for one connection to the server. Its outcome comes out of the receiver.
fn add_proxy(sim: &Sim) -> UnboundedReceiver<io::Result<(u64, u64)>> {
    let (tell, told) = unbounded_channel();
    sim.host("proxy", move || {
        let tell = tell.clone();
        async move {
            let listener = TcpListener::bind("0.0.0.0:81").await?;
            let (mut client, _) = listener.accept().await?;
            let mut server = TcpStream::connect("server:80").await?;
            let _ = tell.send(copy_bidirectional(&mut client, &mut server).await);
            io::Result::Ok(())
        }
    });
    told
}

#[test]
fn a_proxy_passes_bulk_both_ways_at_once() {
    let run = |seed| {
        sim::run(seed, |sim| async move {
            sim.host("server", async || {
                let (mut stream, _) = TcpListener::bind("0.0.0.0:80").await?.accept().await?;
                let (mut read, mut write) = stream.split();
                let mut question = Vec::new();
                let sends = async {
                    write.write_all(&bytes(7)).await?;
                    write.shutdown().await
                };
                let (received, sent) = wsrt::join!(read.read_to_end(&mut question), sends);
                sent.and(received)?;
                assert!(question == bytes(0), "{} bytes", question.len());
                io::Result::Ok(())
            });
            let mut outcome = add_proxy(&sim);
            let (mut read, mut write) = connect("proxy:81").await.into_split();
            let sent = wsrt::spawn(async move {
                write.write_all(&bytes(0)).await?;
                write.shutdown().await
            });
            let mut answer = Vec::new();
            read.read_to_end(&mut answer).await.expect("the server ends it");
            sent.await.expect("it does not panic").expect("the proxy reads");
            assert!(answer == bytes(7), "{} bytes", answer.len());
            let copied = outcome.recv().await.expect("the proxy tells").expect("it copies all");
            assert_eq!(copied, (SIZE as u64, SIZE as u64), "seed {seed}");
            sim.record().hash()
        })
    };
    for seed in 0..4 {
        assert_eq!(run(seed), run(seed), "seed {seed}");
    }
}

/// Each side has said all before the other begins.
#[test]
fn a_proxy_passes_bulk_after_each_half_close() {
    for seed in 0..4 {
        sim::run(seed, |sim| async move {
            sim.deadline(Duration::from_secs(600));
            sim.host("server", async || {
                let (mut stream, _) = TcpListener::bind("0.0.0.0:80").await?.accept().await?;
                let mut question = Vec::new();
                stream.read_to_end(&mut question).await?;
                assert!(question == bytes(0), "{} bytes", question.len());
                stream.write_all(&bytes(7)).await?;
                stream.shutdown().await
            });
            let mut outcome = add_proxy(&sim);
            let mut stream = connect("proxy:81").await;
            stream.write_all(&bytes(0)).await.expect("the proxy reads");
            stream.shutdown().await.expect("it is connected");
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer).await.expect("the server ends it");
            assert!(answer == bytes(7), "{} bytes", answer.len());
            let copied = outcome.recv().await.expect("the proxy tells").expect("it copies all");
            assert_eq!(copied, (SIZE as u64, SIZE as u64), "seed {seed}");
        });
    }
}

/// A Unix stream's descriptor is refused by the kernel in another way.
#[test]
#[cfg(target_os = "linux")]
fn copies_between_unix_streams_pass_bulk_too() {
    use wsrt::net::UnixStream;
    sim::run(1, |_| async {
        let (mut client, mut one) = UnixStream::pair().expect("the simulation has them");
        let (mut other, mut server) = UnixStream::pair().expect("the simulation has them");
        let copied = wsrt::spawn(async move { copy_bidirectional(&mut one, &mut other).await });
        let sent = wsrt::spawn(async move {
            client.write_all(&bytes(0)).await?;
            client.shutdown().await
        });
        let mut question = Vec::new();
        server.read_to_end(&mut question).await.expect("the client ends it");
        assert!(question == bytes(0), "{} bytes", question.len());
        drop(server);
        sent.await.expect("it does not panic").expect("the copy reads");
        assert_eq!(copied.await.expect("it does not panic").expect("it copies all"), (SIZE as u64, 0));
    });
}
