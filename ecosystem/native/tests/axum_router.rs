//! The axum router on `serve`: curl, wrk, h2load and a WebSocket client of Python's are answered.

use std::process::Command;

use wsrt_ecosystem_testing::{Running, WITHOUT_TOKIO, example, output_of, peer, python};

fn serve() -> (Running, String) {
    example(WITHOUT_TOKIO, "axum_router").serve(&["127.0.0.1:0"])
}

fn curl(curl: Command, arguments: &[&str]) -> String {
    let mut curl = curl;
    curl.args(["--silent", "--show-error", "--max-time", "20"]).args(arguments);
    output_of(curl)
}

#[test]
fn curl_gets_json_and_its_address_by_both_http_versions() {
    let (server, address) = serve();
    for version in ["--http1.1", "--http2-prior-knowledge"] {
        let Some(command) = peer("curl") else { return };
        let url = format!("http://{address}/sum");
        let json = ["--json", r#"{"numbers": [1, 2, 39]}"#];
        let answer = curl(command, &[version, "--fail", json[0], json[1], &url]);
        assert_eq!(answer, r#"{"sum":42,"on_a_task":true}"#);

        let Some(command) = peer("curl") else { return };
        let url = format!("http://{address}/peer");
        let answer = curl(command, &[version, "--fail", "--write-out", "=%{local_ip}:%{local_port}", &url]);
        let (told, own) = answer.split_once('=').expect("as asked for");
        assert_eq!(told, own);

        let Some(command) = peer("curl") else { return };
        let url = format!("http://{address}/sum");
        let answer = curl(command, &[version, "--write-out", "=%{http_code}", "--json", "{", &url]);
        assert!(answer.ends_with("=400"), "broken JSON is the client's fault: {answer}");
    }
    server.interrupt();
}

#[test]
fn curl_reads_server_sent_events_to_their_end() {
    let (_server, address) = serve();
    let Some(command) = peer("curl") else { return };
    let answer = curl(command, &["--fail", "--no-buffer", &format!("http://{address}/ticks")]);
    // A machine that is busy may put a comment, or more of them, before any of the events.
    let (comments, events): (Vec<_>, Vec<_>) = answer.split_inclusive("\n\n").partition(|part| part.starts_with(':'));
    let expected = (1..=3).map(|number| format!("event: tick\ndata: {number}\n\n"));
    assert_eq!(events, expected.collect::<Vec<_>>());
    assert!(!comments.is_empty() && comments.iter().all(|comment| *comment == ":\n\n"), "{answer}");
}

#[test]
fn a_handler_that_takes_too_long_is_answered_for() {
    let (server, address) = serve();
    for version in ["--http1.1", "--http2-prior-knowledge"] {
        let Some(command) = peer("curl") else { return };
        let answer = curl(command, &[version, "--write-out", "=%{http_code}", &format!("http://{address}/slow")]);
        assert_eq!(answer, "=504");
    }
    server.interrupt();
}

#[test]
fn python_talks_over_a_websocket_beside_http() {
    let (_server, address) = serve();
    let Some(mut python) = python(&["websockets"]) else { return };
    python.args([
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/websocket_client.py"),
        &format!("ws://{address}/echo"),
    ]);
    assert_eq!(output_of(python), "1000 texts and 100 blobs came back, closed with 1000\n");
}

#[test]
fn what_is_no_websocket_handshake_is_refused() {
    let (_server, address) = serve();
    let Some(command) = peer("curl") else { return };
    let answer = curl(command, &["--write-out", "=%{http_code}", &format!("http://{address}/echo")]);
    assert!(answer.ends_with("=400"), "{answer}");
}

#[test]
fn wrk_gets_answers_and_no_errors() {
    let (server, address) = serve();
    let Some(mut wrk) = peer("wrk") else { return };
    let report = output_of({
        wrk.args(["-t2", "-c64", "-d2s", &format!("http://{address}/")]);
        wrk
    });
    assert!(report.contains("requests in") && !report.contains(" 0 requests in"), "{report}");
    assert!(!report.contains("Socket errors") && !report.contains("Non-2xx"), "{report}");
    server.interrupt();
}

#[test]
fn h2load_gets_all_its_answers() {
    let (server, address) = serve();
    let Some(mut h2load) = peer("h2load") else { return };
    let report = output_of({
        h2load.args(["-c", "32", "-m", "10", "-n", "20000", &format!("http://{address}/")]);
        h2load
    });
    assert!(report.contains("20000 succeeded, 0 failed, 0 errored, 0 timeout"), "{report}");
    server.interrupt();
}
