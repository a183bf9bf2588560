//! The `http` program from outside: its servers serve, and a comparison has its figures.
#![cfg(feature = "wsrt")]

use std::env;
use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, ChildStdout, Command, Output, Stdio};

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

/// A server of the program, which has told its address.
struct Server {
    process: Child,
    said: Lines<BufReader<ChildStdout>>,
    address: String,
}

impl Server {
    fn start(line: &str) -> Self {
        let mut command = program();
        command.arg("--serve").args(line.split_whitespace()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().expect("the program starts");
        let mut said = BufReader::new(process.stdout.take().expect("it is piped")).lines();
        let greeting = said.next().expect("it goes on").expect("it is text");
        let address = greeting.strip_prefix("listening ").expect("with this word").to_owned();
        Self { process, said, address }
    }

    /// Asks for an answer over HTTP, then for the use of the machine, and ends the server.
    fn answers_and_ends(mut self) {
        let mut client = TcpStream::connect(&self.address).expect("it listens");
        client.write_all(b"GET / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n").expect("it reads");
        let mut answer = String::new();
        client.read_to_string(&mut answer).expect("it answers");
        assert!(answer.starts_with("HTTP/1.1 200 ") && answer.ends_with("\r\n\r\nHello, world!\n"), "{answer}");
        let mut questions = self.process.stdin.take().expect("it is piped");
        writeln!(questions, "usage").expect("it listens");
        assert!(self.said.next().expect("it goes on").expect("it is text").starts_with("used "));
        drop(questions);
        assert!(self.process.wait().expect("it is our child").success());
    }
}

#[test]
fn the_servers_answer_and_report_their_use() {
    for runtime in ["wsrt", "tokio"] {
        Server::start(&format!("{runtime} http1 --cores 0")).answers_and_ends();
    }
}

#[test]
fn a_proxy_answers_what_its_upstream_does() {
    for runtime in ["wsrt", "tokio"] {
        let upstream = Server::start("tokio http1 --cores 0");
        Server::start(&format!("{runtime} http1_proxy --cores 0 --upstream {}", upstream.address)).answers_and_ends();
        upstream.answers_and_ends();
    }
}

/// There are figures for the load generators that are installed; the table names the others.
#[test]
fn a_comparison_has_its_figures_or_says_what_is_missing() {
    let line = "--processors 1 --repeats 1 --seconds 1 --connections 4 --close --rates 100 --proxy --tls";
    let printed = succeeded(&http(line));
    let samples = fs::read_to_string(directory("http").join("http-1-processors.csv")).expect("it is saved");
    let of_wrk = ["http1/4", "http1_close/4", "http1_proxy/4", "http1_tls/4"].map(|line| (line, "wrk"));
    let lines = of_wrk.into_iter().chain([("http1_rate/100", "h2load"), ("http2/4", "h2load")]);
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

/// The generators are scripts: wrk reports, and h2load never ends.
#[test]
fn a_generator_without_an_end_costs_only_its_own_samples() {
    let scripts = directory("generators");
    fs::create_dir_all(&scripts).expect("there is room");
    let report = "echo '50% 1.00ms'; echo '99% 2.00ms'; echo '9 requests in 1.00s'; echo 'Requests/sec: 9'";
    for (name, script) in [("wrk", report), ("h2load", "[ \"$1\" = --version ] || sleep 1000")] {
        let path = scripts.join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("it is written");
        fs::set_permissions(&path, Permissions::from_mode(0o755)).expect("it is ours");
    }
    let line = "--processors 1 --repeats 2 --seconds 1 --connections 4 --time-limit 1";
    let path = format!("{}:{}", scripts.display(), env::var("PATH").expect("there is one"));
    let output = program()
        .args(line.split_whitespace())
        .arg("--output")
        .arg(&scripts)
        .env("PATH", path)
        .output()
        .expect("it starts");
    assert!(failed(&output).contains("h2load had not ended after 2s and was killed"), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout).matches("no end in 2s").count(), 2, "{}", text(&output.stdout));
    let samples = fs::read_to_string(scripts.join("http-1-processors.csv")).expect("it is saved");
    for runtime in ["wsrt", "tokio"] {
        for repeat in [0, 1] {
            assert!(samples.contains(&format!("http1/4,p99_us,{runtime},1,{repeat},2000")), "{samples}");
        }
    }
    assert!(!samples.contains("http2/4"), "{samples}");
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
