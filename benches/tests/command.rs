//! The `compare` program from outside: what it prints, saves and refuses.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn compare(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_compare")).args(arguments).output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn directory(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn a_comparison_prints_and_saves_its_table_and_its_samples() {
    let directory = directory("comparison");
    let output = compare(&[
        "--only",
        "chain,token,echo_tcp",
        "--size",
        "20",
        "--iterations",
        "2",
        "--repeats",
        "3",
        "--connections",
        "1,3",
        "--output",
        directory.to_str().unwrap(),
    ]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let table = fs::read_to_string(directory.join("compare-2-workers.md")).unwrap();
    assert!(text(&output.stdout).contains(&table));
    for label in ["| chain", "| token", "| echo_tcp/1 ", "| echo_tcp/3 "] {
        assert!(table.contains(label), "{label} in {table}");
    }

    let csv = fs::read_to_string(directory.join("compare-2-workers.csv")).unwrap();
    let samples = |start: &str| csv.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!(samples("chain,ns_per_operation,tokio,2,"), 3);
    assert_eq!(samples("token,ns_per_operation,bare,2,"), 3);
    assert_eq!(samples("echo_tcp/3,cpu_us_per_request,smol,2,"), 3);

    let chart = fs::read_to_string(directory.join("compare-2-workers.svg")).unwrap();
    assert!(chart.contains(">token, ns<") && chart.contains("class=\"ours\""), "{chart}");
}

#[test]
fn without_a_go_toolchain_the_others_are_compared_and_the_table_says_so() {
    let directory = directory("no-go");
    let output = Command::new(env!("CARGO_BIN_EXE_compare"))
        .args(["--only", "chain", "--size", "10", "--iterations", "1", "--repeats", "1", "--rivals", "tokio,go"])
        .args(["--output", directory.to_str().unwrap()])
        .env("GO", "no-such-go")
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let table = text(&output.stdout);
    assert!(table.contains("Go is not measured: cannot start \"no-such-go\""), "{table}");
    assert!(!table.contains("FAILED"), "{table}");
}

/// Where there is Go, its figures; where there is none, the reason: never neither.
#[test]
fn go_has_its_figures_where_there_is_a_toolchain() {
    let directory = directory("go");
    let output = compare(&[
        "--only",
        "spawn_inside,root_spawn,spawn_await,yield,chain,token,ping_pong,fork_join,tree,parked",
        "--size",
        "100",
        "--iterations",
        "2",
        "--repeats",
        "1",
        "--rivals",
        "go",
        "--output",
        directory.to_str().unwrap(),
    ]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let figures = fs::read_to_string(directory.join("compare-2-workers.csv")).unwrap();
    let samples = figures.lines().filter(|line| line.contains(",go,2,0,")).count();
    let is_absent = text(&output.stdout).contains("Go is not measured: ");
    assert_eq!(samples, if is_absent { 0 } else { 11 }, "{figures}");
}

#[test]
fn growth_is_measured_along_each_axis_and_drawn() {
    let directory = directory("growth");
    let output = compare(&[
        "--growth",
        "--only",
        "token,echo_tcp",
        "--size",
        "20",
        "--iterations",
        "1",
        "--repeats",
        "1",
        "--rivals",
        "tokio",
        "--output",
        directory.to_str().unwrap(),
    ]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let figures = fs::read_to_string(directory.join("growth.csv")).unwrap();
    assert!(figures.contains("token/8 processors,ns_per_operation,tokio,8,0,"), "{figures}");
    assert!(figures.contains("echo_tcp/1000 connections,requests_per_second,wsrt,2,0,"), "{figures}");
    let chart = fs::read_to_string(directory.join("growth.svg")).unwrap();
    assert_eq!(chart.matches("<polyline").count(), 2 * 4, "{chart}");
    assert!(chart.contains("token, ns, by processors"), "{chart}");
}

#[test]
fn a_child_measures_once_in_its_own_process() {
    let output = compare(&["--child", "tokio", "spawn_inside", "--workers", "1", "--iterations", "1"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let line = text(&output.stdout);
    assert!(line.starts_with("result ns_per_operation "), "{line}");
    assert_eq!(line.lines().count(), 1);
}

#[test]
fn a_measurement_that_takes_too_long_fails_the_comparison_and_says_which() {
    let output = compare(&[
        "--only",
        "yield",
        "--rivals",
        "tokio",
        "--size",
        "1000",
        "--iterations",
        "1000",
        "--repeats",
        "2",
        "--time-limit",
        "1",
        "--output",
        directory("too-long").to_str().unwrap(),
    ]);
    assert!(!output.status.success());
    assert!(text(&output.stdout).contains("**FAILED**: yield on tokio"), "{}", text(&output.stdout));
    assert!(text(&output.stderr).contains("no result after 1 s"), "{}", text(&output.stderr));
}

#[test]
fn a_wrong_argument_is_refused_by_name() {
    let output = compare(&["--only", "nothing"]);
    assert!(!output.status.success());
    assert!(text(&output.stderr).contains("\"nothing\""), "{}", text(&output.stderr));
}
