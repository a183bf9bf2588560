//! tokio-tungstenite on wsrt's streams, at both ends, against Python's websockets and itself.

use wsrt_ecosystem_testing::{Running, WITHOUT_TOKIO, example, output_of, python};

#[test]
fn python_talks_to_the_server() {
    let (mut server, address) = example(WITHOUT_TOKIO, "websocket_server").serve(&["127.0.0.1:0"]);
    let Some(mut python) = python(&["websockets"]) else { return };
    python.args([concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/websocket_client.py"), &format!("ws://{address}")]);
    assert_eq!(output_of(python), "1000 texts and 100 blobs came back, closed with 1000\n");
    assert_eq!(server.line_after("said "), "1100 things");
}

#[test]
fn the_client_talks_to_python() {
    let Some(mut python) = python(&["websockets"]) else { return };
    python.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/websocket_server.py"));
    let mut server = Running::start(python);
    let address = server.line_after("listening on ");
    let mut client = example(WITHOUT_TOKIO, "websocket_client").command();
    client.args([&address, "hello", "there"]);
    assert_eq!(output_of(client), "HELLO\nTHERE\nclosed in good order\n");
}

#[test]
fn the_client_talks_to_the_server() {
    let (_server, address) = example(WITHOUT_TOKIO, "websocket_server").serve(&["127.0.0.1:0"]);
    let mut client = example(WITHOUT_TOKIO, "websocket_client").command();
    client.args([&address, "hello", "there"]);
    assert_eq!(output_of(client), "hello\nthere\nclosed in good order\n");
}
