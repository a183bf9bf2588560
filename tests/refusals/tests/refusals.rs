//! Code that does not compile: what `#[wsrt::main]` and `#[wsrt::test]` refuse, and what may not
//! run in parallel or be borrowed by tasks; and the words and places of the errors.
//!
//! After a change of wording: `TRYBUILD=overwrite cargo test -p wsrt-refusals`, and read the
//! difference.

// Of wsrt-tests, and that builds too much to be depended on.
#[path = "../../src/unchecked.rs"]
#[expect(unreachable_pub, reason = "it is public there")]
mod unchecked;

use std::env;
use std::process::Command;

use trybuild::TestCases;

use self::unchecked::not_checked;

/// The compiler whose words the files in `ui/compiler`, `ui/parallel` and `ui/scopes` hold.
const RECORDED: &str = "rustc 1.95.";

/// Whether the compiler is the one whose words are recorded. Says so if it is another, and fails in
/// CI then: the words of a new compiler have to be recorded.
#[track_caller]
fn has_recorded_compiler(check: &str) -> bool {
    let compiler = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(compiler).arg("--version").output().expect("there is a compiler");
    let version = String::from_utf8(output.stdout).expect("a version is text");
    let is_recorded = version.starts_with(RECORDED);
    if !is_recorded {
        not_checked(check, &format!("the messages are those of {RECORDED}*, and this is {}", version.trim()));
    }
    is_recorded
}

/// These messages are wsrt's own: the same under every compiler.
#[test]
fn a_mistake_is_refused_at_its_place_with_advice() {
    TestCases::new().compile_fail("ui/*.rs");
}

/// These messages are the compiler's, made readable by where the expansion puts its tokens. Another
/// compiler may word them differently, so only the recorded one is asked. A change to the bounds of
/// `Runtime::run` may word them differently, too: write them anew, read the difference.
#[test]
fn a_type_error_is_reported_at_the_users_own_tokens() {
    if has_recorded_compiler("messages of type errors") {
        TestCases::new().compile_fail("ui/compiler/*.rs");
    }
}

/// The compiler's messages, too.
#[test]
fn what_is_not_safe_in_parallel_is_refused() {
    if has_recorded_compiler("messages about what may not run in parallel") {
        TestCases::new().compile_fail("ui/parallel/*.rs");
    }
}

/// The compiler's messages, too.
#[test]
fn what_a_scoped_task_may_not_borrow_is_refused() {
    if has_recorded_compiler("messages about what tasks may not borrow") {
        TestCases::new().compile_fail("ui/scopes/*.rs");
    }
}
