//! `WSRT_DEBUG` starts the server, or is refused by name.

use std::io::{BufRead, BufReader, Read};

use wsrt_tests::{beside_a_process_of_its_own, in_a_process_of_its_own, text_of, within_a_minute};

use crate::client::get;

/// Starts the server, says how that went, and waits for the end of its input.
fn program() {
    let runtime = wsrt_tests::runtime_with(1);
    if let Err(error) = wsrt_debug::init() {
        eprintln!("refused: {error}");
    }
    wsrt_debug::init().ok();
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
    drop(runtime);
}

#[test]
fn the_variable_starts_a_server_that_says_where() {
    let test = "variable::the_variable_starts_a_server_that_says_where";
    let mut process = beside_a_process_of_its_own(test, &[("WSRT_DEBUG", "127.0.0.1:0")], program);
    within_a_minute(move || {
        let errors = process.stderr.take().expect("it is piped");
        let mut lines = BufReader::new(errors).lines().map_while(Result::ok);
        let address = lines.find_map(|line| {
            line.strip_prefix("wsrt: the debug pages are at http://")?.strip_suffix('/')?.parse().ok()
        });
        let address = address.expect("it says where");
        assert!(get(address, "/tasks").text().starts_with("runtime "));
        drop(process.stdin.take());
        assert!(process.wait().expect("it ends").success());
        assert_eq!(lines.count(), 0, "it says nothing else");
    });
}

#[test]
fn without_the_variable_there_is_no_server() {
    let test = "variable::without_the_variable_there_is_no_server";
    let output = in_a_process_of_its_own(test, &[("WSRT_DEBUG", "")], program);
    assert_eq!(text_of(&output), "");
}

#[test]
fn a_bad_value_is_named_in_the_error() {
    let test = "variable::a_bad_value_is_named_in_the_error";
    let output = in_a_process_of_its_own(test, &[("WSRT_DEBUG", "0.0.0.0:6670")], program);
    let text = text_of(&output);
    assert!(text.starts_with("refused: WSRT_DEBUG=0.0.0.0:6670: `0.0.0.0:6670` lets in anyone"), "{text}");
    assert!(text.contains("write `anyone:0.0.0.0:6670` in the variable"), "{text}");
}
