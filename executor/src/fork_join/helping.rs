//! Helping: the idle work of a machine that has found no task while regions are open.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::time::{Duration, Instant};

use wsrt_reactor::budget;

use crate::fork_join::Participant;
use crate::fork_join::guests::{Guest, Visit};
use crate::fork_join::open_regions::Indexed;
use crate::fork_join::regions::{Counted, Regions, places};
use crate::scheduler::Scheduler;
use crate::scheduler::core::limits::HELPER_NETWORK_PERIOD;
use crate::scheduler::core::machine::OffProcessor;
use crate::scheduler::core::sleep::{SleepingSide, WakingSide};
use crate::scheduler::idle_work::{IdleWork, Spinner};
use crate::scheduler::worker::driver::{Driver, WakeBatch};
use crate::scheduler::worker::{LoopState, MachineLoop, RunIdleWork};
use crate::util::spin_time::SpinTime;
use crate::util::sync;
use crate::util::thread_state::current_core;
use crate::util::unwind::AbortOnUnwind;

impl IdleWork for Regions {
    fn is_wanted(&self) -> bool {
        self.open.find().is_some()
    }

    fn runner(&self) -> &dyn Any {
        const RUN: RunIdleWork = run;
        &RUN
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Helps with parallel calls: a [`RunIdleWork`].
fn run(machine_loop: &mut MachineLoop<'_>) -> bool {
    let regions = Regions::of(machine_loop.scheduler);
    // Before the machine leaves the idle list: on its way to sleep it has to be on the list
    // while it looks.
    if !regions.is_wanted() {
        return false;
    }
    let (scheduler, context) = (machine_loop.scheduler, machine_loop.context);
    let Some(counted) = Counted::as_helper(context) else { return false };
    if let Some(processor) = machine_loop.leave_list() {
        context.take_up(processor);
        return true;
    }
    if scheduler.poll_owner.is_present() {
        // The poll owner may mean to sleep past the timers that this machine leaves behind.
        scheduler.notify_poll_owner();
    }
    let budget = budget::keep();
    // The budget that the last task has left is no limit for the work of others.
    budget::lift();
    context.set_off_processor(OffProcessor::Helping);
    let observed = scheduler.observer.helping();
    let readied = regions.help(machine_loop);
    drop(observed);
    context.set_off_processor(OffProcessor::No);
    drop(budget);
    drop(counted);
    if !readied.is_empty() {
        machine_loop.wake_up_with(readied, true);
    }
    true
}

impl Regions {
    /// Helps one region after the other, then spins for a while. Returns the tasks that were
    /// readied by the netpoller meanwhile.
    fn help(&self, machine_loop: &mut MachineLoop<'_>) -> WakeBatch {
        let MachineLoop { scheduler, driver, state: LoopState { spinner, .. }, .. } = machine_loop;
        spinner.begin();
        let helper = Helper::new(self, scheduler, driver);
        while !helper.must_leave() {
            let seen = self.open.epoch().read();
            match self.open.find() {
                Some(region) => {
                    self.summon_another(scheduler);
                    helper.core_change.leave(region.owners_core());
                    let visit = Visit::begin();
                    region.help(&helper);
                    drop(visit);
                }
                None if !helper.spin_after(seen, spinner) => break,
                None => {}
            }
        }
        let readied = helper.end();
        spinner.end();
        readied
    }
}

/// A helper, and the tasks that it has readied while it helped.
struct Helper<'a, 'b> {
    scheduler: &'a Arc<Scheduler>,
    regions: &'a Regions,
    /// The machine's own. Borrowed in `tick` alone, which no waker calls.
    driver: RefCell<&'a mut Driver<'b>>,
    readied: RefCell<WakeBatch>,
    ticked: Cell<Instant>,
    core_change: CoreChange,
    /// True if it has woken tasks, and has to leave to place them.
    has_readied: Cell<bool>,
}

impl<'a, 'b> Helper<'a, 'b> {
    fn new(regions: &'a Regions, scheduler: &'a Arc<Scheduler>, driver: &'a mut Driver<'b>) -> Self {
        scheduler.helpers.begin_watch();
        // Sysmon has to see to it that helpers do look: this machine may have been the poll owner,
        // while there is one sysmon need not.
        scheduler.idle.watcher().wake_if_resting();
        Self {
            scheduler,
            regions,
            driver: RefCell::new(driver),
            readied: RefCell::new(WakeBatch::default()),
            ticked: Cell::new(sync::now()),
            core_change: CoreChange::new(),
            has_readied: Cell::new(false),
        }
    }

    fn end(self) -> WakeBatch {
        self.scheduler.helpers.end_watch();
        self.readied.into_inner()
    }

    /// Spins for a while, in case a region is opened soon. Returns `true` if there was a summons
    /// later than `seen`.
    fn spin_after(&self, seen: u64, spinner: &mut Spinner) -> bool {
        let (helpers, epoch) = (&self.scheduler.helpers, self.regions.open.epoch());
        let mut now = sync::now();
        let until = now + spinner.spin_time();
        helpers.begin_spin();
        while epoch.read() == seen && now < until && !self.must_leave() {
            std::hint::spin_loop();
            now = sync::now();
            self.tick();
        }
        helpers.end_spin();
        // After the fence: a summons that has woken no other machine is seen here.
        let summoned = epoch.read() != seen;
        spinner.adapt(summoned);
        summoned
    }
}

impl Participant for Helper<'_, '_> {
    fn must_leave(&self) -> bool {
        let scheduler = self.scheduler;
        self.has_readied.get() || scheduler.helpers.count() > places(scheduler) || scheduler.shutdown.has_begun()
    }

    /// Looks at the netpoller in place of a poll owner. If there is one, it is sent to sleep as
    /// soon as two ticks come within two periods, which is often enough to watch the netpoller by.
    fn tick(&self) {
        let (scheduler, now) = (self.scheduler, sync::now());
        let since = now.saturating_duration_since(self.ticked.replace(now));
        let has_poll_owner = scheduler.poll_owner.is_present();
        if has_poll_owner && since >= Duration::from_nanos(2 * HELPER_NETWORK_PERIOD) {
            return;
        }
        if !scheduler.helpers.take_turn_at_network(scheduler.clock.nanos(now), HELPER_NETWORK_PERIOD) {
            return;
        }
        if has_poll_owner {
            return scheduler.netpoller.interrupt();
        }
        // A waker that panics here has nothing to do with the region that is being helped: it ends
        // the process, as in the machine's own loop.
        let guard = AbortOnUnwind::OF_A_THREAD;
        let readied = self.driver.borrow_mut().collect(&*scheduler.elsewhere, usize::MAX);
        std::mem::forget(guard);
        if !readied.is_empty() {
            self.has_readied.set(true);
            // It leaves before its next turn, so there is one batch at most.
            *self.readied.borrow_mut() = readied;
        }
    }

    fn summon(&self) {
        self.regions.summon(self.scheduler);
    }

    fn runtime(&self) -> Option<&dyn Any> {
        Some(self.scheduler)
    }

    fn thread(&self) -> &dyn Indexed {
        &Guest
    }
}

/// When a helper last tried to get off the core of a region's owner, where it is of no use.
///
/// A kernel may leave both threads there for long, though other cores are free: they are busy, and
/// look like one load. It chooses a core anew for a thread that wakes, so a nap will do.
#[derive(Debug)]
pub(super) struct CoreChange(Cell<Option<Instant>>);

impl CoreChange {
    pub(super) fn new() -> Self {
        Self(Cell::new(None))
    }

    /// Gets off `owners_core`, if the calling thread is on it.
    pub(super) fn leave(&self, owners_core: Option<u32>) {
        if owners_core.is_none() || owners_core != current_core() {
            return;
        }
        let now = sync::now();
        // A hundredth of the helper's time at most, since there may be only that core.
        if self.0.get().is_none_or(|before| now.duration_since(before) > 100 * SpinTime::SOON) {
            self.0.set(Some(now));
            sync::sleep(SpinTime::SOON);
        }
    }
}
