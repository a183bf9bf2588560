//! Decides where the root future of `#[wsrt::main]` runs: on a processor if the future is `Send`,
//! and otherwise on the calling thread.
//!
//! This module is not a public interface, and may change in any release. Generated code uses it.
//!
//! The generated code calls `Root::of(&root).place()`. There are two methods with this name. The
//! compiler chooses the method of [`Root`] if the root future may go to a processor. For other
//! futures, the compiler finds the method of the type that `Root` dereferences to.

use std::future::Future;
use std::marker::PhantomData;
use std::ops::Deref;

use crate::runtime::Runtime;

/// A marker for a root future of type `F`.
#[derive(Debug)]
pub struct Root<F>(AnyRoot<F>);

impl<F> Root<F> {
    /// Creates a marker for the given root future.
    pub fn of(_: &F) -> Self {
        Self(AnyRoot(PhantomData))
    }
}

impl<F> Root<F>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    /// Returns where the root future runs: on a processor.
    pub fn place(&self) -> OnProcessor {
        OnProcessor
    }
}

/// A marker for a root future of type `F` that may not be `Send`.
#[derive(Debug)]
pub struct AnyRoot<F>(PhantomData<fn() -> F>);

impl<F> Deref for Root<F> {
    type Target = AnyRoot<F>;

    fn deref(&self) -> &AnyRoot<F> {
        &self.0
    }
}

impl<F> AnyRoot<F> {
    /// Returns where the root future runs: on the calling thread.
    pub fn place(&self) -> Here {
        Here
    }
}

/// The choice to run the root future as a task on a processor.
#[derive(Debug)]
pub struct OnProcessor;

/// The choice to poll the root future on the calling thread.
#[derive(Debug)]
pub struct Here;

impl OnProcessor {
    /// Runs the root future with [`Runtime::run`], and returns its output.
    #[track_caller]
    pub fn run<F>(self, runtime: &Runtime, root: F) -> F::Output
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        runtime.run(root)
    }
}

impl Here {
    /// Runs the root future with [`Runtime::block_on`], and returns its output.
    #[cfg_attr(feature = "console", track_caller)]
    pub fn run<F: Future>(self, runtime: &Runtime, root: F) -> F::Output {
        runtime.block_on(root)
    }
}
