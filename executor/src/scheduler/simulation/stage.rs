//! The stage: the machines of a simulation, on the thread that is in `block_on`, and the choice of
//! the one that has the next turn.
//!
//! A task or a blocking job that blocks, in a nested `block_on` say, runs the stage inside
//! that call, without the machine that it is on: that is in the middle of its turn.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::Future;
use std::panic::resume_unwind;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::Arc;

use wsrt_reactor::budget;
use wsrt_world::{RecordedStep, WaitLeft, virtual_time};

use super::Simulation;
use super::agenda::Agenda;
use super::driving::Driving;
use super::inner_wait::{InnerWait, LeftWaits, RunEnd};
use super::simulated_machine::SimulatedMachine;
use super::waking::address_of;
use crate::scheduler::block_on::root::{Ended, OuterRoot, RootFuture, RootRef};
use crate::scheduler::context::Role;
use crate::scheduler::core::sleep::WakingSide;
use crate::scheduler::worker::start::start_machines;
use crate::scheduler::{Context, Scheduler, shutdown};
use crate::task::{Runnable, panic_message};
use crate::util::report::report;
use crate::util::stack::ask_for_room;
use crate::util::unwind::AbortOnUnwind;

thread_local! {
    /// The stages on this thread, the innermost last: one for each simulation that it drives.
    static STAGES: RefCell<Vec<Rc<Stage>>> = const { RefCell::new(Vec::new()) };
}

/// The machines, and the thread that waits in `block_on`.
pub(super) struct Stage {
    scheduler: Arc<Scheduler>,
    /// The context of the thread in `block_on`: the innermost while no machine has its turn.
    base: Rc<Context>,
    /// `None` is a machine in the middle of its turn, which has nested another run of this stage;
    /// or a place to be filled again.
    machines: RefCell<Vec<Option<SimulatedMachine>>>,
    agenda: Agenda,
    /// The indices of the machines, by their addresses.
    indices: RefCell<BTreeMap<usize, usize>>,
    /// The machine that sleeps in the netpoller, if there is one.
    polling: Cell<Option<usize>>,
    /// When the root future is polled, once it was seen to have been woken.
    root_due: Cell<Option<(u64, u64)>>,
    /// The waits inside turns.
    nested: Cell<u32>,
    left_waits: LeftWaits,
}

/// The runner that has the next turn.
#[derive(Debug, Clone, Copy)]
enum Next {
    Root,
    Machine(usize),
    Job,
    Arrival,
    Fault,
}

/// Waits for `future`, while it runs the machines.
pub(super) fn block_on<F: Future>(
    simulation: &Simulation,
    scheduler: &Arc<Scheduler>,
    future: Pin<&mut F>,
) -> F::Output {
    if simulation.is_driven_here() {
        let stage = STAGES.with_borrow(|stages| stages.iter().rev().find(|stage| stage.is_of(scheduler)).cloned());
        let stage = stage.expect("a thread that drives a simulation has its stage");
        return stage.wait_inside(simulation, future);
    }
    let _driving = Driving::begin(simulation, scheduler.clock.timer_now());
    let base = Context::enter(scheduler, Role::External);
    let stage = Rc::new(Stage::new(scheduler, Rc::clone(&base)));
    let on_stage = OnStage::enter(&stage);
    let ended = stage.wait_as_driver(simulation, future);
    drop(on_stage);
    drop(base);
    match &ended {
        Ended::Done(Err(panic)) => {
            report(format_args!("{}", simulation.place_of_failure()));
            simulation.tell_runner(panic_message(&**panic).unwrap_or("a panic without a text"));
        }
        Ended::Stuck(report) => simulation.tell_runner(report),
        Ended::Done(Ok(_)) | Ended::Early => {}
    }
    output_of(simulation, ended)
}

fn output_of<T>(simulation: &Simulation, ended: Ended<T>) -> T {
    match ended {
        Ended::Done(Ok(output)) => output,
        Ended::Done(Err(panic)) => resume_unwind(panic),
        Ended::Stuck(report) => panic!("{report}\nwsrt: {}", simulation.place_of_failure()),
        Ended::Early => unreachable!("a simulation ends with its root, or reports why it does not"),
    }
}

/// Keeps a stage among this thread's stages, until it is dropped.
struct OnStage;

impl OnStage {
    fn enter(stage: &Rc<Stage>) -> Self {
        STAGES.with_borrow_mut(|stages| stages.push(Rc::clone(stage)));
        Self
    }
}

impl Drop for OnStage {
    fn drop(&mut self) {
        STAGES.with_borrow_mut(|stages| stages.pop());
    }
}

impl Stage {
    fn new(scheduler: &Arc<Scheduler>, base: Rc<Context>) -> Self {
        Self {
            scheduler: Arc::clone(scheduler),
            base,
            machines: RefCell::default(),
            agenda: Agenda::default(),
            indices: RefCell::default(),
            polling: Cell::new(None),
            root_due: Cell::new(None),
            nested: Cell::new(0),
            left_waits: LeftWaits::default(),
        }
    }

    fn is_of(&self, scheduler: &Arc<Scheduler>) -> bool {
        Arc::ptr_eq(&self.scheduler, scheduler)
    }

    /// Runs everything, from the start of the machines to their end.
    fn wait_as_driver<F: Future>(&self, simulation: &Simulation, future: Pin<&mut F>) -> Ended<F::Output> {
        if !self.scheduler.shutdown.has_begun() {
            let started = start_machines(&self.scheduler);
            debug_assert!(started.is_ok(), "the stage refuses no machine");
            // Work that was there before.
            self.scheduler.wake_one();
        }
        let root = RootFuture::beside(future, &self.base, false);
        let end = self.run(simulation, &root, None);
        let (ended, _) = root.end();
        let ended = match (ended, end) {
            // It has waited inside its own poll, and was to leave that wait.
            (Ended::Done(Err(panic)), RunEnd::Stuck(report)) if panic.is::<WaitLeft>() => Ended::Stuck(report),
            (ended @ Ended::Done(Err(_)), _) => ended,
            (_, RunEnd::Stuck(report)) => Ended::Stuck(report),
            (ended, _) => ended,
        };
        simulation.leave_stage();
        self.adopt(simulation);
        self.end_machines();
        ended
    }

    /// Waits inside a turn.
    fn wait_inside<F: Future>(&self, simulation: &Simulation, future: Pin<&mut F>) -> F::Output {
        ask_for_room();
        let outer = Context::current();
        let wait = InnerWait::new(simulation, self.base.root());
        let mut future = pin!(wait.while_its_host_lives(simulation, future));
        Context::put_back(&self.base);
        let root_due = self.root_due.take();
        self.nested.set(self.nested.get() + 1);
        let root = RootFuture::beside(future.as_mut(), &self.base, true);
        let end = self.run(simulation, &root, Some(&wait));
        let (ended, _) = root.end();
        self.nested.set(self.nested.get() - 1);
        self.root_due.set(root_due);
        if let Some(outer) = outer {
            Context::put_back(&outer);
        }
        match (ended, end) {
            (Ended::Early, RunEnd::Left) => {
                self.left_waits.count(simulation);
                resume_unwind(Box::new(WaitLeft))
            }
            (Ended::Early, RunEnd::Stuck(report)) => output_of(simulation, Ended::Stuck(report)),
            (ended, _) => output_of(simulation, ended),
        }
    }

    /// Runs until the root is done, or nothing can ever continue.
    fn run<F: Future>(&self, simulation: &Simulation, root: &RootFuture<'_, F>, inner: Option<&InnerWait>) -> RunEnd {
        let _outer_budget = budget::keep();
        let was_async = self.base.replace_async(true);
        let end = RootRef::enter(&self.base, root, || self.run_with(simulation, root, inner));
        let _ = self.base.replace_async(was_async);
        end
    }

    fn run_with(&self, simulation: &Simulation, root: &impl OuterRoot, inner: Option<&InnerWait>) -> RunEnd {
        loop {
            let (at, next) = match self.next_step(simulation, root, inner) {
                Ok(chosen) => chosen,
                Err(end) => return end,
            };
            self.scheduler.clock.move_to(at);
            simulation.world.network().move_to(at);
            virtual_time::move_to(at);
            let observed = self.scheduler.observer.turn_begins();
            let step = match next {
                Next::Root => {
                    self.root_due.set(None);
                    root.end_wait();
                    let is_done = root.poll_if_woken(&self.base);
                    if is_done {
                        simulation.note(&self.scheduler.clock, RecordedStep::Root);
                        simulation.check();
                        // A wait further in has the outermost one fail.
                        let failure = simulation.failure().filter(|_| inner.is_none());
                        return failure.map_or(RunEnd::RootDone, |why| RunEnd::failed(why, inner));
                    }
                    RecordedStep::Root
                }
                Next::Machine(index) => self.turn_of(simulation, index),
                Next::Job => self.run_job(simulation),
                Next::Arrival => {
                    let (kind, socket) = simulation.world.network().deliver_next();
                    RecordedStep::Arrival(kind, socket)
                }
                Next::Fault => match simulation.world.take_fault(&*self.scheduler) {
                    Ok(Some(step)) => step,
                    Ok(None) => continue,
                    Err(why) => {
                        simulation.fail(why);
                        continue;
                    }
                },
            };
            drop(observed);
            self.left_waits.forget();
            simulation.note(&self.scheduler.clock, step);
            simulation.check();
            simulation.world.abort_stillborn(&*self.scheduler);
            if self.nested.get() == 0 {
                simulation.sweep(&self.scheduler);
            }
            // The turn may have waited for a moment by reading the clock.
            self.scheduler.clock.move_to(virtual_time::shown().unwrap_or(at));
        }
    }

    /// Chooses the next step, unless the run ends before it.
    fn next_step(
        &self,
        simulation: &Simulation,
        root: &impl OuterRoot,
        inner: Option<&InnerWait>,
    ) -> Result<(u64, Next), RunEnd> {
        self.adopt(simulation);
        if inner.is_some_and(|inner| inner.is_over(simulation)) {
            return Err(RunEnd::Left);
        }
        let chosen = self.choose(simulation, root);
        if let (Some(inner), Some((at, _))) = (inner, &chosen) {
            inner.check_outer(simulation, *at);
        }
        chosen.iter().for_each(|(at, _)| simulation.check_deadline(*at));
        let disturbed = simulation.is_disturbed().then(|| DISTURBED.to_owned());
        if let Some(why) = disturbed.or_else(|| simulation.failure()) {
            return Err(RunEnd::failed(why, inner));
        }
        chosen.ok_or_else(|| match inner {
            Some(inner) => inner.get_stuck(simulation, self.report(simulation)),
            None => RunEnd::Stuck(self.report(simulation)),
        })
    }

    /// Takes the machines up that were started.
    fn adopt(&self, simulation: &Simulation) {
        for machine in simulation.take_newcomers() {
            let now = self.scheduler.clock.timer_now();
            let index = self.machines.borrow().len();
            self.indices.borrow_mut().insert(address_of(&machine), index);
            let machine = simulation.with_dice(|dice| SimulatedMachine::new(&self.scheduler, machine, now, dice));
            self.agenda.note(machine.due(), index);
            self.machines.borrow_mut().push(Some(machine));
        }
    }

    /// Sees which of the machines that sleep were woken in the step before.
    fn see_wakes(&self, simulation: &Simulation) {
        for roused in simulation.take_roused() {
            let index = self.indices.borrow().get(&roused).copied();
            index.into_iter().for_each(|index| self.see_wake(simulation, index));
        }
        // The network wakes it, too.
        if let Some(index) = self.polling.get() {
            self.see_wake(simulation, index);
        }
    }

    /// Schedules a machine's turn if it was woken.
    fn see_wake(&self, simulation: &Simulation, index: usize) {
        let mut machines = self.machines.borrow_mut();
        let Some(machine) = machines[index].as_mut() else { return };
        if !machine.see_wake(simulation) {
            return;
        }
        let (at, tie) = simulation.time_of_waking(self.scheduler.clock.timer_now());
        machine.run_at(at, tie);
        self.agenda.note(machine.due(), index);
    }

    /// The runner whose turn begins first, and when.
    fn choose(&self, simulation: &Simulation, root: &impl OuterRoot) -> Option<(u64, Next)> {
        self.see_wakes(simulation);
        let now = self.scheduler.clock.timer_now();
        // A wait further in has polled it to its end: no task continues after that.
        if root.is_done() {
            return Some((now, Next::Root));
        }
        let mut first: Option<((u64, u64), Next)> = None;
        let mut offer = |due: (u64, u64), next| {
            if due.0 < u64::MAX && first.is_none_or(|(other, _)| due < other) {
                first = Some((due, next));
            }
        };
        if root.is_woken() {
            let due = self.root_due.get().unwrap_or_else(|| simulation.time_of_waking(now));
            self.root_due.set(Some(due));
            offer(due, Next::Root);
        }
        let machines = self.machines.borrow();
        let is_present = |due, index: usize| machines[index].as_ref().is_some_and(|machine| machine.due() == due);
        if let Some((due, index)) = self.agenda.first(is_present) {
            offer(due, Next::Machine(index));
        }
        if let Some(at) = simulation.next_job_at() {
            offer((at, 0), Next::Job);
        }
        if let Some(at) = simulation.world.network().next_at() {
            offer((at, 0), Next::Arrival);
        }
        if let Some(at) = simulation.world.next_fault_at() {
            offer((at, 0), Next::Fault);
        }
        first.map(|((at, _), next)| (at.max(now), next))
    }

    fn turn_of(&self, simulation: &Simulation, index: usize) -> RecordedStep {
        let mut machine = self.machines.borrow_mut()[index].take().expect("it was chosen from those that are here");
        let guard = AbortOnUnwind::OF_A_THREAD;
        machine.take_turn(simulation);
        let step = machine.recorded_step(simulation, index);
        Context::put_back(&self.base);
        if machine.is_gone() {
            self.forget(index);
            drop(machine);
            shutdown::depart(&self.scheduler);
        } else {
            self.put_back(simulation, index, machine);
        }
        std::mem::forget(guard);
        step
    }

    /// Puts a machine back that has had its turn.
    fn put_back(&self, simulation: &Simulation, index: usize, machine: SimulatedMachine) {
        self.agenda.note(machine.due(), index);
        if machine.is_polling() {
            self.polling.set(Some(index));
        } else if self.polling.get() == Some(index) {
            self.polling.set(None);
        }
        self.machines.borrow_mut()[index] = Some(machine);
        // It may have been woken as it fell asleep.
        self.see_wake(simulation, index);
    }

    /// A machine is gone: another may come to lie at its address.
    fn forget(&self, index: usize) {
        self.indices.borrow_mut().retain(|_, other| *other != index);
        if self.polling.get() == Some(index) {
            self.polling.set(None);
        }
    }

    /// Runs a blocking job, as a thread of the pool does.
    fn run_job(&self, simulation: &Simulation) -> RecordedStep {
        let job = simulation.take_job().expect("one was chosen");
        let number = simulation.number_of(job.id().as_u64());
        self.run_as_pool_thread(job);
        RecordedStep::Job(number)
    }

    fn run_as_pool_thread(&self, job: Runnable) {
        let entered = Context::enter(&self.scheduler, Role::Blocking);
        let on_host = self.scheduler.observer.on_host_of(job.id().as_u64());
        let running = self.scheduler.observer.blocking_job(job.spawned_at());
        let _outer_budget = budget::keep();
        budget::lift();
        job.run_counted();
        entered.come_back();
        drop(running);
        drop(on_host);
    }

    /// Ends the machines that are left: the thread leaves `block_on`.
    fn end_machines(&self) {
        let count = self.machines.borrow().len();
        for index in 0..count {
            let Some(mut machine) = self.machines.borrow_mut()[index].take() else { continue };
            machine.end(&self.scheduler);
            Context::put_back(&self.base);
            drop(machine);
            shutdown::depart(&self.scheduler);
        }
    }

    fn report(&self, simulation: &Simulation) -> String {
        let report = (simulation.settings.report)(&self.scheduler);
        if self.scheduler.shutdown.has_begun() {
            return format!(
                "wsrt: the simulated runtime has ended, and the future in `block_on` waits forever\n{report}"
            );
        }
        if self.scheduler.threads.is_at_limit(self.scheduler.config.most_machines()) {
            return format!(
                "wsrt: nothing in this simulation can continue: there are as many threads that run tasks as there may be \
                 (`Builder::max_machines`), and each waits inside a poll\n{report}"
            );
        }
        if self.scheduler.processors.earliest_deadline() != u64::MAX {
            return format!(
                "wsrt: a timer is armed that no machine of this simulation watches: a fault in wsrt\n{report}"
            );
        }
        format!(
            "wsrt: nothing in this simulation can continue: no task, timer, job nor packet is left that could wake another. Threads \
             that the program has started are no part of it\n{report}"
        )
    }
}

const DISTURBED: &str = "a thread that is no part of this simulation has woken or spawned one of its tasks, used one of its sockets or disks, or changed its hosts, so that the seed does not decide the run: replace the thread by a task or by `spawn_blocking`";
