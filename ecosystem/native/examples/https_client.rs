//! A pooled HTTPS client on wsrt: requests one after another share a connection, and so do requests
//! at once where the server speaks HTTP/2.
//! `cargo run --release --example https_client -- https://localhost:8443/ authority.pem`
//!
//! hyper-rustls puts TLS around wsrt's connector; of tokio it uses the I/O traits. A service that
//! talks to the public has `with_webpki_roots()` or `with_native_roots()`, features of that crate,
//! instead of its own certificate.

use std::env;
use std::error::Error;
use std::time::Duration;

use http_body_util::{BodyExt, Empty};
use hyper::body::Bytes;
use hyper::{Uri, Version};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use wsrt::task::JoinSet;
use wsrt::time::timeout;
use wsrt_hyper::{Client, Connector};

type Https = Client<HttpsConnector<Connector>, Empty<Bytes>>;
type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

#[wsrt::main]
async fn main() -> Result<()> {
    let [url, authority] = &env::args().skip(1).collect::<Vec<_>>()[..] else {
        return Err("usage: https_client URL AUTHORITY.pem".into());
    };
    let (url, client) = (url.parse::<Uri>()?, client(authority)?);
    for _ in 0..50 {
        get(&client, url.clone()).await?;
    }
    let mut requests = JoinSet::new();
    for _ in 0..50 {
        let (client, url) = (client.clone(), url.clone());
        requests.spawn(async move { get(&client, url).await });
    }
    while let Some(answer) = requests.join_next().await {
        answer??;
    }
    let (version, body) = get(&client, url).await?;
    println!("101 answers by {version:?}, the last: {}", body.trim());
    Ok(())
}

fn client(authority: &str) -> Result<Https> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(authority)?)?;
    let tls = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    let connector = HttpsConnectorBuilder::new()
        .with_tls_config(tls)
        .https_or_http()
        .enable_all_versions()
        .wrap_connector(Connector::new().enforce_http(false));
    Ok(wsrt_hyper::client().build(connector))
}

/// One request, which may take ten seconds, its answer included.
async fn get(client: &Https, url: Uri) -> Result<(Version, String)> {
    let asking = async {
        let response = client.get(url).await?;
        let (version, status) = (response.version(), response.status());
        let body = response.into_body().collect().await?.to_bytes();
        if status.is_success() { Ok((version, String::from_utf8(body.to_vec())?)) } else { Err(status.as_str().into()) }
    };
    timeout(Duration::from_secs(10), asking).await?
}
