//! Items that the macros of this crate use where they are expanded. They are not public API.

use pin_project_lite::pin_project;
use std::cell::Cell;
use std::hash::{BuildHasher, RandomState};

pub use self::maybe_done::{MaybeDone, maybe_done};
pub use crate::budget::poll_proceed;
pub use std::future::{Future, IntoFuture, poll_fn};
pub use std::option::Option;
pub use std::pin::{Pin, pin};
pub use std::result::Result;
pub use std::task::{Context, Poll, ready};
pub use wsrt_macros::without_bindings_by_move as clean_pattern;

/// The output of one branch, or of one of the other branches.
#[derive(Debug)]
pub enum Branch<T, Others> {
    This(T),
    Other(Others),
}

/// The error that no branch is enabled.
#[derive(Debug)]
pub struct Disabled;

/// Returns the index of the first branch, which is 0.
pub fn first(_: u32) -> u32 {
    0
}

thread_local!(static SEED: Cell<u64> = Cell::new(RandomState::new().hash_one(0) | 1));

/// Sets the seed that decides which branch each `select!` on this thread polls first, and returns
/// the previous seed.
///
/// A runtime that sets the same seed gets the same choices in each run.
pub fn replace_seed(seed: u64) -> u64 {
    SEED.replace(seed | 1)
}

/// Returns a random number below `bound`: the index of the branch that `select!` polls first.
pub fn random_below(bound: u32) -> u32 {
    // Xorshift: cheap, and good enough for fairness.
    let mut seed = SEED.get();
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    SEED.set(seed);
    (((seed >> 32) * u64::from(bound)) >> 32) as u32
}

/// Decides which future a `join!` polls first: each future in turn.
#[derive(Debug, Default)]
pub struct Turns(u32);

impl Turns {
    #[inline]
    pub fn next(&mut self, branches: u32) -> u32 {
        let turn = self.0;
        self.0 = if turn + 1 < branches { turn + 1 } else { 0 };
        turn
    }
}

/// Decides which future a `join!` polls first: always the first one.
#[derive(Debug, Default)]
pub struct InOrder;

impl InOrder {
    #[inline]
    pub fn next(&mut self, _: u32) -> u32 {
        0
    }
}

pin_project! {
    /// A list of pinned values, the last one first. A single pointer reaches all of them, because a
    /// pointer for each value would enlarge the user's future.
    #[derive(Debug)]
    pub struct Pinned<Others, T> {
        #[pin]
        others: Others,
        #[pin]
        value: T,
    }
}

impl<Others, T> Pinned<Others, T> {
    pub fn new(others: Others, value: T) -> Self {
        Self { others, value }
    }

    /// Returns the other values, and this value.
    #[inline]
    pub fn split(self: Pin<&mut Self>) -> (Pin<&mut Others>, Pin<&mut T>) {
        let me = self.project();
        (me.others, me.value)
    }
}

mod maybe_done {
    use super::{Context, Future, IntoFuture, Pin, Poll, ready};
    use pin_project_lite::pin_project;

    pin_project! {
        /// A future, or its output once the future has completed.
        #[derive(Debug)]
        #[project = Projected]
        #[project_replace = Replaced]
        // The variant's number is no part of the future, which may be borrowed while it is read.
        #[repr(C)]
        pub enum MaybeDone<F: Future> {
            Running { #[pin] future: F },
            Done { output: F::Output },
            Taken,
        }
    }

    pub fn maybe_done<F: IntoFuture>(future: F) -> MaybeDone<F::IntoFuture> {
        MaybeDone::Running { future: future.into_future() }
    }

    impl<F: Future> MaybeDone<F> {
        /// Returns a reference to the output, or `None` if the future is still running or the
        /// output has been taken.
        pub fn output_mut(self: Pin<&mut Self>) -> Option<&mut F::Output> {
            match self.project() {
                Projected::Done { output } => Some(output),
                _ => None,
            }
        }

        /// Returns the output, or `None` if the future is still running or the output has already
        /// been taken.
        pub fn take_output(mut self: Pin<&mut Self>) -> Option<F::Output> {
            self.as_mut().output_mut()?;
            match self.project_replace(MaybeDone::Taken) {
                Replaced::Done { output } => Some(output),
                _ => None,
            }
        }
    }

    impl<F: Future> Future for MaybeDone<F> {
        type Output = ();

        fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
            let output = match self.as_mut().project() {
                Projected::Running { future } => ready!(future.poll(cx)),
                Projected::Done { .. } => return Poll::Ready(()),
                Projected::Taken => panic!("polled after the output was taken"),
            };
            self.set(MaybeDone::Done { output });
            Poll::Ready(())
        }
    }
}
