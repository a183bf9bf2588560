//! The `parallel` program from outside: every section gives its figures, with the rivals that this
//! machine has; bad arguments are refused.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

mod support;

use support::{failed, succeeded, text};

fn directory(name: &str) -> PathBuf {
    support::directory("parallel").join(name)
}

/// Nothing is measured here: a child may take as long as a busy machine needs for it.
fn parallel(line: &str, more: impl FnOnce(&mut Command) -> &mut Command) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parallel"));
    more(command.args(line.split_whitespace()).args(["--time-limit", "600"])).output().expect("the program starts")
}

/// Measures `section`, whose results the children check themselves, and returns the table.
fn table_of(section: &str, more: &str) -> String {
    let directory = directory(section);
    let line = format!("--only {section} --processors 1 --repeats 1 {more}");
    let printed = succeeded(&parallel(&line, |command| command.arg("--output").arg(&directory)));
    let table = fs::read_to_string(directory.join("parallel.md")).unwrap();
    assert!(printed.contains(&table));
    table
}

#[test]
fn every_pool_runs_the_loops_and_they_are_plotted() {
    let table = table_of("loops", "--cases zipf_100");
    assert!(table.contains("| zipf_100, 1 processor "), "{table}");
    let drawing = fs::read_to_string(directory("loops").join("parallel.svg")).unwrap();
    assert!(drawing.contains("class=\"ours\""), "{drawing}");
    let figures = fs::read_to_string(directory("loops").join("parallel.csv")).unwrap();
    assert!(figures.contains("loops/zipf_100,efficiency,rayon,1,0,"), "{figures}");
}

#[test]
fn a_rival_without_its_compiler_is_left_out() {
    let line = "--only loops --cases zipf_100 --subjects serial,onetbb --processors 1 --repeats 1";
    let directory = directory("no compiler");
    let table =
        succeeded(&parallel(line, |command| command.arg("--output").arg(directory).env("CXX", "no-such-compiler")));
    assert!(table.contains("onetbb: not measured, cannot start \"no-such-compiler\""), "{table}");
    assert!(!table.contains("FAILED"));
}

#[test]
fn a_loop_after_a_rest_has_its_figures() {
    assert!(table_of("rested", "--cases zipf_100 --subjects wsrt,central_queue").contains("| zipf_100"));
}

#[test]
fn every_pool_runs_the_scenarios_and_the_joins() {
    assert!(table_of("scenarios", "").contains("| graph, 1 processor "));
    assert!(table_of("join", "--subjects wsrt,rayon,serial").contains("| fib(22), 1 processor "));
}

#[test]
fn a_server_echoes_beside_an_endless_loop_that_can_end() {
    assert!(table_of("echo", "").contains("p99 beside : alone"));
}

#[test]
fn a_crowd_and_a_loop_both_have_their_share() {
    assert!(table_of("crowd", "").contains("the tasks' share"));
}

#[test]
fn a_bad_argument_is_named_and_nothing_is_measured() {
    for (line, culprit) in [
        ("--only knots", "knots"),
        ("--processors 100000", "--processors 100000"),
        ("--child loops zipf_512 nobody --cores 0", "nobody"),
        ("--child loops zipf_3 wsrt --cores 0", "zipf_3"),
    ] {
        let output = parallel(line, |command| command);
        let complaint = failed(&output);
        assert!(complaint.starts_with("parallel: ") && complaint.contains(culprit), "{line}: {complaint}");
        assert!(output.stdout.is_empty(), "{line}: {}", text(&output.stdout));
    }
}
