//! The `http` program from outside: its servers serve, and a comparison has its figures.
#![cfg(feature = "wsrt")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Output, Stdio};

mod support;

use support::{directory, failed, succeeded, text};

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_http"))
}

fn http(line: &str) -> Output {
    let mut command = program();
    command.args(line.split_whitespace()).arg("--output").arg(directory("http"));
    command.output().expect("the program starts")
}

#[test]
fn the_servers_answer_and_report_their_use() {
    for runtime in ["wsrt", "tokio"] {
        let mut server = program()
            .args(["--serve", runtime, "http1", "--cores", "0"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut questions = server.stdin.take().expect("it is piped");
        let mut said = BufReader::new(server.stdout.take().expect("it is piped")).lines();
        let mut next = || said.next().expect("it goes on").expect("it is text");
        let greeting = next();
        let address = greeting.strip_prefix("listening ").expect("with this word");
        let mut client = TcpStream::connect(address).expect("it listens");
        client.write_all(b"GET / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n").expect("it reads");
        let mut answer = String::new();
        client.read_to_string(&mut answer).expect("it answers");
        assert!(answer.starts_with("HTTP/1.1 200 ") && answer.ends_with("\r\n\r\nHello, world!\n"), "{answer}");
        writeln!(questions, "usage").expect("it listens");
        assert!(next().starts_with("used "));
        drop(questions);
        assert!(server.wait().expect("it is our child").success());
    }
}

/// There are figures for the load generators that are installed; the table names the others.
#[test]
fn a_comparison_has_its_figures_or_says_what_is_missing() {
    let printed = succeeded(&http("--processors 1 --repeats 1 --seconds 1 --connections 4 --close --rates 100"));
    let samples = fs::read_to_string(directory("http").join("http-1-processors.csv")).expect("it is saved");
    let lines = [("http1/4", "wrk"), ("http1_close/4", "wrk"), ("http1_rate/100", "h2load"), ("http2/4", "h2load")];
    for (line, generator) in lines {
        if printed.contains(&format!("{line} not measured: {generator} is not installed")) {
            continue;
        }
        for runtime in ["wsrt", "tokio"] {
            for figure in ["requests_per_second", "cpu_us_per_request", "p99_us"] {
                assert!(samples.contains(&format!("{line},{figure},{runtime},1,0,")), "{samples}");
            }
        }
    }
}

#[test]
fn a_bad_argument_is_named_and_nothing_is_measured() {
    for (line, culprit) in [("--only gopher", "gopher"), ("--processors 100000", "100000")] {
        assert_refused(&http(line), culprit);
    }
    for (line, culprit) in
        [("--serve nobody http1 --cores 0", "nobody"), ("--serve wsrt http1 --cores 100000", "[100000]")]
    {
        assert_refused(&program().args(line.split_whitespace()).output().expect("the program starts"), culprit);
    }
}

#[track_caller]
fn assert_refused(output: &Output, culprit: &str) {
    let complaint = failed(output);
    assert!(complaint.contains(culprit), "{complaint}");
    assert!(output.stdout.is_empty(), "{}", text(&output.stdout));
}
