//! quinn on wsrt's sockets and timers, at both ends, against quinn on tokio's, and against itself.

use std::error::Error;
use std::fs;
use std::net::SocketAddr;
use std::sync::{Arc, mpsc};

use quinn::{ClientConfig, Endpoint, ServerConfig};
use rustls::RootCertStore;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::runtime::{Builder, Runtime};
use wsrt_ecosystem_testing::{LIMIT, Running, Scratch, WITHOUT_TOKIO, example, output_of};

const CAME_BACK: &str = "49500000 bytes came back\n";

/// A folder with a certificate for `localhost` and its key.
fn certificate() -> Scratch {
    let folder = Scratch::new();
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate is to be had");
    fs::write(folder.file("certificate.pem"), made.cert.pem()).expect("the folder is ours");
    fs::write(folder.file("key.pem"), made.signing_key.serialize_pem()).expect("the folder is ours");
    folder
}

fn serve(folder: &Scratch) -> (Running, String) {
    let arguments = ["127.0.0.1:0", &folder.file("certificate.pem"), &folder.file("key.pem")];
    example(WITHOUT_TOKIO, "quic_server").serve(&arguments)
}

fn run_client(address: &str, folder: &Scratch) -> String {
    let mut client = example(WITHOUT_TOKIO, "quic_client").command();
    client.args([address, &folder.file("certificate.pem")]);
    output_of(client)
}

fn tokio() -> Runtime {
    Builder::new_current_thread().enable_all().build().expect("a runtime of tokio's")
}

#[test]
fn the_client_talks_to_the_server() {
    let folder = certificate();
    let (server, address) = serve(&folder);
    assert_eq!(run_client(&address, &folder), CAME_BACK);
    server.interrupt();
}

#[test]
fn the_server_answers_a_client_on_tokio() {
    let folder = certificate();
    let (server, address) = serve(&folder);
    let answer = tokio().block_on(async {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_file(folder.file("certificate.pem"))?)?;
        let endpoint = Endpoint::client("127.0.0.1:0".parse()?)?;
        let config = ClientConfig::with_root_certificates(Arc::new(roots))?;
        let connection = endpoint.connect_with(config, address.parse()?, "localhost")?.await?;
        let (mut send, mut receive) = connection.open_bi().await?;
        send.write_all(&[7; 1_000_000]).await?;
        send.finish()?;
        let answer = receive.read_to_end(1_000_000).await?;
        connection.close(0_u32.into(), b"");
        endpoint.wait_idle().await;
        Ok::<_, Box<dyn Error>>(answer)
    });
    assert!(answer.expect("they understand each other") == [7; 1_000_000]);
    server.interrupt();
}

#[test]
fn the_client_talks_to_a_server_on_tokio() {
    let folder = certificate();
    let (told, tells) = mpsc::channel::<SocketAddr>();
    let config = {
        let certificates = CertificateDer::from_pem_file(folder.file("certificate.pem")).expect("we wrote it");
        let key = PrivateKeyDer::from_pem_file(folder.file("key.pem")).expect("we wrote it");
        ServerConfig::with_single_cert(vec![certificates], key).expect("they fit")
    };
    let server = std::thread::spawn(move || {
        tokio().block_on(async {
            let endpoint = Endpoint::server(config, "127.0.0.1:0".parse().expect("an address")).expect("a free port");
            told.send(endpoint.local_addr().expect("it is bound")).expect("the test waits");
            let connection = endpoint.accept().await.expect("it is open").await.expect("a good client");
            while let Ok((mut send, mut receive)) = connection.accept_bi().await {
                tokio::spawn(async move {
                    let request = receive.read_to_end(1 << 20).await.expect("the client sends it all");
                    send.write_all(&request).await.expect("the client reads");
                    send.finish().expect("it is open");
                });
            }
            endpoint.wait_idle().await;
        });
    });
    let address = tells.recv_timeout(LIMIT).expect("it starts");
    assert_eq!(run_client(&address.to_string(), &folder), CAME_BACK);
    server.join().expect("it does not panic");
}
