//! The `compare` program from outside: its tables and files, and the arguments that it refuses.

use std::fs;
use std::process::{Command, Output};

mod support;

use support::{directory, failed, succeeded, text};

/// Runs a comparison whose files go into the directory `name`.
fn compare_into(name: &str, line: &str) -> Output {
    compare_with(name, line, |command| command)
}

fn compare_with(name: &str, line: &str, more: impl FnOnce(&mut Command) -> &mut Command) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_compare"));
    command.args(line.split_whitespace()).arg("--output").arg(directory(name));
    more(&mut command).output().expect("the program starts")
}

#[test]
fn a_comparison_prints_and_saves_its_table_and_its_samples() {
    let output = compare_into(
        "comparison",
        "--only chain,token,echo_tcp --size 20 --iterations 2 --repeats 3 --connections 1,3",
    );
    let printed = succeeded(&output);
    let saved = |extension: &str| {
        fs::read_to_string(directory("comparison").join("compare-2-workers").with_extension(extension)).unwrap()
    };
    let table = saved("md");
    assert!(printed.contains(&table));
    for label in ["| chain", "| token", "| echo_tcp/1 ", "| echo_tcp/3 "] {
        assert!(table.contains(label), "{label} in {table}");
    }

    let csv = saved("csv");
    let samples = |start: &str| csv.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!(samples("chain,ns_per_operation,tokio,2,"), 3);
    assert_eq!(samples("token,ns_per_operation,bare,2,"), 3);
    assert_eq!(samples("echo_tcp/3,cpu_us_per_request,smol,2,"), 3);

    let chart = saved("svg");
    assert!(chart.contains(">token, ns<") && chart.contains("class=\"ours\""), "{chart}");
}

#[test]
fn without_go_the_table_says_so_and_compares_the_others() {
    let line = "--only chain --size 10 --iterations 1 --repeats 1 --rivals tokio,go";
    let table = succeeded(&compare_with("no-go", line, |command| command.env("GO", "no-such-go")));
    assert!(table.contains("Go is not measured: cannot start \"no-such-go\""), "{table}");
    assert!(!table.contains("FAILED"), "{table}");
}

/// Where there is Go, its figures; where there is none, the reason: never neither.
#[test]
fn go_has_its_figures_where_there_is_a_toolchain() {
    let output = compare_into(
        "go",
        "--only spawn_inside,root_spawn,spawn_await,yield,chain,token,ping_pong,fork_join,tree,parked \
         --size 100 --iterations 2 --repeats 1 --rivals go",
    );
    let printed = succeeded(&output);
    let figures = fs::read_to_string(directory("go").join("compare-2-workers.csv")).unwrap();
    let samples = figures.lines().filter(|line| line.contains(",go,2,0,")).count();
    let is_absent = printed.contains("Go is not measured: ");
    assert_eq!(samples, if is_absent { 0 } else { 11 }, "{figures}");
}

#[test]
fn growth_is_measured_along_each_axis_and_drawn() {
    let line = "--growth --only token,echo_tcp --size 20 --iterations 1 --repeats 1 --rivals tokio";
    succeeded(&compare_into("growth", line));
    let figures = fs::read_to_string(directory("growth").join("growth.csv")).unwrap();
    assert!(figures.contains("token/8 processors,ns_per_operation,tokio,8,0,"), "{figures}");
    assert!(figures.contains("echo_tcp/1000 connections,requests_per_second,wsrt,2,0,"), "{figures}");
    let chart = fs::read_to_string(directory("growth").join("growth.svg")).unwrap();
    assert_eq!(chart.matches("<polyline").count(), 2 * 4, "{chart}");
    assert!(chart.contains("token, ns, by processors"), "{chart}");
}

#[test]
fn a_child_measures_once_in_its_own_process() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_compare"));
    command.args("--child tokio spawn_inside --workers 1 --iterations 1".split_whitespace());
    let line = succeeded(&command.output().expect("the program starts"));
    assert!(line.starts_with("result ns_per_operation "), "{line}");
    assert_eq!(line.lines().count(), 1);
}

#[test]
fn a_measurement_that_takes_too_long_fails_the_comparison() {
    let line = "--only yield --rivals tokio --size 1000 --iterations 1000 --repeats 2 --time-limit 1";
    let output = compare_into("too-long", line);
    let complaint = failed(&output);
    assert!(text(&output.stdout).contains("**FAILED**: yield on tokio"), "{}", text(&output.stdout));
    assert!(complaint.contains("no result after 1 s"), "{complaint}");
}

#[test]
fn a_wrong_argument_is_refused_by_name() {
    let complaint = failed(&compare_into("refused", "--only nothing"));
    assert!(complaint.contains("\"nothing\""), "{complaint}");
}
