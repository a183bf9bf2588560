//! A parallel call from beginning to end, as its owner makes it: open a region, work in it, close
//! it.

use std::any::Any;
use std::rc::Rc;
use std::sync::Arc;

use crate::fork_join::guests::{Guest, Visit};
use crate::fork_join::open_regions::{Indexed, Posted};
use crate::fork_join::regions::{Counted, RegionHome, Regions, slots};
use crate::fork_join::team::{Inheritance, Lineage, Member, Team, with_member};
use crate::fork_join::{
    CurrentSlot, Latch, LoopBody, LoopRegion, Participant, Region, TreeRegion, TreeSlot, Unattended, guests, with_slot,
};
use crate::scheduler::{Context, RuntimeFlavor, Scheduler};
use crate::util::unwind::Payload;

/// Runs a loop over `0..count`, with helpers of the runtime that the calling thread belongs to.
///
/// # Errors
///
/// Returns the first panic.
pub(crate) fn run_loop<B: LoopBody>(count: u32, body: &B) -> Result<(), Payload> {
    let in_team = with_member(|member| member.map(|member| run_loop_in_team(member, count, body)));
    in_team.unwrap_or_else(|| run_loop_in_runtime(count, body))
}

fn run_loop_in_runtime<B: LoopBody>(count: u32, body: &B) -> Result<(), Payload> {
    match helped_context() {
        Some(context) if count > 1 => {
            let call = HelpedCall::new(&context);
            let region = call.regions.free_loops.take(slots(context.scheduler()), LoopRegion::new);
            let counted = Counted::as_owner(&context);
            // SAFETY: `take` returns a region to which no other thread has a reference.
            let outcome =
                unsafe { region.run(count, body, &call, || call.post(Arc::clone(&region) as Arc<dyn Region>)) };
            drop(counted);
            call.regions.free_loops.put(region);
            outcome
        }
        _ => {
            let alone = LoopRegion::new(1);
            // SAFETY: no other thread has a reference to a new region.
            unsafe { alone.run(count, body, &Unattended, || ()) }
        }
    }
}

/// Runs a loop over `0..count`. Others do the work, as many at a time as the runtime has
/// processors, while `wait` is called.
///
/// # Errors
///
/// Returns the first panic.
pub(crate) fn run_loop_by<B: LoopBody>(
    scheduler: &Scheduler,
    count: u32,
    body: &B,
    wait: impl FnOnce(&LoopRegion),
) -> Result<(), Payload> {
    let region = LoopRegion::new(slots(scheduler));
    // SAFETY: no other thread has a reference to a new region.
    unsafe { region.run_by_others(count, body, || wait(&region)) }
}

/// Calls `f` with the thread's slot in a tree: the slot that it has, or the owner's slot of a tree
/// that is opened for the call.
pub(crate) fn in_tree<R>(f: impl FnOnce(&TreeSlot<'_>) -> R) -> R {
    with_slot(|slot| match slot {
        Some(slot) => f(slot),
        None => in_new_tree(f),
    })
}

/// Calls `f` as [`in_tree`] does. `f` may block until its jobs have run: a guest's attendants help,
/// too, so that they run while no processor is idle.
pub(crate) fn in_attended_tree<R>(f: impl FnOnce(&TreeSlot<'_>) -> R) -> R {
    let in_pool = with_slot(|slot| slot.is_some()) || with_member(|member| member.is_some()) || guests::attends();
    if in_pool { in_tree(f) } else { in_new_tree_of_runtime(true, f) }
}

/// Returns whether a `join` here finds no helpers: then it had better do without a tree.
pub(crate) fn is_alone() -> bool {
    with_member(|member| member.is_none()) && Context::with(|context| !context.is_some_and(can_be_helped))
}

/// Returns the scheduler of the runtime that the calling thread is a guest of: the runtime of its
/// region, or of its innermost context.
pub(crate) fn hosts_scheduler() -> Option<Arc<Scheduler>> {
    let scheduler = match with_slot(|slot| slot.map(RegionHome::of)) {
        Some(RegionHome::Runtime(scheduler)) => Some(scheduler),
        _ => Context::current_scheduler(),
    };
    scheduler.filter(|scheduler| {
        let config = &scheduler.config;
        config.simulation.is_some() || config.flavor == RuntimeFlavor::MultiThread
    })
}

/// Returns whether a region that is opened in `context` can have helpers: not beside simulated
/// machines, which have no turn while another is in its own.
fn can_be_helped(context: &Context) -> bool {
    can_be_attended(context) && context.scheduler().processors.regular() > 1
}

/// Returns whether attendants can help in such a region.
fn can_be_attended(context: &Context) -> bool {
    let config = &context.scheduler().config;
    config.simulation.is_none() && config.flavor == RuntimeFlavor::MultiThread
}

/// Returns the thread's context, if a region opened in it can have helpers. Counted, since a
/// closure of the region may drop the guard with which the thread has entered the runtime.
fn helped_context() -> Option<Rc<Context>> {
    Context::current().filter(|context| can_be_helped(context))
}

fn run_loop_in_team<B: LoopBody>(member: &Member, count: u32, body: &B) -> Result<(), Payload> {
    let team = &**member.team();
    let regions = team.regions();
    let region = regions.free_loops.take(team.slots(), LoopRegion::new);
    let post = || {
        let posted = regions.open.post(Arc::clone(&region) as Arc<dyn Region>);
        team.summon();
        posted
    };
    let lineage = with_slot(|slot| slot.map_or(Lineage::current().cast(), |slot| slot.region().lineage()));
    // SAFETY: the frames of the lineage wait for the root or the job that this thread runs.
    unsafe { region.set_lineage(lineage) };
    // SAFETY: `take` returns a region to which no other thread has a reference.
    let outcome = unsafe { region.run(count, body, member, post) };
    regions.free_loops.put(region);
    outcome
}

fn in_new_tree<R>(f: impl FnOnce(&TreeSlot<'_>) -> R) -> R {
    with_member(|member| match member {
        Some(member) => in_new_tree_of_team(member, f),
        None => in_new_tree_of_runtime(false, f),
    })
}

fn in_new_tree_of_team<R>(member: &Member, f: impl FnOnce(&TreeSlot<'_>) -> R) -> R {
    let team = &**member.team();
    let tree = OpenTree::take(team.regions(), team.slots(), team.id());
    // SAFETY: the frames of the lineage wait for the root that this thread runs.
    unsafe { tree.region.set_lineage(Lineage::current().cast()) };
    // SAFETY: no other thread has a reference to the region, and the slot is dropped before `tree`.
    let slot = unsafe { tree.region.begin(member) };
    let posted = tree.regions.open.post(Arc::clone(&tree.region) as Arc<dyn Region>);
    team.summon();
    let current_slot = CurrentSlot::enter(&slot);
    let result = f(&slot);
    drop((current_slot, posted));
    result
}

fn in_new_tree_of_runtime<R>(is_attended: bool, f: impl FnOnce(&TreeSlot<'_>) -> R) -> R {
    let _visit = Visit::begin();
    let helps = |context: &Rc<Context>| can_be_helped(context) || (is_attended && can_be_attended(context));
    let Some(context) = Context::current().filter(helps) else {
        let (alone, owner) = (TreeRegion::new(1), Alone(Context::current_scheduler()));
        // SAFETY: no other thread has a reference to a new region, and the slot is dropped before
        // it.
        let slot = unsafe { alone.begin(&owner) };
        let _current = CurrentSlot::enter(&slot);
        return f(&slot);
    };
    let call = HelpedCall::new(&context);
    let tree = OpenTree::take(call.regions, slots(context.scheduler()), 0);
    let counted = Counted::as_owner(&context);
    // SAFETY: no other thread has a reference to the region, and the slot is dropped before `tree`.
    let slot = unsafe { tree.region.begin(&call) };
    let posted = call.post(Arc::clone(&tree.region) as Arc<dyn Region>);
    let attended = is_attended.then(|| guests::attend(context.scheduler(), &tree.region));
    let current_slot = CurrentSlot::enter(&slot);
    let result = f(&slot);
    drop((current_slot, attended, posted, counted));
    result
}

/// A parallel call that can have helpers, and the owner as a participant: it never leaves early.
pub(super) struct HelpedCall<'a> {
    context: &'a Context,
    regions: &'a Regions,
}

impl<'a> HelpedCall<'a> {
    pub(super) fn new(context: &'a Context) -> Self {
        Self { context, regions: Regions::of(context.scheduler()) }
    }

    /// Adds `region` to the open ones, until the guard is dropped, and summons a helper.
    fn post(&self, region: Arc<dyn Region>) -> Posted<'a> {
        // Before the summons, so that the region is withdrawn if that should unwind.
        let posted = self.regions.open.post(region);
        self.summon();
        posted
    }
}

impl Participant for HelpedCall<'_> {
    fn summon(&self) {
        self.regions.summon(self.context.scheduler());
    }

    fn runtime(&self) -> Option<&dyn Any> {
        Some(self.context.scheduler())
    }

    fn thread(&self) -> &dyn Indexed {
        &Guest
    }
}

/// The owner of a tree that has no helpers, and its runtime, if it belongs to one.
struct Alone(Option<Arc<Scheduler>>);

impl Participant for Alone {
    fn runtime(&self) -> Option<&dyn Any> {
        self.0.as_ref().map(|scheduler| scheduler as &dyn Any)
    }

    fn thread(&self) -> &dyn Indexed {
        &Guest
    }
}

/// A tree while its owner is in it.
pub(super) struct OpenTree<'a> {
    pub(super) regions: &'a Regions,
    pub(super) region: Arc<TreeRegion>,
}

impl<'a> OpenTree<'a> {
    /// Takes a region to which no other thread has a reference. All of `regions` are of one
    /// team, or of a runtime if `team` is 0.
    pub(super) fn take(regions: &'a Regions, slots: usize, team: usize) -> Self {
        let region = regions.free_trees.take(slots, |slots| TreeRegion::of_team(slots, team));
        Self { regions, region }
    }
}

impl Drop for OpenTree<'_> {
    fn drop(&mut self) {
        self.region.end();
        self.regions.free_trees.put(Arc::clone(&self.region));
    }
}

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
/// there. The owner of a new tree has no part in it: the thread may be none of the team's. A thread
/// that works in another region runs jobs of this region while it waits, and a thread that works in
/// none calls `wait`.
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
