//! Datagrams, Unix streams and pipes serve tasks on both kinds of runtime, however many wait, and
//! wherever they run.

use std::io;
use std::sync::Arc;

use wsrt::net::UdpSocket;
use wsrt::runtime::Builder;
use wsrt::task::JoinSet;
use wsrt_tests::within_a_minute;

/// Runs an async test on a runtime of each flavor.
#[track_caller]
fn on_every_flavor<F>(test: impl Fn() -> F + Send + 'static)
where
    F: Future<Output = io::Result<()>> + Send + 'static,
{
    within_a_minute(move || {
        let many = Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
        many.run(test()).expect("the sockets work");
        let one = Builder::new_current_thread().build().expect("a runtime");
        one.block_on(test()).expect("the sockets work");
    });
}

#[test]
fn one_udp_socket_serves_many_tasks_in_both_directions() {
    on_every_flavor(|| async {
        const CLIENTS: u32 = 16;
        const TURNS: u32 = 50;
        let server = Arc::new(UdpSocket::bind("127.0.0.1:0").await?);
        let address = server.local_addr()?;
        let mut servers = JoinSet::new();
        for _ in 0..4 {
            let server = Arc::clone(&server);
            servers.spawn(async move {
                loop {
                    let mut datagram = [0; 8];
                    let (length, from) = server.recv_from(&mut datagram).await?;
                    server.send_to(&datagram[..length], from).await?;
                }
                #[expect(unreachable_code, reason = "names the type of the error")]
                io::Result::Ok(())
            });
        }
        let mut clients = JoinSet::new();
        for client in 0..CLIENTS {
            clients.spawn(async move {
                let socket = UdpSocket::bind("127.0.0.1:0").await?;
                socket.connect(address).await?;
                for turn in 0..TURNS {
                    let question = (client * TURNS + turn).to_ne_bytes();
                    socket.send(&question).await?;
                    let mut answer = [0; 8];
                    assert_eq!(socket.recv(&mut answer).await?, question.len());
                    assert_eq!(answer[..4], question);
                }
                io::Result::Ok(())
            });
        }
        for client in clients.join_all().await {
            client?;
        }
        servers.shutdown().await;
        Ok(())
    });
}

#[cfg(unix)]
mod unix {
    use super::*;
    use wsrt::net::unix::pipe;
    use wsrt::net::{UnixDatagram, UnixStream};

    #[test]
    fn the_halves_of_a_unix_stream_work_in_two_tasks() {
        on_every_flavor(|| async {
            const LENGTH: usize = 4 << 20;
            let (near, far) = UnixStream::pair()?;
            let (mut near_read, mut near_write) = near.into_split();
            let (mut far_read, mut far_write) = far.into_split();
            // Everything that is sent comes back, and both directions are full at times.
            let echo = wsrt::spawn(async move {
                let mut buffer = [0; 4096];
                loop {
                    match far_read.read(&mut buffer).await? {
                        0 => return io::Result::Ok(()),
                        count => far_write.write_all(&buffer[..count]).await?,
                    }
                }
            });
            let sent: Vec<u8> = (0..LENGTH).map(|at| (at ^ (at >> 8)) as u8).collect();
            let expected = sent.clone();
            let sending = wsrt::spawn(async move { near_write.write_all(&sent).await });
            let mut received = Vec::new();
            near_read.read_to_end(&mut received).await?;
            sending.await??;
            echo.await??;
            assert!(received == expected, "the bytes differ");
            Ok(())
        });
    }

    #[test]
    fn unix_datagrams_are_neither_lost_nor_reordered() {
        on_every_flavor(|| async {
            const COUNT: u32 = 2_000;
            let (near, far) = UnixDatagram::pair()?;
            let sending = wsrt::spawn(async move {
                for number in 0..COUNT {
                    near.send(&number.to_ne_bytes()).await?;
                }
                io::Result::Ok(())
            });
            for number in 0..COUNT {
                let mut datagram = [0; 4];
                assert_eq!(far.recv(&mut datagram).await?, 4);
                assert_eq!(u32::from_ne_bytes(datagram), number);
            }
            sending.await?
        });
    }

    #[test]
    fn a_chain_of_pipes_carries_everything_to_its_end() {
        on_every_flavor(|| async {
            const LENGTH: usize = 1 << 20;
            let (mut first, mut last) = pipe::pipe()?;
            let mut carriers = JoinSet::new();
            for _ in 0..8 {
                let (mut sender, receiver) = pipe::pipe()?;
                let mut from = std::mem::replace(&mut last, receiver);
                carriers.spawn(async move {
                    let mut buffer = [0; 3000];
                    loop {
                        match from.read(&mut buffer).await? {
                            0 => return io::Result::Ok(()),
                            count => sender.write_all(&buffer[..count]).await?,
                        }
                    }
                });
            }
            let sent: Vec<u8> = (0..LENGTH).map(|at| (at ^ (at >> 8)) as u8).collect();
            let expected = sent.clone();
            let sending = wsrt::spawn(async move { first.write_all(&sent).await });
            let mut received = Vec::new();
            last.read_to_end(&mut received).await?;
            sending.await??;
            for carrier in carriers.join_all().await {
                carrier?;
            }
            assert!(received == expected, "the bytes differ");
            Ok(())
        });
    }
}
