//! Code that may not run in parallel does not compile.
//!
//! The messages are the compiler's, so only one version of it is asked: see `unchecked.rs`. After a
//! change:
//! `TRYBUILD=overwrite cargo test -p wsrt-tests --test parallel_refuses`, and read the difference.

use wsrt_tests::has_recorded_compiler;

#[test]
fn what_is_not_safe_is_refused() {
    if has_recorded_compiler("messages about what may not run in parallel") {
        trybuild::TestCases::new().compile_fail("ui/parallel/*.rs");
    }
}
