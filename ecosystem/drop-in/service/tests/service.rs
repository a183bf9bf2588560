//! The service of the guide, on wsrt: it checks a link, stores the status, and ends at a signal.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use wsrt_ecosystem_testing::{Running, Scratch, example, output_of, peer};

/// Returns curl's output for a request.
fn ask(arguments: &[&str]) -> String {
    let mut curl = peer("curl").expect("it was there");
    curl.args(["--silent", "--show-error", "--max-time", "20"]).args(arguments);
    output_of(curl)
}

#[test]
fn a_link_is_checked_stored_and_listed_on_wsrt() {
    if peer("curl").is_none() {
        return;
    }
    let page = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}/", page.local_addr().expect("it is bound"));
    thread::spawn(move || {
        for stream in page.incoming() {
            let mut stream = stream.expect("a connection");
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(b"HTTP/1.1 418 I'm a teapot\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        }
    });

    let scratch = Scratch::new();
    let trace = scratch.file("run.perfetto-trace");
    let mut command = example(env!("CARGO_MANIFEST_DIR"), "links").command();
    command.args(["127.0.0.1:0", &scratch.file("links.sqlite")]).env("WSRT_TRACE", &trace);
    let mut service = Running::start(command);
    let links = format!("http://{}/links", service.line_after("listening on "));

    let stored = format!(r#"{{"url":"{url}","status":418}}"#);
    let new = format!(r#"{{"url":"{url}"}}"#);
    assert_eq!(ask(&["--header", "content-type: application/json", "--data", &new, &links]), stored);
    assert_eq!(ask(&[&links]), format!("[{stored}]"));
    service.interrupt();
    assert!(fs::metadata(trace).expect("wsrt has written its timeline").len() > 1_000);
}
