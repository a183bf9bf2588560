//! Simulation: all machines of a runtime take their turns on one thread, in an order that a seed
//! decides, by a clock that is moved from turn to turn.
//!
//! The tasks, queues, timers and the sleeping protocol are the real ones. Simulated are the three
//! things that a machine gets from the system: its thread, the time, and its sleep. A turn is one
//! round of the machine's loop, and takes a time that is drawn; the machine whose turn begins first
//! has the next one. `docs/SIMULATION.md` says more.

mod agenda;
mod computing;
mod costs;
mod dice;
mod driving;
mod failing;
mod inner_wait;
mod jobs;
mod roots;
mod simulated_machine;
mod stage;
mod virtual_clock;
mod waking;

use std::collections::BTreeSet;
use std::future::Future;
use std::num::NonZeroU64;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::task::Waker;
use std::{fmt, io};

use wsrt_reactor::Netpoller;
use wsrt_reactor::simulated_net::SimulatedNetwork;
use wsrt_world::entropy::override_entropy;
use wsrt_world::task_hosts::HostsOverride;
use wsrt_world::virtual_time::{self, TimeOverride, began, override_time};
use wsrt_world::{
    Cost, FaultPlan, Inhabitants, Mounted, RecordedStep, RunRecord, SequenceOverride, World, lacks_interposition,
    uptime,
};

use self::costs::Accounts;
pub use self::costs::Costs;
use self::dice::Dice;
use self::failing::Bounds;
use self::jobs::Jobs;
use crate::observe::counters::Count;
use crate::scheduler::Scheduler;
use crate::scheduler::clock::Clock;
use crate::scheduler::core::machine::Machine;
use crate::task::{Id, Runnable};
use crate::util::sync::Mutex;

/// More tasks than a simulation will ever spawn.
const MOST_IDS: u64 = 1 << 40;

/// The builder's decisions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) seed: u64,
    /// The costs of the scheduler's work, if it has any.
    pub(crate) costs: Option<Costs>,
    /// The faults of the run, instead of the seed's.
    pub(crate) plan: Option<&'static FaultPlan>,
    /// Replaces the settings that the environment has.
    pub(crate) replace: fn(Self) -> io::Result<Self>,
    /// Returns a report on a runtime none of whose tasks can go on.
    pub(crate) report: fn(&Scheduler) -> String,
    /// Tells the program that runs this one, if one does, of a failure.
    pub(crate) tell_runner: fn(&str),
}

impl Settings {
    /// Returns these settings, with the environment's where it has any.
    pub(crate) fn by_environment(self) -> io::Result<Self> {
        (self.replace)(self)
    }

    /// Gives this thread random numbers and a clock that the seed decides, until the guards are
    /// dropped: while it makes the processors and their clock, which begins with what the system's
    /// shows now.
    pub(crate) fn give_numbers(&self) -> (SequenceOverride, TimeOverride) {
        (override_entropy(!self.seed), override_time(uptime(), 0))
    }
}

/// The simulation of one runtime: the part that any thread may touch. The machines are on the
/// [`Stage`](stage::Stage) of the thread that drives it.
pub(crate) struct Simulation {
    settings: Settings,
    /// The first of its ids, and the next one, while it is not driven.
    first_id: u64,
    next_id: AtomicU64,
    /// The reading of the system's clock when it was made, in nanoseconds.
    began: u64,
    world: World,
    /// True if machines can be started: while it is driven, but for the end. Relaxed, as the next.
    is_staged: AtomicBool,
    /// True if the netpoller was interrupted. Relaxed, as the next: written and read by the driver.
    interrupted: AtomicBool,
    state: Mutex<SimulationState>,
}

struct SimulationState {
    dice: Dice,
    /// The seed of the generators that are made while it is driven.
    entropy: u64,
    /// Machines that were started and have not come on the stage.
    newcomers: Vec<Arc<Machine>>,
    jobs: Jobs,
    record: RunRecord,
    bounds: Bounds,
    accounts: Option<Accounts>,
    computing: Computing,
    /// How long tasks have computed.
    computed: u64,
    /// Machines that were woken since the stage looked, by their addresses.
    roused: Vec<usize>,
}

/// A time for which a machine computes, and the tasks that continue then.
#[derive(Default)]
pub(super) struct Computing {
    pub(super) nanos: u64,
    pub(super) wakers: Vec<Waker>,
}

impl Simulation {
    pub(crate) fn new(settings: Settings) -> Self {
        let seed = settings.seed;
        (settings.tell_runner)(&format!("simulation {seed}"));
        let first_id = Id::reserve(MOST_IDS);
        let state = SimulationState {
            dice: Dice::new(seed),
            entropy: seed.rotate_left(32),
            newcomers: Vec::new(),
            jobs: Jobs::default(),
            record: RunRecord::new(seed),
            bounds: Bounds::default(),
            accounts: settings.costs.map(Accounts::new),
            computing: Computing::default(),
            computed: 0,
            roused: Vec::new(),
        };
        Self {
            settings,
            first_id,
            next_id: AtomicU64::new(first_id),
            began: began(),
            world: World::new(seed, settings.plan),
            is_staged: AtomicBool::new(false),
            interrupted: AtomicBool::new(false),
            state: Mutex::new(state),
        }
    }

    /// Returns whether machines can be started: not while no thread drives it.
    pub(crate) fn is_staged(&self) -> bool {
        self.is_staged.load(Relaxed)
    }

    /// Returns whether this thread drives the simulation.
    pub(crate) fn is_driven_here(&self) -> bool {
        self.world.driver().is_this()
    }

    /// Notes that this thread calls, which ends the run if it is not the one that drives.
    pub(crate) fn note_caller(&self) {
        self.world.driver().note_caller();
    }

    /// An id for a task that is spawned outside processors, and the number by which its shard is
    /// chosen, which is the same in each run.
    pub(crate) fn next_id(&self) -> (Id, usize) {
        let id = if self.is_driven_here() { Id::next() } else { self.take_id() };
        self.note_task(id);
        (id, self.number_of(id.as_u64()) as usize)
    }

    /// The number of a task in this run: the same in each run, which its id is not.
    fn take_id(&self) -> Id {
        Id::from_number(NonZeroU64::new(self.next_id.fetch_add(1, Relaxed)).expect("no id is zero"))
    }

    fn number_of(&self, id: u64) -> u64 {
        id.saturating_sub(self.first_id)
    }

    /// Ends the poll owner's sleep.
    pub(crate) fn interrupt(&self) {
        self.interrupted.store(true, Relaxed);
    }

    /// Returns whether an interrupt was requested.
    fn is_interrupted(&self) -> bool {
        self.interrupted.load(Relaxed)
    }

    fn take_interrupt(&self) {
        self.interrupted.store(false, Relaxed);
    }

    fn is_disturbed(&self) -> bool {
        self.world.driver().is_disturbed()
    }

    /// Puts a machine on the stage, instead of its own thread.
    pub(crate) fn start(&self, machine: Arc<Machine>) {
        self.state.lock().newcomers.push(machine);
    }

    /// No machine can be started from now on.
    fn leave_stage(&self) {
        self.is_staged.store(false, Relaxed);
    }

    fn take_newcomers(&self) -> Vec<Arc<Machine>> {
        std::mem::take(&mut self.state.lock().newcomers)
    }

    fn next_job_at(&self) -> Option<u64> {
        self.state.lock().jobs.next_at()
    }

    /// Queues a job at the time `now`, as if a thread were started or woken for it. Gives it back
    /// if the runtime has ended.
    pub(crate) fn queue_job(&self, now: u64, runnable: Runnable, is_promised: bool) -> Result<(), Runnable> {
        self.note_caller();
        let mut state = self.state.lock();
        let SimulationState { jobs, dice, .. } = &mut *state;
        jobs.add(runnable, is_promised, now, || dice.start())
    }

    /// Takes no more jobs. Runs the promised ones, and returns the others, to be cancelled.
    pub(crate) fn close_jobs(&self) -> Vec<Runnable> {
        let (promised, others) = self.state.lock().jobs.close();
        promised.into_iter().for_each(|job| job.run_counted());
        others
    }

    fn take_job(&self) -> Option<Runnable> {
        self.state.lock().jobs.take_next()
    }

    fn with_dice<R>(&self, f: impl FnOnce(&mut Dice) -> R) -> R {
        f(&mut self.state.lock().dice)
    }

    /// When the turn of a machine ends that had `processor`: at a later moment in any case.
    fn end_of_turn(&self, scheduler: &Scheduler, processor: Option<usize>) -> u64 {
        let mut state = self.state.lock();
        let SimulationState { accounts, dice, roused, .. } = &mut *state;
        let lasts = match accounts {
            Some(accounts) => {
                let elsewhere = Count::get(&scheduler.elsewhere.events);
                accounts.pay(&scheduler.processors, processor, elsewhere, roused.len()).max(1)
            }
            None => dice.turn(),
        };
        scheduler.clock.timer_now() + lasts
    }

    /// Returns whether the task in a victim's runnext stays there for longer than a hand-off takes:
    /// the system may have taken the victim's core away at this moment, or not.
    pub(crate) fn is_victim_held_up(&self) -> bool {
        self.with_dice(Dice::is_victim_held_up)
    }

    fn note(&self, clock: &Clock, step: RecordedStep) {
        let now = clock.timer_now();
        self.state.lock().record.note(now, step);
    }

    /// Takes over the clock of the runtime, which its turns move from now on, and makes the
    /// netpoller take no sockets other than the simulated network's.
    pub(crate) fn take_over(&self, clock: &Clock, netpoller: &Netpoller) {
        clock.simulate();
        netpoller.lend(self.simulated_network(), of_system);
    }

    /// The network, disks, clocks and faults.
    pub(crate) fn world(&self) -> &World {
        &self.world
    }

    /// Gives this thread the hosts of tasks, for the timeline's events.
    pub(crate) fn override_hosts(&self) -> HostsOverride {
        self.world.override_hosts()
    }

    /// Returns the network in the form in which the reactor makes sockets of it.
    pub(crate) fn simulated_network(&self) -> Arc<dyn SimulatedNetwork> {
        self.world.simulated_network()
    }

    /// Returns the disk of the host that the current task belongs to; `None` outside hosts.
    ///
    /// # Errors
    ///
    /// Fails for a task of a host that has crashed.
    pub(crate) fn disk_of_current_task(&self) -> io::Result<Option<Mounted>> {
        self.world.disk_of_current_task()
    }

    /// Lets the next blocking job take the time of a call on a host's disk.
    pub(crate) fn take_disk_time(&self, host: usize, cost: Cost) {
        let time = self.world.draw_disk_time(host, cost);
        self.state.lock().jobs.delay_next(time);
    }

    /// A task is being spawned: it belongs to the host of its parent.
    pub(crate) fn note_task(&self, id: Id) {
        self.world.network().note_task(id.as_u64());
    }

    /// Forgets the hosts of tasks that have ended, if there may be many. No task is in its poll.
    fn sweep(&self, scheduler: &Scheduler) {
        if self.world.network().wants_sweep() {
            let mut listed = BTreeSet::new();
            let mut note = |id: Id| _ = listed.insert(id.as_u64());
            scheduler.tasks.each_id(&mut note);
            scheduler.blocking.jobs.each_id(&mut note);
            scheduler.observer.local_sets.alive().iter().for_each(|set| set.live().each_id(&mut note));
            self.world.network().sweep(&listed);
        }
    }

    /// Forgets what the program has lent for the run: it may have a handle of the runtime in turn.
    pub(crate) fn forget_program(&self) {
        self.world.network().forget_starts();
        self.forget_invariants();
    }

    /// The record of the run so far.
    pub(crate) fn record(&self) -> RunRecord {
        self.state.lock().record
    }

    /// Waits for `future`, which this thread polls, while it runs the simulated machines.
    pub(crate) fn block_on<F: Future>(&self, scheduler: &Arc<Scheduler>, future: Pin<&mut F>) -> F::Output {
        stage::block_on(self, scheduler, future)
    }
}

/// Refuses to wait for another runtime on a thread that drives a simulation, whose clock stands
/// during that time.
///
/// # Panics
///
/// Panics if this is such a thread.
pub(crate) fn refuse_beside_simulation() {
    assert!(
        virtual_time::shown().is_none(),
        "wsrt: `block_on` of a runtime that is not simulated, on the thread of a simulation (`wsrt::sim`), whose clock \
         stands meanwhile: wait by `Handle::current().block_on` for what is to run in the simulation"
    );
}

fn of_system(kind: &str) -> io::Error {
    let more = if lacks_interposition() { ", if the program has the line `wsrt::sim::interpose!();`" } else { "" };
    let message = format!(
        "a `{kind}` of the system: this runtime is simulated (`wsrt::sim`). Sockets of TCP, UDP and Unix reach the hosts \
         of the simulation, with the listeners and UDP sockets that std has bound in it{more}; and other sockets, pipes, \
         signals, processes and descriptors of the system are no part of it"
    );
    io::Error::new(io::ErrorKind::Unsupported, message)
}

/// The world ends tasks and jobs.
impl Inhabitants for Scheduler {
    fn now(&self) -> u64 {
        self.clock.timer_now()
    }

    fn abort(&self, is_meant: &dyn Fn(u64) -> bool) {
        self.tasks.abort_each(|id| is_meant(id.as_u64()));
        self.blocking.jobs.abort_each(|id| is_meant(id.as_u64()));
    }
}

impl fmt::Debug for Simulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Simulation").field("seed", &self.settings.seed).finish_non_exhaustive()
    }
}
