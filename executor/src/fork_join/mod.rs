//! What is computed together: regions, each one call of `join`, `scope` or a parallel loop, with all that nests in it.
//!
//! A region belongs to the thread that opened it, whose stack holds what is borrowed. It stands on the [`Board`], where
//! machines with nothing else to do find it and help. There are two kinds: a [`LoopRegion`] hands out ranges of indices,
//! a [`TreeRegion`] jobs. In both a participant has a *seat*, works off what lies there, and robs the other seats when
//! that is used up. What has been claimed is finished by whoever claimed it, and whoever opened the region does not
//! return before.

mod board;
#[cfg(not(loom))]
pub(crate) mod computing;
mod core;
#[cfg(not(loom))]
pub(crate) mod helping;
mod job;
mod job_stack;
mod join;
mod latch;
mod loop_region;
mod pace;
mod scope;
mod seats;
mod shared_jobs;
mod span;
mod tree_region;

pub(crate) use board::{Board, Crew, Nobody, Region};
pub(crate) use job::{BoxedJob, JobRef, StackJob};
pub(crate) use latch::Latch;
pub(crate) use loop_region::{LoopBody, LoopRegion};
pub(crate) use scope::ScopeBase;
pub(crate) use tree_region::{Seat, TreeRegion};

/// Most participants of one region, its owner included.
pub(crate) const MOST_SEATS: usize = seats::MOST;

#[cfg(all(test, loom))]
mod loom_models;
#[cfg(all(test, not(loom)))]
mod tests;
