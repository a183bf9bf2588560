//! The scheduler: everything that the machines of one runtime share.

use std::panic::RefUnwindSafe;
use std::sync::{Arc, Once, Weak};
use std::time::Duration;
use std::{fmt, io};

use crossbeam_utils::CachePadded;
use wsrt_reactor::context::{ReactorContext, Services};
use wsrt_reactor::{EventsPerTurn, Netpoller};
use wsrt_sync::CancellationToken;
use wsrt_sync::current_task::LockOwner;

use crate::blocking::pool::BlockingPool;
use crate::observe::counters::{ArrivalCounters, SharedCounter};
use crate::observe::observer::Observer;
use crate::observe::task_hooks::TaskHooks;
use crate::observe::timeline::{HeldProcessor, Recorded};
use crate::scheduler::clock::Clock;
use crate::scheduler::core::helpers::Helpers;
use crate::scheduler::core::idle::Idle;
use crate::scheduler::core::poll_owner::PollOwner;
use crate::scheduler::core::processors::{Processors, Resizes};
use crate::scheduler::core::queue::Injector;
use crate::scheduler::ending::{self, Drains, Shutdown};
use crate::scheduler::idle_work::IdleWork;
#[cfg(all(unix, feature = "signal"))]
use crate::scheduler::kept::Kept;
use crate::scheduler::runtime_id::{Listed, RuntimeId};
use crate::scheduler::simulation::{Settings, Simulation};
use crate::scheduler::threads::{RootThread, Threads};
use crate::sysmon::stall::{FindingHooks, Rescues, Stalls};
use crate::task::{LiveNames, OwnedTasks, Runnable};
use crate::tokio_compat::{Choice, TokioCompat};
use crate::util::report::not_built;
use crate::util::sync::thread::ThreadId;

/// A function that looks for a proof that a runtime can make no progress.
pub(crate) type NoProgress = fn(&Arc<Scheduler>, &RootSeen<'_>) -> Option<String>;

/// A function that makes one step of the watcher's look for tasks that can never run again. Returns
/// the number of the next step, or `None` if the look is over.
pub(crate) type Patrol = fn(&Arc<Scheduler>, usize) -> Option<usize>;

/// A root future as a proof sees it that nothing can wake it.
pub(crate) struct RootSeen<'a> {
    pub(crate) owner: LockOwner,
    /// Its wakers that others have.
    pub(crate) wakers: usize,
    /// The address in its wakers.
    pub(crate) address: usize,
    pub(crate) is_woken: &'a dyn Fn() -> bool,
}

/// A function of the user's that is called on threads of the runtime.
pub(crate) type Hook = Arc<dyn Fn() + Send + Sync>;

/// Tells which of the two kinds of runtime one is. Returned by
/// [`Handle::runtime_flavor`](crate::runtime::Handle::runtime_flavor).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RuntimeFlavor {
    /// One processor, run by whichever thread is in `block_on`.
    CurrentThread,
    /// N processors, run by machines that the runtime starts.
    MultiThread,
}

/// The builder's decisions.
#[derive(Clone)]
pub(crate) struct Config {
    pub(crate) flavor: RuntimeFlavor,
    pub(crate) processors: usize,
    /// True if that number changes with the quota of the control group.
    pub(crate) follows_quota: bool,
    /// The name of the runtime, for its user.
    pub(crate) name: Option<Arc<str>>,
    pub(crate) thread_name: Arc<dyn Fn() -> String + Send + Sync>,
    pub(crate) thread_stack_size: Option<usize>,
    pub(crate) max_blocking_threads: usize,
    pub(crate) thread_keep_alive: Duration,
    pub(crate) on_thread_start: Option<Hook>,
    pub(crate) on_thread_stop: Option<Hook>,
    /// Called by each machine before it goes to sleep, and when it has slept.
    pub(crate) on_thread_park: Option<Hook>,
    pub(crate) on_thread_unpark: Option<Hook>,
    /// Processors in play at most, spares for stuck polls included.
    pub(crate) max_machines: usize,
    /// How long a poll may take before it is reported; `None` reports nothing.
    pub(crate) stall_threshold: Option<Duration>,
    pub(crate) findings: FindingHooks,
    pub(crate) task_hooks: TaskHooks,
    /// The injector has its turn after so many ticks at most, and for a number of polls that goes
    /// by this.
    pub(crate) global_queue_interval: u32,
    /// The part of a busy processor's time that is for background tasks: 0, or a number below 1.
    pub(crate) background_share: f64,
    /// True if it may be used for I/O, and for timers: always, except in the drop-in.
    pub(crate) has_io: bool,
    pub(crate) has_time: bool,
    /// The histograms that it shows by tokio's names.
    #[cfg(feature = "drop-in")]
    pub(crate) shown_histograms: wsrt_trace::drop_in::ShownHistograms,
    /// A busy processor looks at the netpoller at one tick in so many.
    pub(crate) event_interval: u32,
    /// Events that one turn of the netpoller takes at most.
    pub(crate) events_per_turn: EventsPerTurn,
    /// The tokio runtime that its threads enter, if they enter one.
    pub(crate) tokio: Choice,
    /// The one thread that runs its tasks, if it has a home; then local tasks are spawned there
    /// whenever the thread is inside the runtime.
    pub(crate) home: Option<ThreadId>,
    /// True if it runs one test, which ends with its root future.
    pub(crate) is_test: bool,
    /// How long a poll of that test may take at most.
    pub(crate) longest_poll: Option<Duration>,
    /// True if tasks that nothing can wake or end any more are reported.
    pub(crate) reports_orphans: bool,
    /// Returns a report if nothing can wake the root future, nor any task, any more.
    pub(crate) no_progress: NoProgress,
    pub(crate) patrol: Patrol,
    /// How its machines are simulated, if they are.
    pub(crate) simulation: Option<Settings>,
}

/// Processors at most, whatever the builder says: the counters on them take some room for each that
/// there might be, and their indices have 16 bits in the timeline.
const MOST_PROCESSORS: usize = 16_384;

impl Config {
    /// Returns whether tasks run in the order in which they were spawned and woken. Then there is
    /// one processor: all that its holder wakes goes to the ring's tail, but behind the injector
    /// while that holds any, and the ring is filled from there.
    #[inline]
    pub(crate) fn keeps_order(&self) -> bool {
        self.flavor == RuntimeFlavor::CurrentThread
    }

    /// Returns whether `thread` may run tasks in `block_on` of a current-thread runtime.
    pub(crate) fn may_be_driven_by(&self, thread: impl FnOnce() -> ThreadId) -> bool {
        self.home.is_none_or(|home| home == thread())
    }

    /// A watcher watches over machines, which a current-thread runtime has none of, and which block
    /// on no system where they are simulated.
    pub(crate) fn has_watcher(&self) -> bool {
        self.flavor == RuntimeFlavor::MultiThread && self.simulation.is_none()
    }

    /// Spares serve machines, and a current-thread runtime has none.
    fn most_processors(&self) -> usize {
        match self.flavor {
            RuntimeFlavor::MultiThread => self.most_machines().min(MOST_PROCESSORS),
            RuntimeFlavor::CurrentThread => 1,
        }
    }

    /// Threads that run tasks, at most.
    pub(crate) fn most_machines(&self) -> usize {
        self.max_machines.max(self.processors)
    }
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("flavor", &self.flavor)
            .field("processors", &self.processors)
            .field("name", &self.name)
            .field("max_blocking_threads", &self.max_blocking_threads)
            .field("thread_keep_alive", &self.thread_keep_alive)
            .field("global_queue_interval", &self.global_queue_interval)
            .field("event_interval", &self.event_interval)
            .finish_non_exhaustive()
    }
}

/// The state that the machines of one runtime share.
pub(crate) struct Scheduler {
    /// Itself, for the few methods that start threads.
    pub(crate) me: Weak<Self>,
    /// For timers that are polled elsewhere.
    _listed: Listed,
    pub(crate) id: RuntimeId,
    pub(crate) config: Config,
    /// The part of the processors that all threads see, by index.
    pub(crate) processors: Processors,
    pub(crate) resizes: Resizes,
    pub(crate) injector: Injector<Runnable>,
    /// The background tasks that are ready: they are nowhere else.
    pub(crate) background: Injector<Runnable>,
    pub(crate) idle: Idle,
    /// Every task that is not complete, so that shutting down can drop those that are in no queue.
    pub(crate) tasks: OwnedTasks,
    /// The names that users have given to some of them.
    pub(crate) names: Arc<LiveNames>,
    pub(crate) netpoller: Netpoller,
    /// The context of its sockets: the netpoller, and the runtime's services for them.
    pub(crate) reactor: ReactorContext,
    pub(crate) poll_owner: PollOwner,
    pub(crate) blocking: BlockingPool,
    /// The machines that compute in the time of idle processors.
    pub(crate) helpers: Helpers,
    /// The work of machines that have no task, which the runtime has brought.
    pub(crate) idle_work: Box<dyn IdleWork>,
    pub(crate) threads: Threads,
    /// The thread that is in `block_on` of a current-thread runtime for its owner.
    pub(crate) root_thread: RootThread,
    pub(crate) shutdown: Shutdown,
    /// Tells tasks that they should end.
    pub(crate) ending: CancellationToken,
    pub(crate) drains: Drains,
    pub(crate) stalls: Stalls,
    pub(crate) rescues: Rescues,
    /// Done when it was said that the runtime seems to make no progress.
    pub(crate) suspicion: Once,
    /// Counts the arrivals through threads without a processor: the poll owner, helpers, the
    /// watcher.
    pub(crate) elsewhere: CachePadded<ArrivalCounters<SharedCounter>>,
    pub(crate) observer: Observer,
    /// The tokio runtime in the background, with the feature that wants one.
    pub(crate) tokio: TokioCompat,
    pub(crate) clock: Clock,
    /// The simulation of the machines, where they are simulated.
    pub(crate) simulation: Option<Simulation>,
    /// The sockets by which signals wake its tasks.
    #[cfg(all(unix, feature = "signal"))]
    pub(crate) kept: Kept,
}

// Panics of user code are held back before they reach the scheduler's counts: a future that panics
// leaves none of them half changed, and a machine that does ends the process.
impl RefUnwindSafe for Scheduler {}

impl Scheduler {
    /// Makes a scheduler with all its processors idle and no machine yet.
    pub(crate) fn new(
        config: Config,
        services: fn(&Weak<Self>) -> Arc<dyn Services>,
        idle_work: Box<dyn IdleWork>,
    ) -> io::Result<Arc<Self>> {
        let _given = config.simulation.map(|settings| settings.give_numbers());
        let (processors, owned) = Processors::new(config.processors, config.most_processors());
        let netpoller = Netpoller::with_events_per_turn(config.events_per_turn).inspect_err(not_built(
            "no netpoller (it takes four file descriptors on Linux; `ulimit -n` limits them)",
        ))?;
        let idle = Idle::new(config.processors, processors.capacity());
        let id = RuntimeId::next();
        let scheduler = Arc::new_cyclic(|me| Self {
            me: Weak::clone(me),
            _listed: Listed::new(id, me),
            id,
            idle: if config.has_watcher() { idle } else { idle.without_watcher() },
            processors,
            resizes: Resizes::new(),
            injector: Injector::new(),
            background: Injector::new(),
            tasks: OwnedTasks::new(config.processors),
            names: Arc::default(),
            reactor: ReactorContext::new(netpoller.handle().clone(), services(me)),
            netpoller,
            poll_owner: PollOwner::new(),
            blocking: BlockingPool::new(config.max_blocking_threads, config.thread_keep_alive),
            helpers: Helpers::new(),
            idle_work,
            threads: Threads::new(),
            root_thread: RootThread::new(),
            shutdown: Shutdown::new(),
            ending: ending::new_token(),
            drains: Drains::default(),
            stalls: Stalls::default(),
            rescues: Rescues::default(),
            suspicion: Once::new(),
            elsewhere: CachePadded::default(),
            observer: Observer::new(config.task_hooks.clone()),
            tokio: TokioCompat::new(),
            clock: Clock::new(),
            simulation: config.simulation.map(Simulation::new),
            #[cfg(all(unix, feature = "signal"))]
            kept: Kept::default(),
            config,
        });
        if let Some(simulation) = &scheduler.simulation {
            simulation.take_over(&scheduler.clock, &scheduler.netpoller);
        }
        for processor in owned.into_iter().rev() {
            // It is held by its maker until now.
            processor.shared().busy().begin(0);
            processor.shared().busy().end(scheduler.clock.elapsed());
            scheduler.idle.give_up(processor, None);
        }
        Ok(scheduler)
    }

    /// Returns a counted reference to this scheduler.
    pub(crate) fn counted(&self) -> Arc<Self> {
        self.me.upgrade().expect("the caller holds the scheduler whose method this is")
    }

    /// Returns the stamp of the poll that the holder of a processor is in, or was in last; none if
    /// the processor is idle, since what comes after that is another poll.
    pub(crate) fn poll_stamp(&self, index: usize) -> Option<u64> {
        (!self.idle.is_idle(index)).then(|| self.processors.get(index).counters().poll_stamp())
    }

    /// Returns whether no machine blocks in the netpoller at the time `now`, or looks at it while
    /// helping, though there is something to wait for.
    pub(crate) fn needs_poll_owner(&self, now: u64) -> bool {
        let is_attended = self.poll_owner.is_present() || self.helpers.watch_network(now);
        !is_attended && (!self.netpoller.is_unused() || self.processors.earliest_deadline() != u64::MAX)
    }

    /// Returns whether a socket may have become ready that only a busy processor would see, since
    /// no machine blocks in the netpoller.
    pub(crate) fn network_wants_a_look(&self) -> bool {
        !self.netpoller.is_unused() && !self.poll_owner.is_present()
    }

    /// Returns whether a task waits that is none of the background's, where an idle processor could
    /// find it, or a timer is due.
    pub(crate) fn foreground_is_visible(&self) -> bool {
        !self.injector.is_empty()
            || self.processors.iter().any(|processor| !processor.ring().is_empty())
            || self.timer_is_due()
    }

    /// Returns whether a background task waits that may run: none does while a parallel call wants
    /// the time of idle processors.
    pub(crate) fn background_may_run(&self) -> bool {
        !self.background.is_empty() && !self.idle_work.is_wanted()
    }

    pub(crate) fn timer_is_due(&self) -> bool {
        let deadline = self.processors.earliest_deadline();
        deadline != u64::MAX && deadline <= self.clock.timer_now()
    }
}

impl Recorded for Scheduler {
    fn observer(&self) -> &Observer {
        &self.observer
    }

    fn tasks(&self) -> &OwnedTasks {
        &self.tasks
    }

    fn sample_queues(&self, sample: &mut dyn FnMut(Option<usize>, usize)) -> usize {
        sample(None, self.injector.len());
        self.processors.iter().enumerate().for_each(|(index, processor)| sample(Some(index), processor.waiting()));
        self.processors.regular()
    }

    fn look_at_polls(&self, look: &mut dyn FnMut(HeldProcessor)) {
        for (index, processor) in self.processors.iter().enumerate().filter(|&(index, _)| !self.idle.is_idle(index)) {
            let state = processor.watch().state();
            let task = state.spawned_at.filter(|_| !state.searching).map(|site| (state.task, site));
            look(HeldProcessor { thread: state.thread, processor: index as u16, task });
        }
    }

    fn is_simulated(&self) -> bool {
        self.simulation.is_some()
    }
}

impl fmt::Debug for Scheduler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scheduler").field("config", &self.config).field("idle", &self.idle).finish_non_exhaustive()
    }
}
