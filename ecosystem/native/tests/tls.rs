//! tokio-rustls on wsrt's streams behind `serve`: curl, h2load and openssl shake hands with it.

use std::fs;
use std::io::Read;
use std::net::TcpStream;

use wsrt_ecosystem_testing::{LIMIT, Running, Scratch, WITHOUT_TOKIO, example, output_of, peer};

struct Server {
    running: Running,
    port: String,
    folder: Scratch,
}

fn serve() -> Server {
    let folder = Scratch::new();
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate is to be had");
    fs::write(folder.file("certificate.pem"), made.cert.pem()).expect("the folder is ours");
    fs::write(folder.file("key.pem"), made.signing_key.serialize_pem()).expect("the folder is ours");
    let arguments = ["127.0.0.1:0", &folder.file("certificate.pem"), &folder.file("key.pem")];
    let (running, address) = example(WITHOUT_TOKIO, "tls").serve(&arguments);
    let (_, port) = address.rsplit_once(':').expect("an address has a port");
    Server { running, port: port.to_owned(), folder }
}

#[test]
fn curl_trusts_it_and_speaks_the_http_it_has_negotiated() {
    let Server { running, port, folder } = serve();
    for (version, answer) in [("--http1.1", "HTTP/1.1 over TLS\n"), ("--http2", "HTTP/2.0 over TLS\n")] {
        let Some(mut curl) = peer("curl") else { return };
        curl.args(["--silent", "--show-error", "--fail", "--max-time", "20", version]);
        curl.args(["--cacert", &folder.file("certificate.pem"), &format!("https://localhost:{port}/")]);
        assert_eq!(output_of(curl), answer);
    }
    let Some(mut curl) = peer("curl") else { return };
    curl.args(["--silent", "--show-error", "--fail", "--max-time", "20", "--tls-max", "1.2"]);
    curl.args(["--cacert", &folder.file("certificate.pem"), &format!("https://localhost:{port}/tls")]);
    assert_eq!(output_of(curl), "Some(TLSv1_2)\n", "a handler knows of the handshake");
    running.interrupt();
}

#[test]
fn h2load_gets_all_its_answers_over_tls() {
    let Server { running, port, folder: _folder } = serve();
    let Some(mut h2load) = peer("h2load") else { return };
    h2load.args(["-c", "16", "-m", "10", "-n", "5000", &format!("https://localhost:{port}/")]);
    let report = output_of(h2load);
    assert!(report.contains("Application protocol: h2"), "{report}");
    assert!(report.contains("5000 succeeded, 0 failed, 0 errored, 0 timeout"), "{report}");
    running.interrupt();
}

#[test]
fn openssl_shakes_hands_in_either_version_of_tls() {
    let Server { port, folder, running: _running } = serve();
    for version in ["-tls1_2", "-tls1_3"] {
        let Some(mut openssl) = peer("openssl") else { return };
        let address = format!("localhost:{port}");
        openssl.args(["s_client", "-connect", &address, version, "-verify_return_error"]);
        openssl.args(["-CAfile", &folder.file("certificate.pem")]);
        let report = output_of(openssl);
        assert!(report.contains("Verify return code: 0 (ok)"), "{report}");
    }
}

#[test]
fn a_client_without_tls_is_refused_and_others_are_served() {
    let Server { running, port, folder } = serve();
    let mut plain = TcpStream::connect(format!("127.0.0.1:{port}")).expect("it listens");
    plain.set_read_timeout(Some(LIMIT)).expect("sockets have timeouts");
    std::io::Write::write_all(&mut plain, b"GET / HTTP/1.1\r\n\r\n").expect("it reads");
    let mut answer = Vec::new();
    // Closed with or without a word, but closed.
    let _ = plain.read_to_end(&mut answer).inspect_err(|error| {
        assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
    });
    assert!(!answer.starts_with(b"HTTP"));

    let Some(mut curl) = peer("curl") else { return };
    curl.args(["--silent", "--show-error", "--fail", "--max-time", "20"]);
    curl.args(["--cacert", &folder.file("certificate.pem"), &format!("https://localhost:{port}/")]);
    assert_eq!(output_of(curl), "HTTP/2.0 over TLS\n");
    running.interrupt();
}
