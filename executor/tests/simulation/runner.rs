//! `wsrt-sim` finds a seed of the replicated log with its planted fault, and the faults that
//! matter.

use std::env;
use std::ffi::OsString;
use std::process::Command;

use crate::replicated_log::example;

/// The test that is run. The fault is planted where `wsrt-sim` runs it.
#[test]
fn subject_of_the_runner() {
    let is_planted = env::var_os("WSRT_SIM_REPORT").is_some();
    wsrt::sim::seeds(0..2, |seed| _ = example::run(seed, is_planted));
}

const SUBJECT: [&str; 2] = ["runner::subject_of_the_runner", "--exact"];

#[test]
fn the_faults_that_matter_are_few_and_repeat_it() {
    let this = env::current_exe().expect("it runs");
    let options = "--seeds 400 --failures 1 --jobs 2 --shrink 150 --limit 600 --json --".split(' ');
    let words = options.map(OsString::from).chain([this.clone().into_os_string()]).chain(SUBJECT.map(OsString::from));
    let mut output = Vec::new();
    assert_eq!(wsrt_sim::cli::run(words, &mut output), Ok(false), "a seed fails");
    let found = String::from_utf8(output).expect("it is a text");
    let text_of = |key: &str| {
        let (_, rest) = found.split_once(&format!("\"{key}\":\"")).unwrap_or_else(|| panic!("no {key} in {found}"));
        rest.split('"').next().expect("there is one").replace("\\n", "\n")
    };
    let (plan, shrunk) = (text_of("plan"), text_of("shrunk"));
    assert!(text_of("why").contains("the invariant `acknowledged entries are on two disks` does not hold"), "{found}");
    let [all, left] = [&plan, &shrunk].map(|plan| plan.lines().count());
    assert!(left < all || all < 4, "{found}");
    assert!(shrunk.contains("crash"), "only a crash takes entries from a disk: {found}");

    let (_, seed) = found.split_once("\"seed\":").expect("it names the seed");
    let seed = seed.split(',').next().expect("there is one");
    let fails_with = |plan: &str| {
        let mut command = Command::new(&this);
        command.args(SUBJECT).env("WSRT_SIM_SEED", seed).env("WSRT_SIM_PLAN", plan).env("WSRT_SIM_REPORT", "/dev/null");
        !command.output().expect("it runs").status.success()
    };
    assert!(fails_with(&shrunk) && fails_with(&shrunk.replace('\n', "; ")), "{found}");
    assert!(!fails_with("nothing"), "{found}");
}

#[test]
fn a_plan_that_is_none_is_refused_with_its_line() {
    let mut command = Command::new(env::current_exe().expect("it runs"));
    let output = command.args(SUBJECT).env("WSRT_SIM_PLAN", "nothing; at noon crash one").output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("WSRT_SIM_PLAN: line 1 of the plan, `at noon crash one`: `noon` is no time"), "{text}");
}
