//! Starting machines, and the lives of their threads.

use std::io;
use std::rc::Rc;
use std::sync::Arc;

use super::{LoopState, MachineLoop};
use crate::scheduler::block_on::root::NoRoot;
use crate::scheduler::context::Role;
use crate::scheduler::core::machine::Machine;
use crate::scheduler::core::processor::Processor;
use crate::scheduler::core::sleep::WakingSide;
use crate::scheduler::scheduler::Hook;
use crate::scheduler::threads::NoThread;
use crate::scheduler::{Config, Context, Scheduler, shutdown};
use crate::util::backoff::Backoff;
use crate::util::report::report;
use crate::util::sync::thread::{self, JoinHandle};
use crate::util::time_slice;
use crate::util::unwind::{AbortOnUnwind, call_hook, caught, swallow};

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
        NoThread::AtLimit => scheduler.threads.report_limit(scheduler.config.most_machines()),
        NoThread::RefusedLately | NoThread::ShutDown => {}
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

/// Takes a machine whose thread could not be started off the list. If it was chosen before that,
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
    scheduler.give_back(delivered);
}

/// Starts a thread for `machine`. Callers may be anywhere in the scheduler.
pub(crate) fn start_machine(scheduler: &Arc<Scheduler>, machine: Arc<Machine>) -> Result<(), NoThread> {
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
            shutdown::depart(scheduler);
            Err(why)
        }
    }
}

/// The life of a machine's thread.
fn serve(scheduler: Arc<Scheduler>, machine: Arc<Machine>) {
    let guard = AbortOnUnwind::OF_A_THREAD;
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
    shutdown::depart(&scheduler);
    std::mem::forget(guard);
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
    pub(crate) fn call_start_hook(&self, context: &Rc<Context>) {
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
    pub(crate) fn call_in_hook(&self, context: &Rc<Context>, machine: &Machine, name: &str, hook: &Hook) {
        machine.set_in_hook(true);
        self.excuse_from_search(machine);
        call_hook(name, || hook());
        machine.set_in_hook(false);
        context.come_back();
    }
}
