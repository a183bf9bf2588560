//! The service on wsrt's own names: its database keeps what curl posts, and its figures are wsrt's.

use std::process::Command;

use wsrt_ecosystem_testing::{Scratch, example, output_of, peer};

/// Returns curl's output for a request.
fn ask(mut curl: Command, arguments: &[&str]) -> String {
    curl.args(["--silent", "--show-error", "--max-time", "20"]).args(arguments);
    output_of(curl)
}

#[test]
fn visits_are_counted_and_figures_are_shown() {
    if peer("curl").is_none() {
        return;
    }
    let ask = |arguments: &[&str]| ask(peer("curl").expect("it was there"), arguments);
    let scratch = Scratch::new();
    let (mut server, address) =
        example(env!("CARGO_MANIFEST_DIR"), "json_service").serve(&["127.0.0.1:0", &scratch.file("visits.sqlite")]);
    let visits = format!("http://{address}/visits");

    let post = ["--header", "content-type: application/json", "--data", r#"{"name": "ada"}"#, &visits];
    for count in 1..=3 {
        let answer: serde_json::Value = serde_json::from_str(&ask(&post)).expect("JSON");
        assert_eq!(answer, serde_json::json!({ "name": "ada", "count": count }));
    }
    assert!(ask(&[&format!("{visits}/ada")]).contains("\"count\":3"));
    assert_eq!(ask(&["--write-out", "%{http_code}", &format!("{visits}/bob")]), "no visits by that name\n404");

    let figures = format!("http://{address}/metrics");
    server.wait_until(|| ask(&[&figures]).contains("wsrt_polls_total"));
    server.interrupt();
}
