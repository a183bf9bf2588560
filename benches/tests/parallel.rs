//! The `parallel` program from outside: every section gives its figures, with whom this machine has; bad arguments are refused.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn parallel(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_parallel")).args(arguments).output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Measures `section`, whose results the children check themselves, and answers the table.
fn table_of(section: &str, more: &[&str]) -> String {
    let directory = directory(section);
    let output = directory.to_str().unwrap();
    let arguments = ["--only", section, "--processors", "1", "--repeats", "1", "--output", output];
    let output = parallel(&[&arguments, more].concat());
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    let table = fs::read_to_string(directory.join("parallel.md")).unwrap();
    assert!(text(&output.stdout).contains(&table));
    table
}

fn directory(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("parallel").join(name)
}

#[test]
fn the_loops_are_run_by_everybody_and_plotted() {
    let table = table_of("loops", &["--cases", "zipf_100"]);
    assert!(table.contains("| zipf_100, 1 processor "), "{table}");
    let drawing = fs::read_to_string(directory("loops").join("parallel.svg")).unwrap();
    assert!(drawing.contains("class=\"ours\""), "{drawing}");
    let figures = fs::read_to_string(directory("loops").join("parallel.csv")).unwrap();
    assert!(figures.contains("loops,zipf_100,1,\"efficiency\",rayon,0,"), "{figures}");
}

#[test]
fn a_rival_without_its_compiler_is_left_out_and_the_table_says_so() {
    let directory = directory("no compiler");
    let output = Command::new(env!("CARGO_BIN_EXE_parallel"))
        .args([
            "--only",
            "loops",
            "--cases",
            "zipf_100",
            "--subjects",
            "serial,onetbb",
            "--processors",
            "1",
            "--repeats",
            "1",
        ])
        .args(["--output", directory.to_str().unwrap()])
        .env("CXX", "no-such-compiler")
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let table = text(&output.stdout);
    assert!(table.contains("onetbb: not measured, cannot start \"no-such-compiler\""), "{table}");
    assert!(!table.contains("FAILED"));
}

#[test]
fn a_loop_after_a_rest_has_its_figures() {
    assert!(table_of("rested", &["--cases", "zipf_100", "--subjects", "wsrt,central_queue"]).contains("| zipf_100"));
}

#[test]
fn the_scenarios_and_joins_are_run_by_everybody() {
    assert!(table_of("scenarios", &[]).contains("| graph, 1 processor "));
    assert!(table_of("join", &["--subjects", "wsrt,rayon,serial"]).contains("| fib(22), 1 processor "));
}

#[test]
fn a_server_echoes_beside_an_endless_loop_and_the_loop_ends_when_told() {
    assert!(table_of("echo", &[]).contains("p99 beside : alone"));
}

#[test]
fn a_crowd_and_a_loop_both_have_their_share() {
    assert!(table_of("crowd", &[]).contains("the tasks' share"));
}

#[test]
fn a_bad_argument_is_named_and_nothing_is_measured() {
    for (arguments, culprit) in [
        (&["--only", "knots"][..], "knots"),
        (&["--processors", "100000"], "--processors 100000"),
        (&["--child", "loops", "zipf_512", "nobody", "--cores", "0"], "nobody"),
        (&["--child", "loops", "zipf_3", "wsrt", "--cores", "0"], "zipf_3"),
    ] {
        let output = parallel(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        let complaint = text(&output.stderr);
        assert!(complaint.starts_with("parallel: ") && complaint.contains(culprit), "{arguments:?}: {complaint}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}
