//! The soak test of the examples finds each fault that is planted in it, and none where there is
//! none.
#![cfg(target_os = "linux")]

use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::OnceLock;

use wsrt_tests::example;

fn soak(arguments: &[&str]) -> Output {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| example("soak"));
    Command::new(program).args(arguments).output().expect("the program starts")
}

/// Runs nine rounds with the fault `plant` and a little load, and checks its last words.
fn finds(plant: &str, account: &str) {
    ends_with(plant, "60", 1, account);
}

/// Runs it until a round does not end, by the fault `plant`.
fn finds_no_end(plant: &str, account: &str) {
    ends_with(plant, "4", 3, account);
}

fn ends_with(plant: &str, limit: &str, status: i32, account: &str) {
    let arguments = ["--seconds", "2", "--limit", limit, "--only", "echoes,plant", "--share", "0.5", "--plant", plant];
    let output = soak(&arguments);
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{said}\n{errors}");
    assert!(said.contains(account), "{account}: {said}");
}

#[test]
fn without_a_fault_the_ledger_balances() {
    let output = soak(&["--seconds", "3"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("the ledger balances: ") && said.contains("requests answered"), "{said}");
}

#[test]
fn a_second_answer_is_found() {
    finds("answer", "was answered twice");
}

#[test]
fn a_task_that_is_not_dropped_is_found() {
    finds_no_end("task", "DOES NOT END: the rest, since Task: ");
}

#[test]
fn a_task_that_does_not_end_is_found() {
    finds_no_end("immortal", " tasks are alive, and 3 are the servers' and the program's");
}

#[test]
fn a_descriptor_left_open_is_found() {
    finds("descriptor", "DOES NOT BALANCE: descriptors rose from ");
}

#[test]
fn a_thread_left_behind_is_found() {
    finds("thread", "DOES NOT BALANCE: threads rose from ");
}

#[test]
fn a_timer_left_armed_is_found() {
    finds("timer", "DOES NOT BALANCE: timers rose from ");
}

#[test]
fn memory_left_behind_is_found() {
    finds("memory", "DOES NOT BALANCE: allocated rose from ");
}

#[test]
fn a_wrong_argument_is_refused() {
    let output = soak(&["--seconds", "ten"]);
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.starts_with("soak: `--seconds ten`: invalid digit found in string"), "{message}");
    assert!(message.contains("the options are --seconds, "), "{message}");
}
