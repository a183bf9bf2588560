//! The pooled client behind TLS: a server in Python and nghttpd answer it over few connections.

use std::fs;

use wsrt_ecosystem_testing::{Running, Scratch, WITHOUT_TOKIO, example, free_address, output_of, peer, python};

/// A folder with a certificate for `localhost` and its key.
fn certificate() -> Scratch {
    let folder = Scratch::new();
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate is to be had");
    fs::write(folder.file("certificate.pem"), made.cert.pem()).expect("the folder is ours");
    fs::write(folder.file("key.pem"), made.signing_key.serialize_pem()).expect("the folder is ours");
    folder
}

fn ask(url: &str, folder: &Scratch) -> String {
    let mut client = example(WITHOUT_TOKIO, "https_client").command();
    client.args([url, &folder.file("certificate.pem")]);
    output_of(client)
}

#[test]
fn python_is_asked_over_connections_that_are_kept() {
    let Some(mut server) = python(&["ssl", "http.server"]) else { return };
    let folder = certificate();
    server.args([
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/https_server.py"),
        &folder.file("certificate.pem"),
        &folder.file("key.pem"),
    ]);
    let mut server = Running::start(server);
    let port = server.line_after("listening on ");
    let report = ask(&format!("https://localhost:{port}/"), &folder);
    let connections = report
        .strip_prefix("101 answers by HTTP/1.1, the last: ")
        .and_then(|rest| rest.strip_suffix(" connections\n"))
        .unwrap_or_else(|| panic!("{report}"));
    // Fifty at once have fifty at most; those before and after them need none of their own.
    let connections: u32 = connections.parse().expect("a number");
    assert!((1..=100).contains(&connections), "{connections}");
}

#[test]
fn nghttpd_is_asked_by_http2_as_tls_has_agreed() {
    let Some(mut server) = peer("nghttpd") else { return };
    let folder = certificate();
    fs::write(folder.file("hello.txt"), "hello from nghttpd\n").expect("the folder is ours");
    let address = free_address();
    server.args(["--address=127.0.0.1", &format!("--htdocs={}", folder.file(""))]);
    server.args([&address.port().to_string(), &folder.file("key.pem"), &folder.file("certificate.pem")]);
    let mut server = Running::start(server);
    server.wait_until(|| std::net::TcpStream::connect(address).is_ok());
    let report = ask(&format!("https://localhost:{}/hello.txt", address.port()), &folder);
    assert_eq!(report, "101 answers by HTTP/2.0, the last: hello from nghttpd\n");
}
