//! The `instructions` program from outside: without optimisation it counts nothing, and a bad
//! argument is refused.

use std::process::{Command, Output};

fn instructions(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_instructions")).args(arguments).output().expect("the program starts")
}

fn complaint(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_wrong_argument_is_refused_by_name() {
    let output = instructions(&["--recrod"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(complaint(&output).contains("--recrod"), "{}", complaint(&output));
}

/// Under a path without valgrind an optimised build says that it checks nothing, and that is no
/// failure; a build without optimisation has no counts to give.
#[test]
fn without_valgrind_or_optimisation_it_says_so() {
    let output = Command::new(env!("CARGO_BIN_EXE_instructions")).env("PATH", "").output().expect("the program starts");
    if cfg!(debug_assertions) {
        assert_eq!(output.status.code(), Some(1));
        assert!(complaint(&output).contains("run it with --release"), "{}", complaint(&output));
    } else {
        assert!(output.status.success(), "{}", complaint(&output));
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("NOT CHECKED: there is no valgrind"), "{text}");
    }
}

#[test]
fn its_child_measures_the_workload_that_it_is_asked_for() {
    let output = instructions(&["--child", "wsrt", "wake", "--workers", "1", "--iterations", "1", "--size", "10"]);
    assert!(output.status.success(), "{}", complaint(&output));
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("result ns_per_operation "));
}
