//! QUIC on wsrt by quinn: a server that echoes, on each stream of each connection.
//! `cargo run --release --example quic_server -- 127.0.0.1:4433 certificate.pem key.pem`
//!
//! quinn has its own runtime trait: the crate wsrt-quinn implements it.

use std::env;
use std::error::Error;
use std::net::UdpSocket;
use std::sync::Arc;

use quinn::{Endpoint, EndpointConfig, Incoming, ServerConfig};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use wsrt_quinn::QuinnOnWsrt;

/// The most that is read from one stream.
const LIMIT: usize = 1 << 20;

#[wsrt::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let [address, certificate, key] = &env::args().skip(1).collect::<Vec<_>>()[..] else {
        return Err("usage: quic_server ADDRESS CERTIFICATE.pem KEY.pem".into());
    };
    let certificates = CertificateDer::pem_file_iter(certificate)?.collect::<Result<_, _>>()?;
    let config = ServerConfig::with_single_cert(certificates, PrivateKeyDer::from_pem_file(key)?)?;
    let socket = UdpSocket::bind(address)?;
    let endpoint = Endpoint::new(EndpointConfig::default(), Some(config), socket, Arc::new(QuinnOnWsrt))?;
    println!("listening on {}", endpoint.local_addr()?);

    let serving = endpoint.clone();
    wsrt::spawn(async move {
        while let Some(incoming) = serving.accept().await {
            wsrt::spawn(async move {
                if let Err(error) = serve(incoming).await {
                    println!("a connection ended: {error}");
                }
            });
        }
    });
    wsrt::signal::ctrl_c().await?;
    endpoint.close(0_u32.into(), b"the server ends");
    endpoint.wait_idle().await;
    Ok(())
}

async fn serve(incoming: Incoming) -> Result<(), Box<dyn Error + Send + Sync>> {
    let connection = incoming.await?;
    loop {
        let (mut send, mut receive) = connection.accept_bi().await?;
        wsrt::spawn(async move {
            // A client that has closed its stream, or the connection, gets no answer.
            if let Ok(request) = receive.read_to_end(LIMIT).await {
                let _ = send.write_all(&request).await;
                let _ = send.finish();
            }
        });
    }
}
