//! TLS for the servers and their clients: rustls, TLS 1.3, and one certificate.
//!
//! The certificate is for `localhost` and for any time until the year 4096. It was made by rcgen's
//! `generate_simple_self_signed`, once, so that servers and clients know the same one. Its key
//! guards nothing.

use std::sync::Arc;

use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, ServerConfig};
use tokio_rustls::TlsAcceptor;

use crate::Failure;

const CERTIFICATE: &[u8] = include_bytes!("../data/localhost.cert.der");
const KEY: &[u8] = include_bytes!("../data/localhost.key.der");
const NAME: &str = "localhost";

/// Returns a server's side, for streams with tokio's I/O traits.
pub(crate) fn acceptor() -> Result<TlsAcceptor, Failure> {
    let key = PrivatePkcs8KeyDer::from(KEY).into();
    let config = ServerConfig::builder().with_no_client_auth().with_single_cert(vec![certificate()], key)?;
    Ok(Arc::new(config).into())
}

/// Returns what the clients have in common: they trust the one certificate.
pub(crate) fn of_clients() -> Result<Arc<ClientConfig>, Failure> {
    let mut roots = RootCertStore::empty();
    roots.add(certificate())?;
    Ok(Arc::new(ClientConfig::builder().with_root_certificates(roots).with_no_client_auth()))
}

/// Begins a connection of a client.
pub(crate) fn connection(config: &Arc<ClientConfig>) -> Result<ClientConnection, Failure> {
    Ok(ClientConnection::new(config.clone(), ServerName::try_from(NAME)?)?)
}

fn certificate() -> CertificateDer<'static> {
    CERTIFICATE.into()
}
