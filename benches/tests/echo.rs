//! The `echo` program from outside: a comparison has its figures and its charts.
#![cfg(feature = "wsrt")]

use std::fs;
use std::process::{Command, Output};

mod support;

use support::{directory, failed, succeeded, text};

fn echo(line: &str) -> Output {
    echo_into("echo", line)
}

fn echo_into(folder: &str, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_echo"));
    command.args(line.split_whitespace()).arg("--output").arg(directory(folder));
    command.output().expect("the program starts")
}

/// Go has figures only where there is a toolchain.
#[test]
fn every_server_has_its_figures_and_its_curves() {
    let line = "--workers 1 --repeats 1 --connections 1,5 --loads 50,100 --capacity 300 --rivals tokio,smol,go";
    let printed = succeeded(&echo(line));
    let samples = fs::read_to_string(directory("echo").join("echo-1-workers.csv")).expect("it is saved");
    let has_go = !printed.contains("Go is not measured: ");
    for server in ["wsrt", "tokio", "smol", "bare"].into_iter().chain(has_go.then_some("go")) {
        for figure in ["connections/5,cpu_us_per_request", "load/50 %,requests_per_second", "load/100 %,p999_us"] {
            assert!(samples.contains(&format!("{figure},{server},1,0,")), "{figure} of {server} in {samples}");
        }
    }
    for (name, panels) in [("echo-connections.svg", 2), ("echo-load.svg", 4)] {
        let chart = fs::read_to_string(directory("echo").join(name)).expect("it is saved");
        assert_eq!(chart.matches("<polyline").count(), panels * (4 + usize::from(has_go)), "{chart}");
    }
}

/// A bare server is behind the proxies, and none of them.
#[test]
fn proxies_and_tls_have_their_figures() {
    let line = "--workers 1 --repeats 1 --only proxy,tls --connections 5 --rivals tokio,smol,go";
    let printed = succeeded(&echo_into("echo-beyond", line));
    let samples = fs::read_to_string(directory("echo-beyond").join("echo-1-workers.csv")).expect("it is saved");
    let has_go = !printed.contains("Go is not measured: ");
    let lines = |line: &str, subjects: &[&str]| {
        for subject in subjects {
            assert!(samples.contains(&format!("{line},cpu_us_per_request,{subject},1,0,")), "{subject} in {samples}");
        }
        assert_eq!(samples.matches(&format!("{line},cpu_us_per_request,")).count(), subjects.len(), "{samples}");
    };
    lines("proxy/5", if has_go { &["wsrt", "tokio", "smol", "go"] } else { &["wsrt", "tokio", "smol"] });
    lines("tls/5", &["wsrt", "tokio"]);
}

#[test]
fn a_bad_argument_is_named_and_nothing_is_measured() {
    for (line, culprit) in [("--only chain", "chain"), ("--workers 100000", "100000"), ("--from nowhere", "nowhere")] {
        let output = echo(&format!("{line} --capacity 100 --loads 50 --connections 1 --rivals tokio"));
        assert!(failed(&output).contains(culprit), "{}", text(&output.stderr));
        assert!(output.stdout.is_empty(), "{}", text(&output.stdout));
    }
}
