//! quinn unchanged, with its tokio runtime, at both ends.

use std::net::SocketAddr;
use std::sync::Arc;

use quinn::{ClientConfig, Connection, Endpoint, ServerConfig};
use rustls::RootCertStore;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::task::JoinSet;
use wsrt_drop_in_here::{assert_is_a_task_of_wsrt, assert_no_thread_is_tokio_s, assert_wsrt_runs_a_task_of};

/// Makes both sides of a certificate that is new.
fn configurations() -> (ServerConfig, ClientConfig) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate is to be had");
    let certificate = CertificateDer::from(made.cert);
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let server = ServerConfig::with_single_cert(vec![certificate.clone()], key).expect("they fit");
    let mut roots = RootCertStore::empty();
    roots.add(certificate).expect("a good certificate");
    (server, ClientConfig::with_root_certificates(Arc::new(roots)).expect("good roots"))
}

async fn serve(endpoint: Endpoint) {
    while let Some(incoming) = endpoint.accept().await {
        let connection = incoming.await.expect("a good client");
        assert_is_a_task_of_wsrt();
        tokio::spawn(echo(connection));
    }
}

async fn echo(connection: Connection) {
    while let Ok((mut send, mut receive)) = connection.accept_bi().await {
        tokio::spawn(async move {
            assert_is_a_task_of_wsrt();
            // On tokio's traits, which quinn's streams have.
            tokio::io::copy(&mut receive, &mut send).await.expect("the client reads");
            send.finish().expect("it is open");
        });
    }
}

async fn connect(server: SocketAddr, config: ClientConfig) -> (Endpoint, Connection) {
    let endpoint = Endpoint::client("127.0.0.1:0".parse().expect("an address")).expect("there is a free port");
    let connecting = endpoint.connect_with(config, server, "localhost").expect("a good name");
    let connection = connecting.await.expect("a good server");
    (endpoint, connection)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_streams_of_a_connection_come_back() {
    let (server, client) = configurations();
    let server = Endpoint::server(server, "127.0.0.1:0".parse().expect("an address")).expect("there is a free port");
    let address = server.local_addr().expect("it is bound");
    let serving = tokio::spawn(serve(server.clone()));
    let (endpoint, connection) = connect(address, client).await;
    assert_wsrt_runs_a_task_of("/quinn-0");

    let mut streams = JoinSet::new();
    for n in 0..50_u8 {
        let connection = connection.clone();
        streams.spawn(async move {
            let (mut send, mut receive) = connection.open_bi().await.expect("one more");
            let writing = tokio::spawn(async move {
                send.write_all(&[n; 100_000]).await.expect("the server reads");
                send.finish().expect("it is open");
            });
            let echo = receive.read_to_end(200_000).await.expect("the server writes");
            writing.await.expect("no panic");
            assert!(echo == [n; 100_000], "{} bytes came back on stream {n}", echo.len());
        });
    }
    streams.join_all().await;
    assert_no_thread_is_tokio_s();
    connection.close(0_u32.into(), b"done");
    endpoint.wait_idle().await;
    server.close(0_u32.into(), b"done");
    serving.await.expect("it ends with its endpoint");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn datagrams_arrive() {
    let (server, client) = configurations();
    let server = Endpoint::server(server, "127.0.0.1:0".parse().expect("an address")).expect("there is a free port");
    let address = server.local_addr().expect("it is bound");
    let accepting = tokio::spawn(async move {
        let connection = server.accept().await.expect("it is open").await.expect("a good client");
        connection.read_datagram().await.expect("one arrives")
    });
    let (_endpoint, connection) = connect(address, client).await;
    // Datagrams may be lost, so send until one was read.
    while !accepting.is_finished() {
        let _ = connection.send_datagram(bytes::Bytes::from_static(b"hello"));
        tokio::task::yield_now().await;
    }
    assert_eq!(&accepting.await.expect("no panic")[..], b"hello");
}
