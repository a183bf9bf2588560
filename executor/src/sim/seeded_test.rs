//! `#[wsrt::test(seeds = …)]`: a test that runs in a simulation with each of some seeds.
//!
//! This module is not a public interface, and may change in any release. Generated code uses it.

use std::fmt::Debug;
use std::future::Future;
use std::ops::Range;

use super::run::{each_seed, run_set};
use crate::runtime::Builder;

/// The output of a test with `seeds`, which fails the test or does not.
#[diagnostic::on_unimplemented(
    message = "a test with `seeds` returns `()` or a `Result` whose error is `Debug`, and not `{Self}`",
    label = "the output of the test"
)]
pub trait SeededOutput {
    /// Returns if the test has passed.
    ///
    /// # Panics
    ///
    /// Panics if the test has failed.
    fn settle(self);
}

impl SeededOutput for () {
    fn settle(self) {}
}

impl<T: SeededOutput, E: Debug> SeededOutput for Result<T, E> {
    #[track_caller]
    fn settle(self) {
        match self {
            Ok(output) => output.settle(),
            Err(error) => panic!("the test has returned an error: {error:?}"),
        }
    }
}

/// Runs the test called `name` with each of `seeds`. `set` changes the builder of each runtime.
///
/// # Panics
///
/// Panics if the test fails with a seed. The message says how to run that seed alone.
pub fn run_with_seeds<F>(seeds: Range<u64>, name: &str, set: fn(&mut Builder), test: fn() -> F)
where
    F: Future,
    F::Output: SeededOutput,
{
    let set = |builder: &mut Builder| set(builder.__in_test());
    let alone = |seed| format!("WSRT_SIM_SEED={seed} cargo test {name}");
    each_seed(seeds, alone, |seed| run_set(seed, set, move |_| async move { test().await.settle() }));
}

/// Runs a test with seeds. Used by the expansion of `#[wsrt::test]`.
#[doc(hidden)]
#[macro_export]
macro_rules! __run_with_seeds {
    ($($argument:tt)*) => {
        $crate::sim::__seeded_test::run_with_seeds($($argument)*)
    };
}
