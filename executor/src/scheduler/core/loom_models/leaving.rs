//! Machines that leave with timers on the processor that they give up: the poll owner, or its
//! successor, sees them.
//!
//! The steps of `MachineLoop::leave` and `retire_for_good`, with their words, against a
//! machine on its way to the netpoller. While a processor is held, a timer on it is armed without a
//! notice to any machine.

use std::sync::atomic::AtomicUsize as Tally;
use std::sync::atomic::Ordering::Relaxed as Counting;

use super::explore;
use crate::scheduler::core::idle::{Chosen, Idle, Resume};
use crate::scheduler::core::machine::Machine;
use crate::scheduler::core::parker::Unparked;
use crate::scheduler::core::poll_owner::{PollOwner, Watch};
use crate::scheduler::core::processor::Processor;
use crate::scheduler::core::processors::Processors;
use crate::util::sync::atomic::AtomicU64;
use crate::util::sync::atomic::Ordering::{Acquire, Release};
use crate::util::sync::{Arc, thread};

const NEVER: u64 = u64::MAX;
/// When the timer that is left behind is due.
const DUE: u64 = 3;
/// A deadline of another processor, by which the poll owner is up anyway.
const LATER: u64 = 5;

/// The record of the idle, the poll owner, and the earliest deadlines of two processors' timers as
/// their queues publish them.
struct Scene {
    idle: Idle,
    poll_owner: PollOwner,
    timers: [AtomicU64; 2],
}

/// The outcome of a machine's way to the netpoller.
#[derive(Debug)]
struct Slept {
    /// Until when it would block; `None` if it did not come to that.
    until: Option<u64>,
    machine: Arc<Machine>,
}

/// The duties that a leaving machine has carried out.
#[derive(Debug, Default)]
struct Told {
    interrupted: bool,
    chosen: Vec<Chosen>,
}

impl Scene {
    /// `processors` in play, and a timer for `deadline` on the second.
    fn new(processors: usize, deadline: u64) -> Arc<Self> {
        Arc::new(Self {
            idle: Idle::new(processors, 3),
            poll_owner: PollOwner::new(),
            timers: [NEVER, deadline].map(AtomicU64::new),
        })
    }

    fn earliest(&self) -> u64 {
        self.timers.iter().map(|timer| timer.load(Acquire)).min().unwrap_or(NEVER)
    }

    /// A machine without a processor that finds nothing to do, as in `MachineLoop::fall_asleep`.
    fn sleep(&self) -> Slept {
        let machine = Machine::new();
        machine.parker().adopt_current_thread();
        self.idle.enlist(&machine);
        let published = self.earliest();
        assert!(self.poll_owner.take_over(published), "nobody else keeps");
        self.idle.choose_last(&machine);
        let polls = machine.parker().begin_polling();
        let until = polls.then(|| self.earliest().min(published));
        Slept { until, machine }
    }

    /// Arms a timer in the queue of the processor that this thread holds.
    fn arm_own(&self) {
        self.timers[0].store(DUE, Release);
    }

    fn wake_one(&self, told: &mut Told) {
        let Some(chosen) = self.idle.submit() else { return };
        if let Some(machine) = &chosen.machine {
            told.interrupted |= machine.parker().unpark() == Unparked::InNetpoller;
        }
        told.chosen.push(chosen);
    }

    fn watch_own_deadlines(&self, told: &mut Told) {
        match self.poll_owner.watch(self.earliest()) {
            Watch::InTime => {}
            Watch::TooLate => told.interrupted = true,
            Watch::Unattended => self.wake_one(told),
        }
    }

    /// Models `MachineLoop::leave` on a current-thread runtime.
    fn leave(&self, processor: Box<Processor>) -> Told {
        let mut told = Told::default();
        if !self.idle.give_up_only(processor) {
            return told;
        }
        if !self.poll_owner.is_present() {
            self.wake_one(&mut told);
        }
        self.watch_own_deadlines(&mut told);
        told
    }

    /// Models `MachineLoop::retire_for_good`.
    fn retire_for_good(&self, mut processor: Box<Processor>, processors: &Processors) -> Told {
        let mut told = Told::default();
        let _ = self.idle.retire_for_good(&mut processor);
        assert!(processors.take_out_of_play(processor).is_none(), "the runtime does not grow");
        self.watch_own_deadlines(&mut told);
        told
    }
}

/// How the timer came to be seen, over all interleavings of a model.
struct Cases {
    by_the_poll_owner: Tally,
    by_interrupt: Tally,
    by_wake: Tally,
}

impl Cases {
    const fn new() -> Self {
        Self { by_the_poll_owner: Tally::new(0), by_interrupt: Tally::new(0), by_wake: Tally::new(0) }
    }

    /// A machine is up by the time that the timer is due, and looks at it or becomes the poll owner
    /// then.
    fn assert_seen(&self, slept: &Slept, told: &Told) {
        let woken = told.chosen.iter().filter_map(|chosen| chosen.machine.as_ref());
        let case = match slept.until {
            Some(until) if until <= DUE => &self.by_the_poll_owner,
            Some(_) if told.interrupted => &self.by_interrupt,
            None if woken.into_iter().any(|machine| Arc::ptr_eq(machine, &slept.machine)) => &self.by_wake,
            _ => panic!("the timer is nobody's: {slept:?}, {told:?}"),
        };
        case.fetch_add(1, Counting);
    }

    fn met(&self) -> [bool; 3] {
        [&self.by_the_poll_owner, &self.by_interrupt, &self.by_wake].map(|tally| tally.load(Counting) > 0)
    }
}

/// Two threads in `block_on` of a current-thread runtime: the one that ran the tasks leaves, and
/// the other sleeps.
fn model_leave(others_deadline: u64) {
    static CASES: [Cases; 2] = [const { Cases::new() }; 2];
    let cases = &CASES[usize::from(others_deadline == NEVER)];
    explore(4, move || {
        let scene = Scene::new(1, others_deadline);
        let (_, mut held) = Processors::new(1, 2);
        let sleeper = {
            let scene = Arc::clone(&scene);
            thread::spawn(move || scene.sleep())
        };
        scene.arm_own();
        let told = scene.leave(held.remove(0));
        let slept = sleeper.join().expect("it ends in good order");
        cases.assert_seen(&slept, &told);
    });
    assert_eq!(cases.met(), [true; 3], "seen by the poll_owner, interrupted, woken");
}

#[test]
fn timers_of_a_leaving_machine_reach_the_poll_owner() {
    model_leave(NEVER);
}

#[test]
fn timers_left_behind_are_seen_by_a_later_poll_owner() {
    model_leave(LATER);
}

/// A thread leaves a current-thread runtime in which work waits, and another comes.
#[test]
fn work_left_behind_meets_the_machine_that_comes() {
    static BY: [Tally; 2] = [const { Tally::new(0) }; 2];
    explore(4, || {
        let idle = Arc::new(Idle::new(1, 1));
        let (_, mut held) = Processors::new(1, 1);
        let comer = {
            let idle = Arc::clone(&idle);
            thread::spawn(move || {
                let machine = Machine::new();
                idle.enlist(&machine);
                matches!(idle.resume(&machine), Resume::With(_))
            })
        };
        let is_wanted = idle.give_up_only(held.remove(0));
        let chosen = if is_wanted { idle.submit() } else { None };
        let has_resumed = comer.join().expect("it ends in good order");
        assert!(has_resumed != chosen.is_some(), "the one processor goes to the machine, by one way");
        BY[usize::from(has_resumed)].fetch_add(1, Counting);
    });
    assert!(BY.iter().all(|tally| tally.load(Counting) > 0), "by itself, and by the leaving one");
}

/// The payer continues with another processor that it finds idle, so that it does not notify the
/// poll owner as it goes to sleep.
#[test]
fn timers_of_a_retiring_machine_reach_the_poll_owner() {
    static CASES: Cases = Cases::new();
    explore(3, || {
        let scene = Scene::new(1, NEVER);
        let (processors, mut held) = Processors::new(1, 2);
        let spare = processors.put_into_play().expect("there is room for one spare");
        scene.idle.add(held.remove(0));
        processors.ask_for_one();
        let sleeper = {
            let scene = Arc::clone(&scene);
            thread::spawn(move || scene.sleep())
        };
        scene.arm_own();
        let told = scene.retire_for_good(spare, &processors);
        let _another = if told.chosen.is_empty() { scene.idle.acquire() } else { None };
        let slept = sleeper.join().expect("it ends in good order");
        CASES.assert_seen(&slept, &told);
    });
    assert_eq!(CASES.met(), [true; 3], "seen by the poll_owner, interrupted, woken");
}
