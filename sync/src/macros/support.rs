//! Called by the macros of this crate from where they are used. Not an interface.

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

/// The result of one branch, or of one of the others.
#[derive(Debug)]
pub enum Branch<T, Others> {
    This(T),
    Other(Others),
}

/// No branch is enabled.
#[derive(Debug)]
pub struct Disabled;

/// Returns the number of the first branch.
pub fn first(_: u32) -> u32 {
    0
}

thread_local!(static SEED: Cell<u64> = Cell::new(RandomState::new().hash_one(0) | 1));

/// Sets the seed by which this thread's `select!`s choose their first branches, for a runtime that
/// wants them to choose in the same way in each run. Returns the one before.
pub fn replace_seed(seed: u64) -> u64 {
    SEED.replace(seed | 1)
}

/// Returns a number below `bound` at random: the branch that is polled first.
pub fn random_below(bound: u32) -> u32 {
    // Xorshift: cheap, and good enough for fairness.
    let mut seed = SEED.get();
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    SEED.set(seed);
    (((seed >> 32) * u64::from(bound)) >> 32) as u32
}

/// Which branch of a `join!` is polled first, one after the other.
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

/// The first branch is polled first, always.
#[derive(Debug, Default)]
pub struct InOrder;

impl InOrder {
    #[inline]
    pub fn next(&mut self, _: u32) -> u32 {
        0
    }
}

pin_project! {
    /// Pinned values, the last one first. Behind one pointer: a pointer each would make the user's
    /// future larger.
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

    /// Returns the others, and this value.
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
        /// A future, and then its output.
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
        /// Returns the output to look at, if it is there.
        pub fn output_mut(self: Pin<&mut Self>) -> Option<&mut F::Output> {
            match self.project() {
                Projected::Done { output } => Some(output),
                _ => None,
            }
        }

        /// Returns the output. It is there once, after the future was ready.
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
