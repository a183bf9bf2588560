//! HTTPS on wsrt: an axum router behind tokio-rustls, with HTTP/2 for clients that request it.
//! `cargo run --release --example tls -- 127.0.0.1:8443 certificate.pem key.pem`
//!
//! tokio-rustls needs nothing of tokio but its I/O traits. The handshake is done in each
//! connection's own task.

use std::env;
use std::error::Error;
use std::sync::Arc;

use axum::Router;
use axum::http::Version;
use axum::routing::get;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;
use wsrt::hyper::TokioIo;
use wsrt::net::TcpListener;

#[wsrt::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let [address, certificate, key] = &env::args().skip(1).collect::<Vec<_>>()[..] else {
        return Err("usage: tls ADDRESS CERTIFICATE.pem KEY.pem".into());
    };
    let certificates = CertificateDer::pem_file_iter(certificate)?.collect::<Result<_, _>>()?;
    let mut config = rustls::ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(certificates, PrivateKeyDer::from_pem_file(key)?)?;
    config.alpn_protocols = vec![b"h2".into(), b"http/1.1".into()];
    let acceptor = TlsAcceptor::from(Arc::new(config));

    let router = Router::new().route("/", get(|version: Version| async move { format!("{version:?} over TLS\n") }));
    let listener = TcpListener::bind(address.as_str()).await?;
    println!("listening on {}", listener.local_addr()?);
    wsrt::hyper::serve(listener, router)
        .with_handshake(move |stream| {
            let acceptor = acceptor.clone();
            async move { acceptor.accept(stream).await.map(TokioIo::new) }
        })
        .with_graceful_shutdown(async { drop(wsrt::signal::ctrl_c().await) })
        .await?;
    Ok(())
}
