//! What is computed together: regions, each one call of `join`, `scope` or a parallel loop, with
//! all that nests in it.
//!
//! A region belongs to the thread that opened it, whose stack holds what is borrowed. It stands on
//! the [`OpenRegions`], where machines with nothing else to do find it and help. There are two
//! kinds: a [`LoopRegion`] hands out ranges of indices, a [`TreeRegion`] jobs. In both a
//! participant has a *slot*, works off what lies there, and robs the other slots when that is used
//! up. What has been claimed is finished by whoever claimed it, and whoever opened the region does
//! not return before.

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
mod open_regions;
mod pace;
mod scope;
mod shared_jobs;
mod slots;
mod tree_region;
mod work_range;

pub(crate) use job::{BoxedJob, JobRef, StackJob};
pub(crate) use latch::Latch;
pub(crate) use loop_region::{LoopBody, LoopRegion};
pub(crate) use open_regions::{OpenRegions, Participant, Region, Unattended};
pub(crate) use scope::ScopeBase;
pub(crate) use tree_region::{TreeRegion, TreeSlot};

/// Most participants of one region, its owner included.
pub(crate) const MOST_SLOTS: usize = slots::MOST;

#[cfg(all(test, loom))]
mod loom_models;
#[cfg(all(test, not(loom)))]
mod tests;
