//! The code that `#[wsrt::main]` and `#[wsrt::test]` refuse, and the words and places of the
//! errors.
//!
//! After a change of wording: `TRYBUILD=overwrite cargo test -p wsrt-tests --test macros_refuse`,
//! and read the difference.

use trybuild::TestCases;
use wsrt_tests::has_recorded_compiler;

/// These messages are wsrt's own: the same under every compiler.
#[test]
fn a_mistake_is_refused_at_its_place_with_advice() {
    TestCases::new().compile_fail("ui/*.rs");
}

/// These messages are the compiler's, made readable by where the expansion puts its tokens. Another
/// compiler may word them differently, so only the one of `unchecked.rs` is asked. A change to the
/// bounds of `Runtime::run` may word them differently, too: write them anew, read the difference.
#[test]
fn a_type_error_is_reported_at_the_users_own_tokens() {
    if has_recorded_compiler("messages of type errors") {
        TestCases::new().compile_fail("ui/compiler/*.rs");
    }
}
