//! The program as a user runs it: on `cargo test` of a package, and on one that is none.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Fails by each fiftieth seed from 37 on, while two of its twenty faults are there. It tells of
/// them as wsrt's simulations do, and has none of them.
const SUBJECT: &str = r#"
#[test]
fn a_simulation() {
    use std::io::Write;
    let variable = |name| std::env::var(name).ok();
    let Some(report) = variable("WSRT_SIM_REPORT") else { return };
    let mut report = std::fs::OpenOptions::new().create(true).append(true).open(report).unwrap();
    let mut fails = |seed: u64| {
        writeln!(report, "simulation {seed}").unwrap();
        let all = || (0..20).map(|n| format!("at {}ms crash h{n} for 500ms", 1000 + 7 * n)).collect::<Vec<_>>().join("\n");
        let plan = variable("WSRT_SIM_PLAN").map_or_else(all, |file| std::fs::read_to_string(&file[1..]).unwrap());
        let is_bad = seed % 50 == 37 && plan.contains(" h3 ") && plan.contains(" h11 ");
        if is_bad {
            writeln!(report, "failure {seed} 1 1\nit broke at step {seed}\n{plan}\nend of failure").unwrap();
        }
        is_bad
    };
    let seed = variable("WSRT_SIM_SEED").map(|seed| seed.parse().unwrap());
    assert!(!fails(seed.unwrap_or(0)), "on purpose");
}

#[test]
fn no_simulation() {}
"#;

/// Writes a package with those tests, which needs no other. One test calls it, once: a manifest
/// that is written again while cargo reads it is an empty one to it.
fn write_subject() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("subject");
    fs::create_dir_all(folder.join("src")).expect("the target folder can be written to");
    let manifest = "[package]\nname = \"subject\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[workspace]\n";
    fs::write(folder.join("Cargo.toml"), manifest).expect("the target folder can be written to");
    fs::write(folder.join("src/lib.rs"), SUBJECT).expect("the target folder can be written to");
    folder
}

fn run(folder: &Path, words: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wsrt-sim"));
    let Output { status, stdout, stderr } =
        command.current_dir(folder).args(words.split(' ')).output().expect("it can be run");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (status.code(), text(&stdout), text(&stderr))
}

/// All in one test: the builds of the package would wait for each other.
#[test]
fn a_test_is_built_once_and_its_failure_shrunk() {
    let subject = write_subject();
    let cargo = format!("{} test --offline --target-dir target", env!("CARGO"));

    let (code, text, errors) = run(&subject, &format!("--seeds 0..90 --jobs 2 -- {cargo} a_simulation"));
    assert_eq!(code, Some(1), "{text}{errors}");
    assert!(text.starts_with("90 seeds, "), "{text}");
    for line in [
        "the smallest that fail: 37, 87",
        "seed 37: it broke at step 37",
        "at 1s crash h3 for 1ms",
        "at 1s crash h11 for 1ms",
        "WSRT_SIM_SEED=37 WSRT_SIM_PLAN='at 1s crash h3 for 1ms; at 1s crash h11 for 1ms' ",
    ] {
        assert!(text.contains(line), "no `{line}` in {text}");
    }
    assert!(text.trim_end().ends_with("--target-dir target a_simulation"), "{text}");

    let (code, text, errors) = run(&subject, &format!("--seeds 30 --json {cargo} a_simulation"));
    assert_eq!((code, text.contains("\"ran\":30,")), (Some(0), true), "{text}{errors}");

    let (code, text, errors) = run(&subject, &format!("--seeds 30 -- {cargo} no_simulation"));
    assert_eq!((code, text.as_str()), (Some(2), ""), "{errors}");
    assert!(errors.contains("no_simulation` has run no simulation: is the test named as it is"), "{errors}");

    let (code, _, errors) = run(&subject, &format!("-- {cargo} --no-such-option"));
    assert_eq!(code, Some(2), "{errors}");
    assert!(errors.contains("wsrt-sim: cargo has not built the test"), "{errors}");
}

#[test]
fn a_program_that_cannot_be_run_is_named() {
    let run = |words| run(Path::new(env!("CARGO_TARGET_TMPDIR")), words);
    let (code, text, errors) = run("-- ./no-such-program a");
    assert_eq!((code, text.as_str()), (Some(2), ""));
    assert!(errors.starts_with("wsrt-sim: cannot run `./no-such-program`: "), "{errors}");
    assert_eq!(run("--help").0, Some(0));
    assert_eq!(run("--seeds none x").2, "wsrt-sim: --seeds `none` is not 10000 or 500..1000\n");
}
