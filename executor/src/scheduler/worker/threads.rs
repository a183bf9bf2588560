//! Starting machines, and letting those go that the runtime can do without.

use std::io;
use std::sync::{Arc, Once, Weak};

use super::{LoopState, MachineLoop};
use crate::scheduler::context::Role;
use crate::scheduler::core::machine::Machine;
use crate::scheduler::core::machine_status::OffProcessor;
use crate::scheduler::core::processor::Processor;
use crate::scheduler::refusals::{NoThread, Refusals};
use crate::scheduler::root::NoRoot;
use crate::scheduler::scheduler::Hook;
use crate::scheduler::{Config, Context, RuntimeFlavor, Scheduler, time_slice};
use crate::util::backoff::Backoff;
use crate::util::hook::call_hook;
use crate::util::joined_thread::join_others;
use crate::util::report::report;
use crate::util::sync::Mutex;
use crate::util::sync::atomic::Ordering::Relaxed;
use crate::util::sync::atomic::{AtomicU32, AtomicUsize};
use crate::util::sync::thread::{self, JoinHandle};
use crate::util::unwind::{caught, swallow};

/// The machines' threads.
#[derive(Debug)]
pub(crate) struct Threads {
    /// Machines that have not been let go. Relaxed throughout: a count, it guards nothing.
    alive: AtomicUsize,
    /// To be joined when the runtime is dropped. Those of threads that have ended are dropped as
    /// others are started.
    handles: Mutex<Vec<JoinHandle<()>>>,
    /// Machines that have begun, for observers.
    machines: Mutex<Vec<Weak<Machine>>>,
    /// How many ever have.
    enrolled: AtomicU32,
    pub(crate) refusals: Refusals,
    /// Done when it was said that there are as many as there may be.
    limit_told: Once,
}

impl Threads {
    pub(crate) fn new() -> Self {
        Self {
            alive: AtomicUsize::new(0),
            handles: Mutex::new(Vec::new()),
            machines: Mutex::new(Vec::new()),
            enrolled: AtomicU32::new(0),
            refusals: Refusals::default(),
            limit_told: Once::new(),
        }
    }

    pub(crate) fn alive(&self) -> usize {
        self.alive.load(Relaxed)
    }

    /// Gives the machine of the current thread a number, and lists it for as long as it exists.
    pub(crate) fn enroll(&self, machine: &Arc<Machine>) {
        machine.status().introduce(self.enrolled.fetch_add(1, Relaxed));
        let mut machines = self.machines.lock();
        machines.retain(|machine| machine.strong_count() > 0);
        machines.push(Arc::downgrade(machine));
    }

    /// The machines that there are, by their numbers, without those whose threads are away.
    pub(crate) fn machines(&self) -> Vec<Arc<Machine>> {
        let is_here = |machine: &Arc<Machine>| machine.status().off_processor() != OffProcessor::Away;
        self.machines.lock().iter().filter_map(Weak::upgrade).filter(is_here).collect()
    }

    pub(crate) fn keep(&self, handle: JoinHandle<()>) {
        let mut handles = self.handles.lock();
        handles.retain(|handle| !handle.is_finished());
        handles.push(handle);
    }

    /// Counts one machine more, unless there are `most` already.
    #[must_use]
    fn count_in(&self, most: usize) -> bool {
        let more = |alive: usize| (alive < most).then_some(alive + 1);
        self.alive.fetch_update(Relaxed, Relaxed, more).is_ok()
    }

    /// Counts one machine less: its thread could not be started.
    pub(in crate::scheduler) fn count_out(&self) {
        self.alive.fetch_sub(1, Relaxed);
    }

    /// Counts one machine less, if that leaves as many as there are processors: the calling one,
    /// which was not needed for long, and ends.
    #[must_use]
    pub(crate) fn let_one_go(&self, processors: usize) -> bool {
        let fewer = |alive: usize| (alive > processors).then(|| alive - 1);
        self.alive.fetch_update(Relaxed, Relaxed, fewer).is_ok()
    }

    /// Whether as many threads run tasks as may.
    pub(crate) fn is_at_limit(&self, config: &Config) -> bool {
        self.alive() >= config.most_machines()
    }

    /// Says once that it is so, and that others wait.
    pub(crate) fn report_limit(&self, config: &Config) {
        self.limit_told.call_once(|| {
            report(format_args!(
                "{} threads run tasks, the limit, and tasks that wait in blocking ways, as in `block_on`, keep others waiting \
                 (said once; `Builder::max_machines` sets the limit)",
                config.most_machines()
            ));
        });
    }

    /// Parks a machine, for the keep-alive time at most where there are more machines than
    /// processors. `true` if the time ran out.
    pub(crate) fn park(&self, machine: &Machine, scheduler: &Scheduler) -> bool {
        if self.alive() <= scheduler.processors.regular() {
            machine.parker().park();
            false
        } else {
            !machine.parker().park_timeout(scheduler.config.thread_keep_alive)
        }
    }

    /// Waits until every other machine's thread is gone. Only after shutdown has finished.
    pub(crate) fn join(&self) {
        let handles = std::mem::take(&mut *self.handles.lock());
        join_others(handles);
    }
}

/// Starts as many machines as there are processors.
pub(crate) fn start_machines(scheduler: &Arc<Scheduler>) -> io::Result<()> {
    let count = scheduler.config.processors;
    for number in 1..=count {
        let machine = Machine::new();
        // Listed before its thread runs, so that work that comes at once finds it and starts no
        // other.
        scheduler.idle.enlist(&machine);
        start_machine(scheduler, Arc::clone(&machine)).inspect_err(|why| {
            let _ = scheduler.idle.delist(&machine);
            // The error that the builder returns is the system's, and does not say so.
            report(format_args!("could not start machine thread {number} of {count}: {why}"));
        })?;
    }
    Ok(())
}

/// Starts a machine for a processor that none of the idle machines can take.
pub(crate) fn start_machine_with(scheduler: &Scheduler, processor: Box<Processor>) {
    // The machines of a current-thread runtime are the threads in `block_on`. And machines that
    // come during shutdown would only leave again, and each that finds work as it leaves would
    // start the next.
    let is_useless = scheduler.config.flavor == RuntimeFlavor::CurrentThread
        || scheduler.shutdown.has_begun()
        || scheduler.simulation.as_ref().is_some_and(|simulation| !simulation.is_staged());
    if is_useless || scheduler.threads.refusals.are_recent(scheduler.clock.elapsed()) {
        return give_back(scheduler, processor);
    }
    let machine = Machine::with_processor(processor);
    if let Err(processor) = try_start_with(scheduler, machine) {
        // The machines that there are will come to its work when they next look.
        give_back(scheduler, processor);
    }
}

/// Like `start_machine_with`; gives the processor back if the thread cannot be created.
pub(crate) fn try_start_with(scheduler: &Scheduler, machine: Arc<Machine>) -> Result<(), Box<Processor>> {
    let scheduler = scheduler.counted();
    start_machine(&scheduler, Arc::clone(&machine)).map_err(|why| {
        report_missing_machine(&scheduler, &why);
        machine.collect().expect("a thread that was never started has not emptied the mailbox")
    })
}

fn report_missing_machine(scheduler: &Scheduler, why: &NoThread) {
    match why {
        NoThread::Refused(error) => {
            let refusals = &scheduler.threads.refusals.of_machines;
            refusals.report(format_args!(
                "could not start another machine thread: {error}; tasks wait for the threads that there are (raise the limit \
                 on threads: `ulimit -u`, or `pids.max` of the control group)"
            ));
        }
        NoThread::AtLimit => scheduler.threads.report_limit(&scheduler.config),
        NoThread::RefusedLately | NoThread::ShutDown => {}
    }
}

/// Puts a processor that no machine can run back among the idle ones. A machine that came
/// meanwhile has found none there, and is woken now.
fn give_back(scheduler: &Scheduler, mut processor: Box<Processor>) {
    scheduler.part_with(&mut processor);
    scheduler.idle.give_up(processor, None);
    if !scheduler.shutdown.has_begun() && scheduler.idle.count_machines() > 0 && scheduler.work_is_visible() {
        scheduler.wake_one();
    }
}

/// Starts a machine that needs no processor, on the list of the idle: unless one is being started,
/// or the system refuses threads.
pub(crate) fn start_idle_machine(scheduler: &Scheduler) {
    let refused = scheduler.threads.refusals.are_recent(scheduler.clock.elapsed());
    if refused || scheduler.shutdown.has_begun() || !scheduler.helpers.begin_start() {
        return;
    }
    let machine = Machine::new();
    // As the machines are with which the runtime begins.
    scheduler.idle.enlist(&machine);
    if start_machine(&scheduler.counted(), Arc::clone(&machine)).is_err() {
        scheduler.helpers.end_start();
        dismiss(scheduler, &machine);
    }
}

/// Takes a machine whose thread could not be started off the list. If it was chosen meanwhile,
/// its processor goes back.
pub(crate) fn dismiss(scheduler: &Scheduler, machine: &Arc<Machine>) {
    if scheduler.idle.delist(machine) {
        return;
    }
    let mut backoff = Backoff::new();
    let delivered = loop {
        match machine.collect() {
            Some(processor) => break processor,
            None => backoff.wait(),
        }
    };
    give_back(scheduler, delivered);
}

/// Starts a thread for `machine`. Callers may be anywhere in the scheduler.
pub(crate) fn start_machine(scheduler: &Arc<Scheduler>, machine: Arc<Machine>) -> Result<(), NoThread> {
    Context::kept_during(|| try_start_machine(scheduler, machine))
}

fn try_start_machine(scheduler: &Arc<Scheduler>, machine: Arc<Machine>) -> Result<(), NoThread> {
    let own = Arc::clone(scheduler);
    if !scheduler.threads.count_in(scheduler.config.most_machines()) {
        return Err(NoThread::AtLimit);
    }
    if !scheduler.shutdown.arrive() {
        scheduler.threads.count_out();
        return Err(NoThread::ShutDown);
    }
    if let Some(simulation) = &scheduler.simulation {
        simulation.start(machine);
        return Ok(());
    }
    match start_thread(scheduler, move || serve(own, machine)) {
        Ok(handle) => {
            scheduler.threads.keep(handle);
            Ok(())
        }
        Err(why) => {
            scheduler.threads.count_out();
            scheduler.shutdown.depart(scheduler);
            Err(why)
        }
    }
}

/// Starts a thread of the runtime, unless the system has refused one just now.
pub(crate) fn start_thread(
    scheduler: &Scheduler,
    main: impl FnOnce() + Send + 'static,
) -> Result<JoinHandle<()>, NoThread> {
    let refusals = &scheduler.threads.refusals;
    refusals.ask(scheduler.clock.elapsed(), || {
        // The end waits for a thread that is counted: a runtime that is dropped by the function for
        // the name would wait for itself.
        let _entered = Context::enter(&scheduler.counted(), Role::Starting);
        scheduler.config.start_thread(main)
    })
}

impl Config {
    /// Starts a thread with the name and the stack size that the runtime's threads have.
    ///
    /// A caller that wants one has counted it already, or has a region open that others know of: so
    /// the user's function for the name does not unwind from here.
    fn start_thread(&self, main: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
        let name = caught(&*self.thread_name).map_err(|panic| {
            swallow(panic);
            io::Error::other("the function given to `thread_name_fn` panicked")
        })?;
        if name.contains('\0') {
            let message = format!("{name:?} cannot be a thread's name: it has a NUL in it");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let builder = thread::Builder::new().name(name);
        let builder = match self.thread_stack_size {
            Some(size) => builder.stack_size(size),
            None => builder,
        };
        builder.spawn(main)
    }

    /// Calls the user's hook at the start of a thread of the runtime.
    pub(crate) fn call_start_hook(&self, context: &Context) {
        if let Some(hook) = &self.on_thread_start {
            call_hook("on_thread_start", || hook());
            context.come_back();
        }
    }

    /// Calls the user's hook at its end.
    pub(crate) fn call_stop_hook(&self) {
        if let Some(hook) = &self.on_thread_stop {
            call_hook("on_thread_stop", || hook());
        }
    }
}

impl Scheduler {
    /// Calls the user's hook of that name on a machine that holds no processor.
    #[cold]
    #[inline(never)]
    pub(crate) fn call_in_hook(&self, context: &Context, machine: &Machine, name: &str, hook: &Hook) {
        machine.set_in_hook(true);
        self.excuse_from_search(machine);
        call_hook(name, || hook());
        machine.set_in_hook(false);
        context.come_back();
    }
}

/// The life of a machine's thread.
fn serve(scheduler: Arc<Scheduler>, machine: Arc<Machine>) {
    let guard = AbortOnUnwind;
    machine.parker().adopt_current_thread();
    scheduler.threads.enroll(&machine);
    scheduler.helpers.end_start();
    let _tokio = scheduler.tokio.enter();
    let entered = Context::enter(&scheduler, Role::Machine(machine));
    let machine = entered.machine().expect("it has entered as one");
    if let Some(hook) = &scheduler.config.on_thread_start {
        scheduler.call_in_hook(&entered, machine, "on_thread_start", hook);
    }
    time_slice::ask_for_short_ones();
    let mut machine_loop = MachineLoop::with_state(&entered, LoopState::of_a_started_machine());
    machine_loop.run(&NoRoot);
    machine_loop.leave();
    scheduler.config.call_stop_hook();
    drop(entered);
    scheduler.shutdown.depart(&scheduler);
    std::mem::forget(guard);
}

/// Ends the process if a machine unwinds: a panic of a task never gets here, and a machine that has
/// lost its place in the scheduler could not go on.
pub(crate) struct AbortOnUnwind;

impl Drop for AbortOnUnwind {
    fn drop(&mut self) {
        report(format_args!(
            "a machine thread panicked outside of any task (in a foreign waker, or by a fault in wsrt); aborting"
        ));
        std::process::abort();
    }
}
