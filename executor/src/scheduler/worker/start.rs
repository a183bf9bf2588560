//! Starting machines, and letting those go that the runtime can do without.

use std::io;
use std::rc::Rc;
use std::sync::Arc;

use super::thread::serve;
use crate::scheduler::context::Role;
use crate::scheduler::core::machine::Machine;
use crate::scheduler::core::processor::Processor;
use crate::scheduler::scheduler::Hook;
use crate::scheduler::shutdown;
use crate::scheduler::threads::NoThread;
use crate::scheduler::{Config, Context, RuntimeFlavor, Scheduler};
use crate::util::backoff::Backoff;
use crate::util::report::report;
use crate::util::sync::thread::{self, JoinHandle};
use crate::util::unwind::call_hook;
use crate::util::unwind::{caught, swallow};

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
        NoThread::AtLimit => scheduler.threads.report_limit(scheduler.config.most_machines()),
        NoThread::RefusedLately | NoThread::ShutDown => {}
    }
}

/// Puts a processor that no machine can run back among the idle ones. A machine that came
/// before that has found none there, and is woken now.
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
    give_back(scheduler, delivered);
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
