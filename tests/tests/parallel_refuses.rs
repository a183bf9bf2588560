//! Code that may not run in parallel does not compile.
//!
//! The messages are the compiler's. After a change:
//! `TRYBUILD=overwrite cargo test -p wsrt-tests --test parallel_refuses`, and read the difference.

#[test]
fn what_is_not_safe_is_refused() {
    trybuild::TestCases::new().compile_fail("ui/parallel/*.rs");
}
