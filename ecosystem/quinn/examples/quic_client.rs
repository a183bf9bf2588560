//! QUIC on wsrt by quinn: a client that opens a hundred streams at once and checks the answers.
//! `cargo run --release --example quic_client -- 127.0.0.1:4433 certificate.pem`

use std::env;
use std::error::Error;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;

use quinn::{ClientConfig, Connection, Endpoint, EndpointConfig};
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use wsrt::task::JoinSet;
use wsrt_quinn::QuinnOnWsrt;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

#[wsrt::main]
async fn main() -> Result<()> {
    let [address, certificate] = &env::args().skip(1).collect::<Vec<_>>()[..] else {
        return Err("usage: quic_client ADDRESS CERTIFICATE.pem".into());
    };
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(certificate)?)?;
    let socket = UdpSocket::bind("127.0.0.1:0")?;
    let mut endpoint = Endpoint::new(EndpointConfig::default(), None, socket, Arc::new(QuinnOnWsrt))?;
    endpoint.set_default_client_config(ClientConfig::with_root_certificates(Arc::new(roots))?);

    let connection = endpoint.connect(address.parse::<SocketAddr>()?, "localhost")?.await?;
    let mut streams = JoinSet::new();
    for number in 0..100 {
        streams.spawn(ask(connection.clone(), vec![number; 10_000 * usize::from(number)]));
    }
    let mut bytes = 0;
    while let Some(count) = streams.join_next().await {
        bytes += count??;
    }
    println!("{bytes} bytes came back");
    connection.close(0_u32.into(), b"done");
    endpoint.wait_idle().await;
    Ok(())
}

/// Sends a request on its own stream, and counts the bytes that come back.
async fn ask(connection: Connection, request: Vec<u8>) -> Result<usize> {
    let (mut send, mut receive) = connection.open_bi().await?;
    send.write_all(&request).await?;
    send.finish()?;
    let answer = receive.read_to_end(request.len()).await?;
    if answer == request { Ok(answer.len()) } else { Err("something else came back".into()) }
}
