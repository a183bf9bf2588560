//! A tree in a team's regions whose owner has no part in it: a thread outside, which spawns jobs
//! and waits for them.

use std::sync::Arc;

use crate::fork_join::parallel_call::OpenTree;
use crate::fork_join::team::{Inheritance, Lineage, Team, with_member};
use crate::fork_join::{Latch, Region, TreeRegion, Unattended, in_tree, with_slot};

/// The two ways to wait for a latch.
pub(crate) type Wait<'a> = &'a dyn Fn(&Latch);

/// A tree for the jobs of a scope, and the regions that wait for them.
#[derive(Clone, Copy)]
pub(crate) struct Site<'a> {
    pub(crate) region: &'a TreeRegion,
    /// Of the jobs. The frame that calls with the site waits for them.
    pub(crate) inheritance: Inheritance,
    /// True if the region belongs to another call, which only waits for the jobs: each is a root.
    pub(crate) is_lent: bool,
}

impl<'a> Site<'a> {
    /// The region of the call itself.
    pub(crate) fn of_call(region: &'a TreeRegion) -> Self {
        // SAFETY: the root that has opened the region waits for all that happens in it, and the
        // frames of the lineage wait for the root.
        let inheritance = unsafe { Inheritance::new(region.lineage().cast()) };
        Self { region, inheritance, is_lent: false }
    }
}

/// Calls `f` with a tree that `team` works in, and with a way to wait for the jobs that `f` has put
/// there. A thread that works in another region runs jobs of this region while it waits, and a
/// thread that works in none calls `wait`.
///
/// If a region of the team waits for the caller, the tree is this one: the team may have no other
/// thread. Else it is a new one.
pub(crate) fn in_tree_of<R>(team: &Arc<Team>, wait: Wait<'_>, f: impl FnOnce(Site<'_>, Wait<'_>) -> R) -> R {
    let computes = with_slot(|slot| slot.is_some()) || with_member(|member| member.is_some());
    if !computes {
        return post(team, std::ptr::null(), |site| f(site, wait));
    }
    in_tree(|slot| {
        // SAFETY: `f` waits for its jobs in this frame.
        let lineage = unsafe { Lineage::of_wait_in(slot) };
        let wait: Wait<'_> = &|latch| slot.wait_for(latch);
        lineage.find(team.id(), |waiting| match waiting {
            Some(region) => {
                // SAFETY: the lineage is in this frame, in which `f` waits for its jobs.
                let inheritance = unsafe { Inheritance::new(&raw const lineage) };
                f(Site { region, inheritance, is_lent: true }, wait)
            }
            None => post(team, &raw const lineage, |site| f(site, wait)),
        })
    })
}

fn post<R>(team: &Team, lineage: *const Lineage, f: impl FnOnce(Site<'_>) -> R) -> R {
    let tree = OpenTree::take(team.regions(), team.slots(), team.id());
    // SAFETY: it is null, or in the frame of `in_tree_of`.
    unsafe { tree.region.set_lineage(lineage.cast()) };
    // The owner's slot stays unused.
    // SAFETY: no other thread has a reference to the region, and the slot is dropped at once.
    let _ = unsafe { tree.region.begin(&Unattended) };
    let posted = tree.regions.open.post(Arc::clone(&tree.region) as Arc<dyn Region>);
    team.summon();
    let result = f(Site::of_call(&tree.region));
    drop(posted);
    result
}
