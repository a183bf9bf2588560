//! tonic on wsrt, at both ends, unary and streaming, against Google's gRPC for Python and itself.

use wsrt_ecosystem_testing::{Running, WITHOUT_TOKIO, example, output_of, python};

const PEER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/greeter.py");

#[test]
fn python_calls_the_server() {
    let (server, address) = example(WITHOUT_TOKIO, "tonic_server").serve(&["127.0.0.1:0"]);
    let Some(mut python) = python(&["grpc"]) else { return };
    python.args([PEER, "client", &address]);
    let expected = "Hello, Python!\n100 Hello, Python, 100!\nHello, one! Hello, two!\nINVALID_ARGUMENT whom?\n";
    assert_eq!(output_of(python), expected);
    server.interrupt();
}

#[test]
fn the_client_calls_python() {
    let Some(mut python) = python(&["grpc"]) else { return };
    python.args([PEER, "server"]);
    let mut server = Running::start(python);
    let address = server.line_after("listening on ");
    assert_eq!(call(&address), expected("Hullo"));
}

#[test]
fn the_client_calls_the_server() {
    let (server, address) = example(WITHOUT_TOKIO, "tonic_server").serve(&["127.0.0.1:0"]);
    assert_eq!(call(&address), expected("Hello"));
    server.interrupt();
}

fn call(address: &str) -> String {
    let mut client = example(WITHOUT_TOKIO, "tonic_client").command();
    client.args([address, "Rust"]);
    output_of(client)
}

fn expected(hello: &str) -> String {
    let often = ["Rust", "Rust, 1", "Rust, 2", "Rust, 3", "one", "two"].map(|name| format!("{hello}, {name}!\n"));
    often.concat() + "Client specified an invalid argument: whom?\n"
}
