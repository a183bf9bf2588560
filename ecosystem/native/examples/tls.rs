//! HTTPS on wsrt: an axum router behind tokio-rustls, with HTTP/2 for clients that request it.
//! `cargo run --release --example tls -- 127.0.0.1:8443 certificate.pem key.pem`
//!
//! tokio-rustls needs nothing of tokio but its I/O traits. The handshake is done in each
//! connection's own task, and has as long as the first request after it: 30 s, or
//! `HANDSHAKE_SECONDS`. The other limits are those of `wsrt_hyper::serve`.

use std::env;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use axum::http::Version;
use axum::routing::get;
use axum::{Extension, Router};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;
use wsrt::net::TcpListener;
use wsrt_hyper::TokioIo;

/// The version of TLS that client and server have agreed on.
#[derive(Clone)]
struct Agreed(Option<rustls::ProtocolVersion>);

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

    let router = Router::new()
        .route("/", get(|version: Version| async move { format!("{version:?} over TLS\n") }))
        .route("/tls", get(|Extension(agreed): Extension<Agreed>| async move { format!("{:?}\n", agreed.0) }));
    let listener = TcpListener::bind(address.as_str()).await?;
    println!("listening on {}", listener.local_addr()?);
    let seconds = env::var("HANDSHAKE_SECONDS").map_or(Ok(30.0), |text| text.parse())?;
    wsrt_hyper::serve(listener, router)
        .with_first_request_timeout(Duration::try_from_secs_f64(seconds)?)
        .with_handshake(move |stream| {
            let acceptor = acceptor.clone();
            async move { acceptor.accept(stream).await.map(TokioIo::new) }
        })
        // A client's certificates are beside it: `peer_certificates`.
        .with_connection_extensions(|stream, extensions| {
            let (_, connection) = stream.get_ref().get_ref();
            extensions.insert(Agreed(connection.protocol_version()));
        })
        .with_graceful_shutdown(async { drop(wsrt::signal::ctrl_c().await) })
        .await?;
    Ok(())
}
