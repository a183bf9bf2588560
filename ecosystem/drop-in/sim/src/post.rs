//! The post office: a QUIC server built on quinn that sends back each stream and each datagram.

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;

use quinn::{Connection, Endpoint, Incoming, ServerConfig};

use crate::certificate::certificate;
use crate::sender::patience;

/// The UDP port on which the post office listens, on every address of its host.
pub const PORT: u16 = 4433;

/// Creates the post office's QUIC endpoint.
///
/// # Errors
///
/// Returns an error if the port is in use.
pub fn open() -> Result<Endpoint, Box<dyn Error + Send + Sync>> {
    let (certificate, key) = certificate();
    let mut config = ServerConfig::with_single_cert(vec![certificate], key)?;
    config.transport_config(Arc::new(patience()));
    Ok(Endpoint::server(config, SocketAddr::from(([0; 4], PORT)))?)
}

/// Runs the post office: creates its endpoint and serves connections.
///
/// # Errors
///
/// Returns an error if the port is in use.
pub async fn serve() -> Result<(), Box<dyn Error + Send + Sync>> {
    let endpoint = open()?;
    while let Some(incoming) = endpoint.accept().await {
        tokio::spawn(receive(incoming));
    }
    Ok(())
}

async fn receive(incoming: Incoming) {
    // The sender may have gone.
    if let Ok(connection) = incoming.await {
        tokio::join!(return_streams(&connection), return_datagrams(&connection));
    }
}

async fn return_streams(connection: &Connection) {
    while let Ok((mut send, mut receive)) = connection.accept_bi().await {
        tokio::spawn(async move {
            if tokio::io::copy(&mut receive, &mut send).await.is_ok() {
                // It was reset, if it is not open any more.
                let _ = send.finish();
            }
        });
    }
}

async fn return_datagrams(connection: &Connection) {
    while let Ok(datagram) = connection.read_datagram().await {
        // It has the room that it came with.
        let _ = connection.send_datagram(datagram);
    }
}
