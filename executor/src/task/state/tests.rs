//! The count of references: what it says of wakers, and its end, which only a computer of 32 bits
//! has the memory to reach.

use std::env;
use std::process::Command;

use super::{JOIN_INTEREST, MOST, REFERENCE, State};
use crate::util::sync::atomic::AtomicUsize;

/// Set in the process that is to be aborted.
const MARK: &str = "WSRT_TESTS_TOO_MANY_REFERENCES";

#[test]
fn one_reference_too_many_aborts_with_a_message() {
    if env::var_os(MARK).is_some() {
        let state = State { word: AtomicUsize::new(MOST - REFERENCE) };
        state.add_reference();
        state.add_reference();
        eprintln!("so many can be counted");
        state.add_reference();
        unreachable!("that is one more");
    }
    let name = "task::state::tests::one_reference_too_many_aborts_with_a_message";
    let mut process = Command::new(env::current_exe().expect("the test program has a path"));
    process.args([name, "--exact", "--nocapture"]).env(MARK, "1");
    let output = process.output().expect("the test program starts a second time");
    let errors = String::from_utf8_lossy(&output.stderr);
    let (_, after) = errors.split_once("so many can be counted\n").expect("the limit is not passed yet");
    assert!(!output.status.success());
    let most = MOST / REFERENCE + 1;
    assert!(after.starts_with(&format!("wsrt: a task has {most} wakers")), "{errors}");
}

#[test]
fn wakers_are_what_neither_the_task_nor_its_handle_holds() {
    let wakers = |word| State { word: AtomicUsize::new(word) }.look().wakers;
    assert_eq!([1, 2, 4].map(|references| wakers(references * REFERENCE)), [0, 1, 3]);
    assert_eq!([1, 2, 4].map(|references| wakers((references * REFERENCE) | JOIN_INTEREST)), [0, 0, 2]);
}
