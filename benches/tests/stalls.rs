//! The `stalls` program from outside: a measurement of waits has its table and its samples.
#![cfg(feature = "wsrt")]

use std::fs;
use std::process::Command;

mod support;

use support::{directory, failed, succeeded};

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_stalls"))
}

#[test]
fn each_situation_has_a_row_and_its_samples() {
    let mut command = program();
    let line = "--waits --stalls 3 --tokio-stalls 2 --output";
    command.args(line.split_whitespace()).arg(directory("stalls"));
    let printed = succeeded(&command.output().expect("the program starts"));
    for stuck in ["sleeps", "computes"] {
        for readied in ["runnext", "outside", "timer", "socket"] {
            let rows = |start: &str| printed.lines().filter(|line| line.starts_with(start)).count();
            assert_eq!(rows(&format!("| {stuck}/{readied}/1 ")), 1, "{printed}");
            assert_eq!(rows(&format!("| {stuck}/{readied}/2 ")), 2, "{printed}");
        }
    }
    let csv = fs::read_to_string(directory("stalls").join("waits.csv")).unwrap();
    let samples = |start: &str| csv.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!(samples("computes/socket,ms_waited,wsrt,2,"), 3, "{csv}");
    assert_eq!(samples("computes/socket,ms_rested,wsrt,2,"), 3, "{csv}");
    assert_eq!(samples("computes/socket,ms_waited,tokio,2,"), 2, "{csv}");
    assert_eq!(samples("computes/socket,ms_waited,tokio,1,"), 0, "{csv}");
}

#[test]
fn a_bad_argument_is_named_and_nothing_is_measured() {
    let output = program().args(["--waits", "--only", "nothing"]).output().expect("the program starts");
    assert!(failed(&output).contains("nothing"));
    assert!(output.stdout.is_empty());
}
