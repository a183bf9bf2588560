//! Fork-join: parallel calls on the processors that run the tasks.
//!
//! # The words
//!
//! A **region** is one parallel call: one outermost `join`, `scope` or parallel loop, with all that
//! nests in it (rayon: a job with its sub-jobs; OpenMP: a parallel region). It belongs to its
//! **owner**, the thread that opened it, whose stack holds everything that the call borrows.
//!
//! A **participant** is a thread at work in a region: the owner, or a **helper**, a machine that
//! has found no task (rayon: a worker; OpenMP: a thread of the team). Each participant has a
//! **slot** of the region, and in it the work that it will do next and that others may steal. In a
//! [`LoopRegion`] that is a **work range**, the indices that are not claimed yet (OpenMP: a chunk
//! under a dynamic schedule); in a [`TreeRegion`] it is a stack of **jobs**, as in rayon.
//!
//! # The rules
//!
//! Machines with nothing else to do find a region among the [`OpenRegions`]. A participant works
//! off its own slot, and then steals from the other slots. A participant that has claimed a piece
//! of work finishes it, and the owner does not return before all pieces are finished.

mod first_panic;
#[cfg(not(wsrt_loom))]
pub(crate) mod guests;
#[cfg(not(wsrt_loom))]
mod helping;
mod job;
mod join;
mod latch;
mod loop_region;
mod open_regions;
#[cfg(not(wsrt_loom))]
mod owner_turns;
#[cfg(not(wsrt_loom))]
mod parallel_call;
#[cfg(not(wsrt_loom))]
mod regions;
mod scope;
#[cfg(any(test, not(wsrt_loom)))]
mod sleepers;
mod slots;
#[cfg(not(wsrt_loom))]
pub(crate) mod team;
mod tree_region;
mod work_range;

#[cfg(not(wsrt_loom))]
pub(crate) use job::FifoJobs;
pub(crate) use job::{BoxedJob, JobRef};
pub(crate) use latch::Latch;
pub(crate) use loop_region::LoopBody;
#[cfg(not(wsrt_loom))]
pub(crate) use parallel_call::{
    Site, Wait, hosts_scheduler, in_attended_tree, in_tree, in_tree_of, is_alone, run_loop, run_loop_by,
};
#[cfg(not(wsrt_loom))]
pub(crate) use regions::{RegionHome, idle_work};
pub(crate) use scope::{AfterPanic, ScopeBase};
pub(crate) use tree_region::{TreeRegion, TreeSlot, with_slot};

use first_panic::FirstPanic;
use job::StackJob;
use loop_region::LoopRegion;
use open_regions::{OpenRegions, Participant, Region, Unattended};
use tree_region::CurrentSlot;

#[cfg(all(test, wsrt_loom))]
mod loom_models;
#[cfg(all(test, not(wsrt_loom)))]
mod tests;
