//! The regions of one runtime or team: those that are open, and those that are kept for the next
//! calls. And summoning helpers: how many a region may have now, and which machine comes.
//!
//! A helper computes in the time of an idle processor, and the processor stays on the idle list
//! meanwhile. So async work finds the processor there as ever and wakes a machine for it, and a
//! helper that sees more helpers than idle processors leaves at its next claim. Spawning and waking
//! tasks know nothing of regions.
//!
//! A loop gets the idle processors, and its owner's own processor, which is its share. Only when no
//! other processor runs tasks does sysmon put a spare processor into play, as for any long poll.

use std::sync::Arc;
use std::time::Duration;

use crate::fork_join::guests::Guests;
use crate::fork_join::owner_turns::{OwnerTurn, OwnerTurns};
use crate::fork_join::slots::MOST_SLOTS;
use crate::fork_join::team::{Team, with_member};
use crate::fork_join::{LoopRegion, OpenRegions, TreeRegion, TreeSlot};
use crate::scheduler::core::idle::SpareHand;
use crate::scheduler::core::limits::TIME_SLICE;
use crate::scheduler::core::sleep::WakingSide;
use crate::scheduler::idle_work::IdleWork;
use crate::scheduler::worker::start::start_idle_machine;
use crate::scheduler::{Context, Scheduler};
use crate::util::sync::Mutex;

/// The state that the threads of one runtime or team share for parallel calls. The scheduler owns
/// it as its [`IdleWork`] and knows nothing else of it.
pub(super) struct Regions {
    pub(super) open: OpenRegions,
    pub(super) free_loops: FreeRegions<LoopRegion>,
    pub(super) free_trees: FreeRegions<TreeRegion>,
    /// Of a runtime, as `guests`.
    turns: OwnerTurns,
    pub(super) guests: Arc<Guests>,
}

/// Makes the idle work of a new scheduler.
pub(crate) fn idle_work() -> Box<dyn IdleWork> {
    Box::new(Regions::new())
}

impl Regions {
    pub(super) fn new() -> Self {
        let (free_loops, free_trees) = (FreeRegions::new(), FreeRegions::new());
        Self { open: OpenRegions::new(), free_loops, free_trees, turns: OwnerTurns::new(), guests: Guests::new() }
    }

    /// Returns the regions of the runtime whose scheduler this is.
    pub(super) fn of(scheduler: &Scheduler) -> &Self {
        scheduler.idle_work.as_any().downcast_ref().expect("`idle_work` has made it")
    }
}

impl Drop for Regions {
    fn drop(&mut self) {
        self.guests.end();
    }
}

/// Returns how many slots a region needs: one for each processor, and one for its owner.
pub(super) fn slots(scheduler: &Scheduler) -> usize {
    (scheduler.processors.regular() + 1).min(MOST_SLOTS)
}

/// A region with a number of slots, that of the processors at its making.
pub(super) trait Slotted {
    fn slots(&self) -> usize;
}

impl Slotted for LoopRegion {
    fn slots(&self) -> usize {
        self.count_slots()
    }
}

impl Slotted for TreeRegion {
    fn slots(&self) -> usize {
        self.count_slots()
    }
}

/// Regions of earlier calls. A helper that came too late may still have a reference to one, so a
/// region is used again only when no other thread has it.
pub(super) struct FreeRegions<R>(Mutex<Vec<Arc<R>>>);

impl<R: Slotted> FreeRegions<R> {
    fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// Returns a region of `slots` or more to which no other thread has a reference: a free one, or
    /// a new one. Forgets those that are too small, from before the runtime grew.
    pub(super) fn take(&self, slots: usize, make: impl FnOnce(usize) -> R) -> Arc<R> {
        loop {
            let mut free = self.0.lock();
            let unshared = free.iter_mut().position(|region| Arc::get_mut(region).is_some());
            let found = unshared.map(|at| free.swap_remove(at));
            drop(free);
            match found {
                Some(region) if region.slots() < slots => {}
                Some(region) => return region,
                None => return Arc::new(make(slots)),
            }
        }
    }

    /// Keeps `region` for a later call. As many are kept as a region has slots, since about as many
    /// threads open one at the same time.
    pub(super) fn put(&self, region: Arc<R>) {
        let mut free = self.0.lock();
        if free.len() < region.slots() {
            free.push(region);
        }
    }
}

/// Returns how many threads may help now: one for each processor that is idle. Spare processors
/// are not counted, since they stand in for processors whose threads may burn their cores.
pub(super) fn places(scheduler: &Scheduler) -> usize {
    scheduler.processors.regular().saturating_sub(scheduler.idle.count_busy()).min(MOST_SLOTS - 1)
}

impl Regions {
    /// Makes one idle machine look at the open regions, if a helper may come and no other machine
    /// is about to look. The machine that comes summons the next.
    pub(super) fn summon(&self, scheduler: &Scheduler) {
        self.open.epoch().advance();
        let helpers = &scheduler.helpers;
        if helpers.will_look() || helpers.count() >= places(scheduler) || scheduler.shutdown.has_begun() {
            return;
        }
        match scheduler.idle.spare_hand() {
            SpareHand::Asleep(machine) => scheduler.rouse(&machine),
            SpareHand::Coming => {}
            // If none can be started, the owner does without.
            SpareHand::None => start_idle_machine(scheduler),
        }
    }

    /// Summons one more helper, if one may come.
    pub(super) fn summon_another(&self, scheduler: &Scheduler) {
        if scheduler.helpers.count() < places(scheduler) {
            self.summon(scheduler);
        }
    }

    /// Summons a helper to the place of an owner that has left. The call that wants it has summoned
    /// none, since all places were taken. (A machine that leaves looks for such a call itself.)
    fn pass_place_on(&self, scheduler: &Scheduler) {
        if self.open.find().is_some() {
            self.summon_another(scheduler);
        }
    }
}

/// Counts the thread as one that computes, until this guard is dropped: by a mark on the
/// processor that it holds, or as a helper. Empty if the thread was counted before.
pub(super) struct Counted<'a> {
    counted: Option<(&'a Context, CountedAs)>,
    /// An owner's. It ends after the place is passed on.
    _turn: Option<OwnerTurn<'a>>,
}

enum CountedAs {
    Holder,
    /// An owner that holds no processor.
    Owner,
    Helper,
}

impl<'a> Counted<'a> {
    /// Counts the owner of a region, when it has a turn.
    pub(super) fn as_owner(context: &'a Context) -> Self {
        if context.is_computing() {
            return Self { counted: None, _turn: None };
        }
        let scheduler = context.scheduler();
        let longest = Duration::from_nanos(5 * TIME_SLICE);
        // One more than there are cores: an owner that was woken may wait for a core that another
        // thread has, while the core that a turn's end has left is idle.
        let most = scheduler.processors.regular() + 1;
        let turn = Regions::of(scheduler).turns.begin(most, longest);
        context.set_computing(true);
        let counted_as = if mark_processor(context, true) {
            CountedAs::Holder
        } else {
            scheduler.helpers.join_anyway();
            CountedAs::Owner
        };
        Self { counted: Some((context, counted_as)), _turn: Some(turn) }
    }

    /// Counts a machine that comes to help. Returns `None` if there are as many helpers as idle
    /// processors.
    pub(super) fn as_helper(context: &'a Context) -> Option<Self> {
        let scheduler = context.scheduler();
        if !scheduler.helpers.join(places(scheduler)) {
            return None;
        }
        context.set_computing(true);
        Some(Self { counted: Some((context, CountedAs::Helper)), _turn: None })
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        let Some((context, counted_as)) = &self.counted else { return };
        context.set_computing(false);
        let scheduler = context.scheduler();
        match counted_as {
            CountedAs::Holder => _ = mark_processor(context, false),
            // It looks at everything before it sleeps.
            CountedAs::Helper => return scheduler.helpers.leave(),
            CountedAs::Owner => {
                scheduler.helpers.leave();
                Regions::of(scheduler).pass_place_on(scheduler);
            }
        }
        // They were held back while the call wanted help.
        if scheduler.background_may_run() {
            scheduler.wake_one();
        }
    }
}

/// Notes on the processor, for sysmon, whether its holder computes. Returns `false` if the thread
/// holds none.
fn mark_processor(context: &Context, computing: bool) -> bool {
    context.with_processor(|processor| {
        let shared = processor.map(|processor| processor.shared().watch().set_computing(computing));
        shared.is_some()
    })
}

/// The threads that help in a region: a team's, or a runtime's.
#[derive(Clone)]
pub(crate) enum RegionHome {
    Team(Arc<Team>),
    Runtime(Arc<Scheduler>),
    /// No other thread.
    Alone,
}

impl RegionHome {
    /// Returns the home of the region in which the calling thread has `slot`.
    pub(crate) fn of(slot: &TreeSlot<'_>) -> Self {
        let team = with_member(|member| {
            let member = member.filter(|member| member.team().id() == slot.region().team());
            member.map(|member| Arc::clone(member.team()))
        });
        let runtime = || slot.participant().runtime()?.downcast_ref().cloned().map(Self::Runtime);
        team.map(Self::Team).or_else(runtime).unwrap_or(Self::Alone)
    }

    /// Makes a thread look at the open regions.
    pub(crate) fn summon(&self) {
        match self {
            Self::Team(team) => team.summon(),
            Self::Runtime(scheduler) => Regions::of(scheduler).summon(scheduler),
            Self::Alone => {}
        }
    }
}
