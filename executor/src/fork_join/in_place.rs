//! A tree in a team's regions whose owner has no part in it: a thread outside, which spawns jobs
//! and waits for them.

use std::sync::Arc;

use crate::fork_join::parallel_call::OpenTree;
use crate::fork_join::team::{Lineage, Team, with_member};
use crate::fork_join::{Latch, Region, TreeRegion, Unattended, in_tree, with_slot};

/// The two ways to wait for a latch.
pub(crate) type Wait<'a> = &'a dyn Fn(&Latch);

/// Opens a tree that `team` helps in, and calls `f` with the tree and with a way to wait for the
/// jobs that `f` has put there. A thread that works in another region runs jobs of this region
/// while it waits, and a thread that works in none calls `wait`.
pub(crate) fn in_tree_of<R>(team: &Arc<Team>, wait: Wait<'_>, f: impl FnOnce(&TreeRegion, Wait<'_>) -> R) -> R {
    let computes = with_slot(|slot| slot.is_some()) || with_member(|member| member.is_some());
    if !computes {
        return post(team, std::ptr::null(), |region| f(region, wait));
    }
    in_tree(|slot| {
        let lineage = Lineage::of_wait_in(slot);
        post(team, &raw const lineage, |region| f(region, &|latch| slot.wait_for(latch)))
    })
}

fn post<R>(team: &Team, lineage: *const Lineage, f: impl FnOnce(&TreeRegion) -> R) -> R {
    let tree = OpenTree::take(team.regions(), team.slots(), team.id());
    tree.region.set_lineage(lineage.cast());
    // The owner's slot stays unused.
    // SAFETY: no other thread has a reference to the region, and the slot is dropped at once.
    let _ = unsafe { tree.region.begin(&Unattended) };
    let posted = tree.regions.open.post(Arc::clone(&tree.region) as Arc<dyn Region>);
    team.summon();
    let result = f(&tree.region);
    drop(posted);
    result
}
