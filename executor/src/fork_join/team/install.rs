//! `install`: a closure that runs in a team while its caller waits, and its lineage.
//!
//! A thread in a region may hand a root over to another team, and wait. The root may hand one back
//! to the first team, whose members may all wait: so a member that waits in a region also runs the
//! roots that the region waits for itself. The lineage of a root is a list of such regions, each
//! in the frame that waits in it.

use std::cell::Cell;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::{mem, ptr};

use crate::fork_join::job::LENT_FRAME;
use crate::fork_join::team::{Team, with_member};
use crate::fork_join::{CurrentSlot, JobRef, Latch, StackJob, TreeRegion, TreeSlot, in_tree, with_slot};
use crate::task::ScopesAside;
use crate::util::sync::thread_local;

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
    let computes = with_slot(|slot| slot.is_some()) || with_member(|member| member.is_some());
    if computes {
        return in_tree(|slot| wait_in_tree(team, slot, op));
    }
    run_as_root(op, ptr::null(), |root, done| {
        team.hand_over(root);
        wait(done);
    })
}

/// A member of a team that waits in `slot` may be the only one that is free to run what the root
/// hands back to its team: so it finds such roots in the slot's region.
fn wait_in_tree<R: Send>(team: &Arc<Team>, slot: &TreeSlot<'_>, op: impl FnOnce(bool) -> R + Send) -> R {
    // SAFETY: this frame waits for the root.
    let lineage = unsafe { Lineage::of_wait_in(slot) };
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
    // SAFETY: it is null, or in the caller's frame, and this waits for the root.
    let inheritance = unsafe { Inheritance::new(lineage) };
    let job = StackJob::new(move |_| {
        let _root = inheritance.enter();
        op(true)
    });
    // SAFETY: the job stays here until its latch is set, which `wait` does not return before.
    let root = unsafe { job.as_job_ref() };
    let lent = LENT_FRAME;
    wait(root, job.latch());
    mem::forget(lent);
    // SAFETY: the latch is set.
    unsafe { job.take_result() }.unwrap_or_else(|panic| resume_unwind(panic))
}

/// The lineage of a root, on its way to the thread that runs it.
#[derive(Clone, Copy)]
pub(crate) struct Inheritance(*const Lineage);

// SAFETY: the lineage is in the frame that waits for the root, and is not written meanwhile.
unsafe impl Send for Inheritance {}
// SAFETY: as above.
unsafe impl Sync for Inheritance {}

impl Inheritance {
    /// Of a root for which no region waits.
    pub(crate) const NONE: Self = Self(ptr::null());

    /// # Safety
    ///
    /// `lineage` is null, or in a frame that waits for each root that enters this.
    pub(crate) unsafe fn new(lineage: *const Lineage) -> Self {
        Self(lineage)
    }

    /// Makes the calling thread run a root until the guard is dropped: it has no slot, and is in no
    /// scope of a task-local, in the middle of a wait too.
    pub(crate) fn enter(self) -> impl Sized {
        (CurrentSlot::none(), ScopesAside::take(), Inherited { before: CURRENT.replace(self.0) })
    }
}

thread_local! {
    /// The lineage of the root that this thread runs. Null, or valid: the frame waits for the root.
    static CURRENT: Cell<*const Lineage> = const { Cell::new(ptr::null()) };
}

/// A region whose participant waits for a root, and the regions that wait for the region.
#[derive(Debug)]
pub(crate) struct Lineage {
    region: *const TreeRegion,
    parent: *const Lineage,
}

impl Lineage {
    /// Makes the lineage of a root for which the calling thread waits in `slot`.
    ///
    /// # Safety
    ///
    /// No thread uses it when the caller no longer has the slot.
    pub(crate) unsafe fn of_wait_in(slot: &TreeSlot<'_>) -> Self {
        Self { region: slot.region(), parent: slot.region().lineage().cast() }
    }

    /// Returns the lineage of the root that the calling thread runs.
    pub(crate) fn current() -> *const Self {
        CURRENT.get()
    }

    /// Calls `f` with the nearest region of the team `id` that waits.
    pub(in crate::fork_join) fn find<R>(&self, id: usize, f: impl FnOnce(Option<&TreeRegion>) -> R) -> R {
        let mut next = Some(self);
        while let Some(lineage) = next {
            // SAFETY: the region's participant waits for the root that calls this.
            let region = unsafe { &*lineage.region };
            if region.team() == id {
                return f(Some(region));
            }
            // SAFETY: null, or in a frame that waits, too.
            next = unsafe { lineage.parent.as_ref() };
        }
        f(None)
    }
}

/// Makes a lineage the thread's own until this guard is dropped.
struct Inherited {
    before: *const Lineage,
}

impl Drop for Inherited {
    fn drop(&mut self) {
        CURRENT.set(self.before);
    }
}
