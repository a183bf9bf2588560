//! A sender of parcels that uses quinn: the post office sends each parcel back on the parcel's own
//! stream.

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use quinn::rustls::RootCertStore;
use quinn::{ClientConfig, Connection, Endpoint, IdleTimeout, TransportConfig, VarInt};
use tokio::net::lookup_host;

use crate::certificate::{NAME, certificate};
use crate::post::PORT;

/// How long a connection stays open without any message from the other side.
pub const PATIENCE: Duration = Duration::from_secs(10);
const PULSE: Duration = Duration::from_secs(1);
const LARGEST: usize = 1 << 20;

/// Returns the settings of both sides.
pub(crate) fn patience() -> TransportConfig {
    let mut transport = TransportConfig::default();
    let patience = VarInt::from_u32(PATIENCE.as_millis() as u32);
    transport.max_idle_timeout(Some(IdleTimeout::from(patience))).keep_alive_interval(Some(PULSE));
    transport
}

/// A sender that is connected to the post office on the host `post`.
#[derive(Clone, Debug)]
pub struct ParcelSender {
    /// The QUIC connection to the post office.
    pub connection: Connection,
}

impl ParcelSender {
    /// Connects a new sender to the post office.
    ///
    /// # Errors
    ///
    /// Returns an error if the post office does not answer.
    pub async fn connect() -> Result<Self, Box<dyn Error + Send + Sync>> {
        let mut roots = RootCertStore::empty();
        roots.add(certificate().0)?;
        let mut config = ClientConfig::with_root_certificates(Arc::new(roots))?;
        config.transport_config(Arc::new(patience()));
        let post = lookup_host((NAME, PORT)).await?.next().ok_or("the post has no address")?;
        let endpoint = Endpoint::client(SocketAddr::from(([0; 4], 0)))?;
        // The endpoint lives for as long as the connection.
        Ok(Self { connection: endpoint.connect_with(config, post, NAME)?.await? })
    }

    /// Sends `parcel` on a stream of its own, and returns the bytes that the post office sends
    /// back.
    ///
    /// # Errors
    ///
    /// Returns an error if the connection is lost.
    pub async fn send(&self, parcel: &[u8]) -> Result<Vec<u8>, Box<dyn Error + Send + Sync>> {
        let (mut send, mut receive) = self.connection.open_bi().await?;
        send.write_all(parcel).await?;
        send.finish()?;
        Ok(receive.read_to_end(LARGEST).await?)
    }
}
