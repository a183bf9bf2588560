//! The place of the root of `#[wsrt::main]`: a processor if the root is `Send`, else the thread
//! that calls the function.
//!
//! Not an interface: the attributes' expansion uses it, and it may change with any release.
//!
//! The expansion calls `Root::of(&root).place()`. There are two methods of that name. The compiler
//! takes [`Root`]'s where the root may go to a processor; it is not there for other roots, and the
//! compiler looks further, where a `Root` dereferences to.

use std::future::Future;
use std::marker::PhantomData;
use std::ops::Deref;

use crate::runtime::Runtime;

/// Stands for a root of type `F`.
#[derive(Debug)]
pub struct Root<F>(AnyRoot<F>);

impl<F> Root<F> {
    /// Makes one for `root`.
    pub fn of(_: &F) -> Self {
        Self(AnyRoot(PhantomData))
    }
}

impl<F> Root<F>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    /// Returns where the root runs.
    pub fn place(&self) -> OnProcessor {
        OnProcessor
    }
}

/// Stands for a root of type `F`, of which nothing is known.
#[derive(Debug)]
pub struct AnyRoot<F>(PhantomData<fn() -> F>);

impl<F> Deref for Root<F> {
    type Target = AnyRoot<F>;

    fn deref(&self) -> &AnyRoot<F> {
        &self.0
    }
}

impl<F> AnyRoot<F> {
    /// Returns where the root runs.
    pub fn place(&self) -> Here {
        Here
    }
}

/// Says that the root becomes a task on a processor.
#[derive(Debug)]
pub struct OnProcessor;

/// Says that the calling thread polls the root.
#[derive(Debug)]
pub struct Here;

impl OnProcessor {
    /// Runs the root as [`Runtime::run`] does.
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
    /// Runs the root as [`Runtime::block_on`] does.
    #[cfg_attr(feature = "console", track_caller)]
    pub fn run<F: Future>(self, runtime: &Runtime, root: F) -> F::Output {
        runtime.block_on(root)
    }
}
