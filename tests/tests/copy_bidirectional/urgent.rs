//! Bytes behind urgent data are copied, though the kernel stops a splice in front of it.

use wsrt::net::TcpStream;

use crate::{Outcome, Way, both, on_both, pattern, proxied};

/// A sender whose bulk has gone through already, so that between sockets the pipe is in use.
async fn behind_bulk(way: Way) -> (std::net::TcpStream, TcpStream, Outcome) {
    const BULK: usize = 1024 * 1024;
    let (mut client, mut server, proxy) = proxied(way).await;
    let bulk = pattern(BULK, 1);
    let (sent, received) = both(client.write_all(&bulk), async {
        let mut received = vec![0; BULK];
        server.read_exact(&mut received).await.map(|_| received)
    })
    .await;
    sent.expect("the proxy reads");
    assert!(received.expect("the proxy writes") == bulk);
    (client.into_std().expect("it is a socket"), server, proxy)
}

/// Sends `before`, an urgent byte, and `behind`. No part of it waits for a reader.
#[cfg(target_os = "linux")]
fn send_around_urgent(client: &std::net::TcpStream, before: &[u8], behind: &[u8]) {
    let client = socket2::SockRef::from(client);
    assert_eq!(client.send(before).expect("there is room"), before.len());
    assert_eq!(client.send_out_of_band(b"!").expect("there is room"), 1);
    assert_eq!(client.send(behind).expect("there is room"), behind.len());
}

#[cfg(target_os = "linux")]
#[test]
fn what_comes_behind_urgent_data_is_copied_while_open() {
    on_both(|| async {
        for way in [Way::Splice, Way::Buffer] {
            for before in [&b""[..], b"before "] {
                let (client, mut server, proxy) = behind_bulk(way).await;
                for piece in 0..3 {
                    let mut received = vec![0; before.len() + 6];
                    send_around_urgent(&client, before, b"behind");
                    server.read_exact(&mut received).await.expect("all of it comes");
                    assert_eq!(received, [before, b"behind"].concat(), "{way:?}, piece {piece}");
                }
                // And much, for which the pipe was opened.
                let bulk = pattern(100_000, 2);
                send_around_urgent(&client, before, &bulk);
                let mut received = vec![0; before.len() + bulk.len()];
                server.read_exact(&mut received).await.expect("all of it comes");
                assert!(received == [before, &bulk].concat(), "{way:?}");
                drop((client, server));
                assert!(proxy.await.expect("no panic").is_ok());
            }
        }
    });
}

#[cfg(target_os = "linux")]
#[test]
fn what_comes_behind_urgent_data_is_copied_before_the_end() {
    on_both(|| async {
        for way in [Way::Splice, Way::Buffer] {
            for before in [&b""[..], b"before "] {
                let (client, mut server, proxy) = behind_bulk(way).await;
                let bulk = pattern(100_000, 2);
                send_around_urgent(&client, before, &bulk);
                client.shutdown(std::net::Shutdown::Write).expect("it is connected");
                let mut received = Vec::new();
                server.read_to_end(&mut received).await.expect("no error");
                assert_eq!(received.len(), before.len() + bulk.len(), "{way:?}");
                assert!(received == [before, &bulk].concat(), "{way:?}");
                drop(server);
                let (there, _) = proxy.await.expect("no panic").expect("no error");
                assert_eq!(there, (1024 * 1024 + received.len()) as u64);
            }
        }
    });
}
