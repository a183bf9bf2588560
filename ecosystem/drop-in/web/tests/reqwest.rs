//! reqwest over TLS, unchanged, against OpenSSL and axum.

use std::convert::Infallible;
use std::fs;
use std::net::{SocketAddr, TcpListener as StdListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::routing::get;
use futures_util::future::join_all;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use hyper_util::service::TowerToHyperService;
use reqwest::{Client, StatusCode, Version};
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use wsrt_drop_in_here::{assert_is_a_task_of_wsrt, assert_no_thread_is_tokio_s, assert_wsrt_runs_a_task_of};
use wsrt_drop_in_web::Certificate;
use wsrt_ecosystem_testing::{LIMIT, Running, free_address, peer};

fn client(certificate: &Certificate) -> Client {
    // The second test that comes here finds it installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let trusted = reqwest::Certificate::from_pem(certificate.certificate.as_bytes()).expect("a certificate");
    Client::builder().tls_certs_only([trusted]).timeout(LIMIT).no_proxy().build().expect("a client")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_fetches_a_file_from_openssl() {
    let (certificate, address) = (Certificate::new(), free_address());
    let page = [b'x'; 300_000];
    fs::write(certificate.folder().file("page"), page).expect("the folder is ours");
    let Some(mut openssl) = peer("openssl") else { return };
    openssl.args(["s_server", "-quiet", "-WWW", "-accept", &address.to_string()]);
    openssl.args(["-cert", &certificate.certificate_file(), "-key", &certificate.key_file()]);
    openssl.current_dir(certificate.folder().path());
    let _server = tokio::task::spawn_blocking(move || {
        let mut server = Running::start(openssl);
        server.wait_until(|| TcpStream::connect(address).is_ok());
        server
    })
    .await
    .expect("it starts");

    let answer = client(&certificate).get(format!("https://localhost:{}/page", address.port())).send();
    let body = answer.await.expect("it is trusted").bytes().await.expect("it goes on");
    assert!(body.ends_with(&page), "{} bytes", body.len());
    assert_no_thread_is_tokio_s();
}

/// Serves `router` over TLS with either HTTP, as axum's documentation does.
async fn serve(certificate: &Certificate, router: Router) -> SocketAddr {
    let chain = CertificateDer::pem_slice_iter(certificate.certificate.as_bytes()).collect::<Result<_, _>>();
    let key = PrivateKeyDer::from_pem_slice(certificate.key.as_bytes()).expect("a key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().expect("some");
    let config = config.with_no_client_auth().with_single_cert(chain.expect("a certificate"), key);
    let mut config = config.expect("they belong together");
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(config));

    let listener = TcpListener::bind("127.0.0.1:0").await.expect("there is a free port");
    let address = listener.local_addr().expect("it is bound");
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.expect("it accepts");
            let (acceptor, service) = (acceptor.clone(), TowerToHyperService::new(router.clone()));
            tokio::spawn(async move {
                assert_is_a_task_of_wsrt();
                let stream = acceptor.accept(stream).await.expect("hands are shaken");
                let server = auto::Builder::new(TokioExecutor::new());
                // Fails where the client has gone.
                let _ = server.serve_connection(TokioIo::new(stream), service).await;
            });
        }
    });
    address
}

async fn version(request: Request) -> Result<String, Infallible> {
    assert_is_a_task_of_wsrt();
    Ok(format!("{:?}", request.version()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_speaks_http_2_with_axum() {
    let certificate = Certificate::new();
    let address = serve(&certificate, Router::new().route("/", get(version))).await;
    let client = client(&certificate);
    let url = format!("https://localhost:{}/", address.port());
    let answers = join_all((0..20).map(|_| async {
        let answer = client.get(&url).send().await.expect("it answers");
        assert_eq!((answer.status(), answer.version()), (StatusCode::OK, Version::HTTP_2));
        answer.text().await.expect("it goes on")
    }));
    assert_eq!(answers.await, ["HTTP/2.0"; 20]);
    assert_wsrt_runs_a_task_of("hyper-util");
    assert_no_thread_is_tokio_s();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unknown_certificate_is_refused() {
    let address = serve(&Certificate::new(), Router::new().route("/", get(version))).await;
    let error = client(&Certificate::new()).get(format!("https://localhost:{}/", address.port())).send().await;
    assert!(error.expect_err("it is not trusted").is_connect());
}

#[tokio::test]
async fn it_gives_up_on_silence_and_on_absence() {
    let client = client(&Certificate::new());
    // Takes connections, as the system does for it, and says nothing.
    let silent = StdListener::bind("127.0.0.1:0").expect("there is a free port");
    let url = format!("https://{}/", silent.local_addr().expect("it is bound"));
    let error = client.get(url).timeout(Duration::from_millis(50)).send().await.expect_err("it says nothing");
    assert!(error.is_timeout(), "{error}");
    let error = client.get(format!("http://{}/", free_address())).send().await.expect_err("it is absent");
    assert!(error.is_connect(), "{error}");
}
