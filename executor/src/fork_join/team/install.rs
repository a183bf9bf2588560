//! `install`: a closure that runs in a team while its caller waits.

use std::mem;
use std::panic::resume_unwind;
use std::ptr;
use std::sync::Arc;

use crate::fork_join::job::LentFrame;
use crate::fork_join::team::lineage::{Inherited, Lineage};
use crate::fork_join::team::{Team, with_member};
use crate::fork_join::{CurrentSlot, JobRef, Latch, StackJob, TreeSlot, in_tree, with_slot};

/// Runs `op` in `team`: on this thread if it is a member, else on a member while this thread waits.
/// `op` is told whether it is on another thread.
///
/// A thread that works in another region runs jobs of this region while it waits, and no others. A
/// thread that works in none calls `wait`, which returns when the latch is set.
pub(crate) fn install<R: Send>(team: &Arc<Team>, op: impl FnOnce(bool) -> R + Send, wait: impl FnOnce(&Latch)) -> R {
    if team.is_here() {
        return op(false);
    }
    hand_over(team, op, wait)
}

#[cold]
fn hand_over<R: Send>(team: &Arc<Team>, op: impl FnOnce(bool) -> R + Send, wait: impl FnOnce(&Latch)) -> R {
    enum Waits {
        InTree,
        Outside,
    }
    let waits = with_slot(|slot| {
        let computes = slot.is_some() || with_member(|member| member.is_some());
        if computes { Waits::InTree } else { Waits::Outside }
    });
    match waits {
        Waits::InTree => in_tree(|slot| wait_in_tree(team, slot, op)),
        Waits::Outside => run_as_root(op, ptr::null(), |root, done| {
            team.hand_over(root);
            wait(done);
        }),
    }
}

/// A member of a team that waits in `slot` may be the only one that is free to run what the root
/// hands back to its team: so it finds such roots in the slot's region.
fn wait_in_tree<R: Send>(team: &Arc<Team>, slot: &TreeSlot<'_>, op: impl FnOnce(bool) -> R + Send) -> R {
    let lineage = Lineage::of_wait_in(slot);
    run_as_root(op, &raw const lineage, |root, done| {
        lineage.find(team.id(), |waiting| match waiting {
            Some(region) => {
                if region.share(root) {
                    team.summon();
                }
            }
            None => team.hand_over(root),
        });
        slot.wait_for(done);
    })
}

/// Runs `op` as a root that inherits `lineage`. `wait` puts the root in a queue, and returns when
/// the latch is set.
fn run_as_root<R: Send>(
    op: impl FnOnce(bool) -> R + Send,
    lineage: *const Lineage,
    wait: impl FnOnce(JobRef, &Latch),
) -> R {
    let lineage = Inheritance(lineage);
    let job = StackJob::new(move |_| {
        let _outside = (CurrentSlot::none(), lineage.enter());
        op(true)
    });
    // SAFETY: the job stays here until its latch is set, which `wait` does not return before.
    let root = unsafe { job.as_job_ref() };
    let lent = LentFrame;
    wait(root, job.latch());
    mem::forget(lent);
    // SAFETY: the latch is set.
    unsafe { job.take_result() }.unwrap_or_else(|panic| resume_unwind(panic))
}

/// The lineage of a root, on its way to the thread that runs it.
struct Inheritance(*const Lineage);

// SAFETY: the lineage is in the frame that waits for the root, and is not written meanwhile.
unsafe impl Send for Inheritance {}

impl Inheritance {
    fn enter(&self) -> Inherited {
        Inherited::enter(self.0)
    }
}
