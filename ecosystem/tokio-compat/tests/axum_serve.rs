//! `axum::serve` unchanged, under feature `tokio-compat`: curl, wrk and a WebSocket client of
//! Python's are answered.

use std::process::Command;

use wsrt_ecosystem_testing::{Running, example, output_of, peer, python};

fn serve() -> (Running, String) {
    example(env!("CARGO_MANIFEST_DIR"), "axum_serve").serve(&["127.0.0.1:0"])
}

fn curl(mut curl: Command, url: &str) -> String {
    curl.args(["--silent", "--show-error", "--fail", "--max-time", "20", url]);
    output_of(curl)
}

#[test]
fn handlers_run_on_tokio_and_their_spawns_on_wsrt() {
    let (server, address) = serve();
    let Some(command) = peer("curl") else { return };
    let said = curl(command, &format!("http://{address}/where"));
    assert_eq!(said, "handler: tokio true, wsrt false; spawned: tokio false, wsrt true\n");
    server.interrupt();
}

#[test]
fn server_sent_events_are_kept_alive() {
    let (_server, address) = serve();
    let Some(command) = peer("curl") else { return };
    let said = curl(command, &format!("http://{address}/ticks"));
    assert!(said.contains("data: 1\n\n") && said.contains("data: 2\n\n"), "{said}");
    assert!(said.contains(":\n\n"), "without a sign of life in between: {said}");
}

#[test]
fn python_talks_over_axum_s_own_websocket() {
    let (_server, address) = serve();
    let Some(mut python) = python(&["websockets"]) else { return };
    let client = concat!(env!("CARGO_MANIFEST_DIR"), "/../native/tests/peers/websocket_client.py");
    python.args([client, &format!("ws://{address}/echo")]);
    assert_eq!(output_of(python), "1000 texts and 100 blobs came back, closed with 1000\n");
}

#[test]
fn wrk_gets_answers_and_no_errors() {
    let (server, address) = serve();
    let Some(mut wrk) = peer("wrk") else { return };
    wrk.args(["-t2", "-c64", "-d2s", &format!("http://{address}/")]);
    let report = output_of(wrk);
    assert!(report.contains("requests in") && !report.contains(" 0 requests in"), "{report}");
    assert!(!report.contains("Socket errors") && !report.contains("Non-2xx"), "{report}");
    server.interrupt();
}
