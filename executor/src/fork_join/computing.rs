//! Fork-join on the runtime's processors: how a region is opened, and who helps.
//!
//! The thread that opens a region works in it at once. Helpers are idle machines, which compute in
//! the time of idle processors: a processor stays on the list of the idle while somebody helps in
//! its time. So async work finds it there as ever, wakes a machine, and the helper that sees one
//! processor less idle than there are helpers goes, at its next claim. Nothing on the way of a task
//! knows of regions.
//!
//! A loop gets what is idle, and its owner's own processor, which is its share. Only when no other
//! processor runs tasks does the watcher put a spare into play for it, as for any long poll.

use std::cell::Cell;
use std::ptr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;

use crate::fork_join::{
    LoopBody, LoopRegion, MOST_SLOTS, OpenRegions, Participant, Region, TreeRegion, TreeSlot, Unattended,
};
use crate::scheduler::helpers::Helpers;
use crate::scheduler::idle::SpareHand;
use crate::scheduler::machine::Machine;
use crate::scheduler::{Context, Flavor, Scheduler};
use crate::util::unwind::Payload;

/// Regions that are kept for the next one to be opened, of each kind.
const SPARE_REGIONS: usize = 16;

thread_local! {
    /// The slot that this thread's jobs go to, in the innermost tree that it works in. Valid while
    /// it is set.
    static SLOT: Cell<*const TreeSlot<'static>> = const { Cell::new(ptr::null()) };
}

/// What the machines of a runtime share for fork-join.
#[derive(Debug)]
pub(crate) struct Computing {
    pub(crate) open_regions: OpenRegions,
    pub(crate) helpers: Helpers,
    loops: Spares<LoopRegion>,
    trees: Spares<TreeRegion>,
}

impl Computing {
    pub(crate) fn new() -> Self {
        Self { open_regions: OpenRegions::new(), helpers: Helpers::new(), loops: Spares::new(), trees: Spares::new() }
    }
}

/// Regions that were used before. A helper may still be looking at one, so it is used again only
/// when nobody has it.
#[derive(Debug)]
struct Spares<R>(Mutex<Vec<Arc<R>>>);

impl<R> Spares<R> {
    fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// A region that nobody else has.
    fn take(&self, make: impl FnOnce() -> R) -> Arc<R> {
        let mut spares = self.0.lock();
        let unshared = spares.iter_mut().position(|spare| Arc::get_mut(spare).is_some());
        let found = unshared.map(|at| spares.swap_remove(at));
        drop(spares);
        found.unwrap_or_else(|| Arc::new(make()))
    }

    fn put(&self, region: Arc<R>) {
        let mut spares = self.0.lock();
        if spares.len() < SPARE_REGIONS {
            spares.push(region);
        }
    }
}

/// Runs a loop over `0..count`, with the help of the runtime that the calling thread belongs to.
///
/// # Errors
///
/// The first panic.
pub(crate) fn run_loop<B: LoopBody>(count: u32, body: &B) -> Result<(), Payload> {
    match helped_context() {
        Some(context) if count > 1 => {
            let context = &*context;
            let computing = &context.scheduler().computing;
            let region = computing.loops.take(|| LoopRegion::new(context.scheduler().slots()));
            let counted = Counted::as_owner(context);
            // SAFETY: nobody else has it, by the promise of `take`.
            let outcome = unsafe { region.run(count, body, || Posted::post(context, &region)) };
            drop(counted);
            computing.loops.put(region);
            outcome
        }
        _ => {
            let alone = LoopRegion::new(1);
            // SAFETY: it was just made.
            unsafe { alone.run(count, body, || ()) }
        }
    }
}

/// Calls `f` with the thread's slot in a tree: the one it has, or that of a tree which is opened
/// for the call.
pub(crate) fn in_tree<R>(f: impl FnOnce(&TreeSlot<'_>) -> R) -> R {
    with_slot(|slot| match slot {
        Some(slot) => f(slot),
        None => in_new_tree(f),
    })
}

/// Calls `f` with the thread's slot, if it has one.
#[inline]
pub(crate) fn with_slot<R>(f: impl FnOnce(Option<&TreeSlot<'_>>) -> R) -> R {
    let slot = SLOT.get();
    // SAFETY: whoever set it keeps the slot alive until it has been put back; `f` cannot keep it.
    f(unsafe { slot.as_ref() })
}

/// Has an idle machine of the runtime that the calling thread belongs to look at the open regions.
pub(crate) fn summon() {
    Context::with(|context| context.into_iter().for_each(|context| context.scheduler().summon()));
}

/// The thread's context, if a region opened in it can have helpers. Counted: a closure of the
/// region's may drop the guard with which the thread has entered the runtime.
fn helped_context() -> Option<Rc<Context>> {
    Context::current().filter(|context| context.can_be_helped())
}

/// Whether a join has somebody to share with: else it had better do without a tree.
pub(crate) fn is_alone() -> bool {
    Context::with(|context| !context.is_some_and(Context::can_be_helped))
}

fn in_new_tree<R>(f: impl FnOnce(&TreeSlot<'_>) -> R) -> R {
    match helped_context() {
        Some(context) => {
            let context = &*context;
            let tree = OpenTree { context, region: context.scheduler().take_tree() };
            let counted = Counted::as_owner(context);
            let participant = Owner(context);
            // SAFETY: nobody else has the region, and the slot goes before `tree`.
            let slot = unsafe { tree.region.begin(&participant) };
            let posted = Posted::post(context, &tree.region);
            let current_slot = CurrentSlot::enter(&slot);
            let result = f(&slot);
            drop((current_slot, posted, counted));
            result
        }
        None => {
            let alone = TreeRegion::new(1);
            // SAFETY: it was just made, and the slot goes before it.
            let slot = unsafe { alone.begin(&Unattended) };
            let current_slot = CurrentSlot::enter(&slot);
            let result = f(&slot);
            drop(current_slot);
            result
        }
    }
}

/// A tree while its owner is in it.
struct OpenTree<'a> {
    context: &'a Context,
    region: Arc<TreeRegion>,
}

impl Drop for OpenTree<'_> {
    fn drop(&mut self) {
        self.region.end();
        self.context.scheduler().computing.trees.put(Arc::clone(&self.region));
    }
}

/// A region on the open regions, until this is dropped.
struct Posted<'a> {
    open_regions: &'a OpenRegions,
    region: *const (),
}

impl<'a> Posted<'a> {
    /// Puts `region` up and calls for help.
    fn post<R: Region + 'static>(context: &'a Context, region: &Arc<R>) -> Self {
        let open_regions = &context.scheduler().computing.open_regions;
        open_regions.post(Arc::clone(region) as Arc<dyn Region>);
        // Before the call, so that the region comes down if that should unwind.
        let posted = Self { open_regions, region: Arc::as_ptr(region).cast() };
        context.scheduler().summon();
        posted
    }
}

impl Drop for Posted<'_> {
    fn drop(&mut self) {
        self.open_regions.withdraw(self.region);
    }
}

/// The thread has a slot, until this is dropped.
pub(super) struct CurrentSlot {
    before: *const TreeSlot<'static>,
}

impl CurrentSlot {
    pub(super) fn enter(slot: &TreeSlot<'_>) -> Self {
        Self { before: SLOT.replace(ptr::from_ref(slot).cast()) }
    }
}

impl Drop for CurrentSlot {
    fn drop(&mut self) {
        SLOT.set(self.before);
    }
}

/// The thread is known to compute, until this is dropped, if it was not before.
pub(super) struct Counted<'a>(Option<(&'a Context, Place)>);

/// In whose time a thread computes.
enum Place {
    OwnProcessor,
    AmongHelpers,
}

impl<'a> Counted<'a> {
    fn as_owner(context: &'a Context) -> Self {
        if context.is_computing() {
            return Self(None);
        }
        context.set_computing(true);
        if context.mark_processor(true) {
            return Self(Some((context, Place::OwnProcessor)));
        }
        context.scheduler().computing.helpers.join_anyway();
        Self(Some((context, Place::AmongHelpers)))
    }

    /// Counts a machine in that comes to help. `None` if there are as many helpers as idle
    /// processors.
    pub(super) fn as_helper(context: &'a Context) -> Option<Self> {
        let scheduler = context.scheduler();
        if !scheduler.computing.helpers.join(scheduler.places()) {
            return None;
        }
        context.set_computing(true);
        Some(Self(Some((context, Place::AmongHelpers))))
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        let Some((context, place)) = &self.0 else { return };
        context.set_computing(false);
        match place {
            Place::OwnProcessor => {
                context.mark_processor(false);
            }
            Place::AmongHelpers => context.scheduler().computing.helpers.leave(),
        }
    }
}

impl Context {
    /// Whether a region opened here can have helpers.
    fn can_be_helped(&self) -> bool {
        let config = &self.scheduler().config;
        config.flavor == Flavor::MultiThread && config.processors > 1
    }

    /// Notes on the processor, for the watcher, whether its holder computes. `false` if the thread
    /// holds none.
    fn mark_processor(&self, computing: bool) -> bool {
        self.with_processor(|processor| match processor {
            Some(processor) => {
                processor.shared().watch().set_computing(computing);
                true
            }
            None => false,
        })
    }
}

impl Scheduler {
    /// Slots of a region: one for each processor, and its owner's.
    fn slots(&self) -> usize {
        (self.processors.regular() + 1).min(MOST_SLOTS)
    }

    fn take_tree(&self) -> Arc<TreeRegion> {
        self.computing.trees.take(|| TreeRegion::new(self.slots()))
    }

    /// How many may help now: one for each processor that is idle. Spares are not counted, since
    /// they stand in for processors whose threads may burn.
    pub(super) fn places(&self) -> usize {
        self.processors.regular().saturating_sub(self.idle.count_busy()).min(MOST_SLOTS - 1)
    }

    /// Has an idle machine look at the open regions, if there is a place for a helper and nobody
    /// looks already. Whoever comes calls the next.
    pub(crate) fn summon(&self) {
        let Computing { open_regions, helpers, .. } = &self.computing;
        open_regions.epoch().give();
        if helpers.will_look() || helpers.count() >= self.places() || self.shutdown.has_begun() {
            return;
        }
        match self.idle.spare_hand() {
            SpareHand::Asleep(machine) => self.rouse(&machine),
            SpareHand::Coming => {}
            SpareHand::None => self.start_helper(),
        }
    }

    /// Starts a machine that is to help, since all are busy or needed where they are.
    fn start_helper(&self) {
        if self.threads.refusals.are_recent(self.now()) || !self.computing.helpers.begin_start() {
            return;
        }
        let machine = Machine::new();
        // Listed, like those that the runtime begins with.
        self.idle.enlist(&machine);
        if self.counted().start_machine(Arc::clone(&machine)).is_err() {
            self.computing.helpers.end_start();
            // The owner does without.
            self.dismiss(&machine);
        }
    }
}

/// An owner's view: it does not leave.
struct Owner<'a>(&'a Context);

impl Participant for Owner<'_> {
    fn must_leave(&self) -> bool {
        false
    }

    fn tick(&self, _: Instant) {}

    fn summon(&self) {
        self.0.scheduler().summon();
    }

    fn with_slot(&self, slot: &TreeSlot<'_>, work: &mut dyn FnMut()) {
        let _current = CurrentSlot::enter(slot);
        work();
    }
}
