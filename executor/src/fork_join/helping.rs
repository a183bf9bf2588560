//! Helping: what an idle machine does while regions are open.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use wsrt_reactor::budget;

use crate::fork_join::computing::{Counted, CurrentSlot};
use crate::fork_join::{Participant, TreeSlot};
use crate::scheduler::Scheduler;
use crate::scheduler::driver::Wait;
use crate::scheduler::limits::HELPER_NETWORK_PERIOD;
use crate::scheduler::machine_loop::MachineLoop;
use crate::scheduler::machine_status::OffProcessor;
use crate::scheduler::threads::AbortOnUnwind;
use crate::scheduler::wake_batch::WakeBatch;
use crate::util::thread_state::current_core;

/// For so long a helper sleeps to be woken on another core.
const PARTING_NAP: Duration = Duration::from_micros(20);

/// It does so once in this time at most.
const PARTING_PERIOD: Duration = Duration::from_millis(2);

/// Ticks that come as often as this are good enough to watch the netpoller by.
const OFTEN: Duration = Duration::from_micros(100);

impl MachineLoop<'_> {
    /// Helps with what stands on the open regions, if there is anything. The machine holds no
    /// processor, and is on the list of the idle; it is off it when this returns `true`.
    pub(crate) fn help(&mut self) -> bool {
        // Before the list is left: a machine that goes to sleep has to be on it while it looks.
        if self.scheduler.computing.open_regions.find().is_none() {
            return false;
        }
        let Some(counted) = Counted::as_helper(self.context) else { return false };
        if let Some(processor) = self.stand_up() {
            self.context.take_up(processor);
            return true;
        }
        if self.scheduler.poll_owner.is_present() {
            // It may mean to sleep past the timers that this machine leaves behind.
            self.watch_own_deadlines();
        }
        let budget = budget::keep();
        // What the last task has left of its own is no limit for others' work.
        budget::lift();
        self.context.set_off_processor(OffProcessor::Helping);
        let helping = self.scheduler.observe_helping();
        let readied = self.work_and_linger();
        drop(helping);
        self.context.set_off_processor(OffProcessor::No);
        drop(budget);
        drop(counted);
        if !readied.is_empty() {
            self.wake_up_with(readied, true);
        }
        true
    }

    /// Returns the tasks that were readied by what it found in the netpoller.
    fn work_and_linger(&mut self) -> WakeBatch {
        let scheduler = self.scheduler;
        let participant = Helper::new(self);
        let open_regions = &scheduler.computing.open_regions;
        while !participant.must_leave() {
            let seen = open_regions.epoch().read();
            match open_regions.find() {
                Some(region) => {
                    scheduler.summon_another();
                    participant.part_from(region.owners_core());
                    region.help(&participant);
                }
                None if !participant.linger_after(seen) => break,
                None => {}
            }
        }
        participant.into_readied()
    }

    /// One turn of the netpoller for a machine without a processor, and all due timers.
    fn poll_network_without_processor(&mut self) -> WakeBatch {
        self.driver.collect(self.scheduler.arrivals_elsewhere(), Wait::Poll, usize::MAX)
    }
}

impl Scheduler {
    /// Calls one more helper, if there is a place for one: whoever comes calls the next.
    fn summon_another(&self) {
        if self.computing.helpers.count() < self.places() {
            self.summon();
        }
    }
}

/// How long a machine looks at the board before it goes back to sleep: to wake it costs the owner
/// of a region some microseconds, and itself some tens. It is tuned by what it brings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spinner {
    patience: Duration,
    left: Option<Instant>,
}

impl Spinner {
    const MOST: Duration = Duration::from_micros(50);
    const LEAST: Duration = Duration::from_micros(1);
    /// A machine that comes back within this time has left too early.
    const SOON: Duration = Duration::from_micros(200);

    pub(crate) fn new() -> Self {
        Self { patience: Self::MOST, left: None }
    }

    fn arrive(&mut self) {
        if self.left.is_some_and(|left| left.elapsed() < Self::SOON) {
            self.patience = Self::MOST;
        }
    }

    fn leave(&mut self) {
        self.left = Some(Instant::now());
    }

    fn was_of_use(&mut self, of_use: bool) {
        self.patience = if of_use { Self::MOST } else { (self.patience / 2).max(Self::LEAST) };
    }
}

/// A helper, and what it has come by while it helped.
struct Helper<'a, 'b> {
    scheduler: &'a Scheduler,
    machine_loop: RefCell<&'b mut MachineLoop<'a>>,
    readied: RefCell<WakeBatch>,
    ticked: Cell<Instant>,
    /// When it last tried to get off the core of a region's owner.
    parted: Cell<Option<Instant>>,
    /// Whether it has readied something, and should see to that.
    has_news: Cell<bool>,
}

impl<'a, 'b> Helper<'a, 'b> {
    fn new(machine_loop: &'b mut MachineLoop<'a>) -> Self {
        machine_loop.spinner.arrive();
        machine_loop.scheduler.computing.helpers.begin_watch();
        // It is to see that helpers do look: this machine may have been the poll owner, who spares
        // it that.
        machine_loop.scheduler.idle.watcher().wake_if_asleep();
        Self {
            scheduler: machine_loop.scheduler,
            machine_loop: RefCell::new(machine_loop),
            readied: RefCell::new(WakeBatch::default()),
            ticked: Cell::new(Instant::now()),
            parted: Cell::new(None),
            has_news: Cell::new(false),
        }
    }

    fn into_readied(self) -> WakeBatch {
        self.scheduler.computing.helpers.end_watch();
        self.machine_loop.into_inner().spinner.leave();
        self.readied.into_inner()
    }

    /// Gets off the core of a region's owner, where a helper is none.
    ///
    /// A kernel may leave both there for long, though others are free: they are busy, and look like
    /// one load. It chooses a core anew for a thread that wakes, so a nap will do. Not again soon,
    /// since there may be just that core.
    fn part_from(&self, owners_core: Option<u32>) {
        if owners_core.is_none() || owners_core != current_core() {
            return;
        }
        let now = Instant::now();
        if self.parted.get().is_none_or(|before| now.duration_since(before) > PARTING_PERIOD) {
            self.parted.set(Some(now));
            std::thread::sleep(PARTING_NAP);
        }
    }

    /// Looks at the board for a while, in case a region is opened soon. `true` if there is a notice
    /// later than `seen`.
    fn linger_after(&self, seen: u64) -> bool {
        let computing = &self.scheduler.computing;
        let mut now = Instant::now();
        let until = now + self.machine_loop.borrow().spinner.patience;
        computing.helpers.begin_linger();
        while computing.open_regions.epoch().read() == seen && now < until && !self.must_leave() {
            std::hint::spin_loop();
            now = Instant::now();
            self.tick(now);
        }
        computing.helpers.end_linger();
        // After the fence: a notice that was given to nobody else is seen here.
        let noticed = computing.open_regions.epoch().read() != seen;
        self.machine_loop.borrow_mut().spinner.was_of_use(noticed);
        noticed
    }
}

impl Participant for Helper<'_, '_> {
    fn must_leave(&self) -> bool {
        let scheduler = self.scheduler;
        self.has_news.get()
            || scheduler.computing.helpers.count() > scheduler.places()
            || scheduler.shutdown.has_begun()
    }

    /// Looks at the netpoller in the keeper's stead. If there is one it is sent to sleep, as soon
    /// as ticks come often.
    fn tick(&self, now: Instant) {
        let scheduler = self.scheduler;
        let since = now.saturating_duration_since(self.ticked.replace(now));
        if scheduler.poll_owner.is_present() {
            if since < OFTEN
                && scheduler.computing.helpers.take_turn_at_network(scheduler.nanos(now), HELPER_NETWORK_PERIOD)
            {
                scheduler.netpoller.interrupt();
            }
            return;
        }
        if !scheduler.computing.helpers.take_turn_at_network(scheduler.nanos(now), HELPER_NETWORK_PERIOD) {
            return;
        }
        // A waker that panics here has nothing to do with the region that is being helped: it ends
        // the process, as in the machine's own loop.
        let guard = AbortOnUnwind;
        let readied = self.machine_loop.borrow_mut().poll_network_without_processor();
        std::mem::forget(guard);
        if !readied.is_empty() {
            self.has_news.set(true);
            // One that has news leaves before its next turn.
            *self.readied.borrow_mut() = readied;
        }
    }

    fn summon(&self) {
        self.scheduler.summon();
    }

    fn with_slot(&self, slot: &TreeSlot<'_>, work: &mut dyn FnMut()) {
        let _current = CurrentSlot::enter(slot);
        work();
    }
}
