//! Machines that sleep as real ones do: one of them in the netpoller, all of them off the list of
//! the idle after *every* sleep, whichever thread ended it, and on it again before the next.
//!
//! So a machine that was called for nothing is on no list for a while, and work that comes then
//! finds no machine to wake. A machine that slept beside work would sleep forever, which loom
//! reports as a deadlock, or, in the netpoller, as a loop without an end.

use std::ptr::NonNull;
use std::sync::atomic::AtomicUsize as Tally;
use std::sync::atomic::Ordering::Relaxed as Counting;

use super::explore;
use crate::scheduler::core::idle::{Chosen, Idle, Resume, SpareHand};
use crate::scheduler::core::machine::Machine;
use crate::scheduler::core::parker::Unparked;
use crate::scheduler::core::poll_owner::PollOwner;
use crate::scheduler::core::processor::Processor;
use crate::scheduler::core::processors::Processors;
use crate::scheduler::core::queue::{RingOwner, RingThief, ring};
use crate::util::sync::atomic::Ordering::{AcqRel, Relaxed};
use crate::util::sync::atomic::{AtomicBool, AtomicUsize};
use crate::util::sync::{Arc, thread};

const NEVER: u64 = u64::MAX;

/// A runtime in small: one ring that is filled from outside, machines that rob it, and an end when
/// all tasks have run.
struct Scene {
    idle: Idle,
    poll_owner: PollOwner,
    /// The netpoller's part: a flag that ends a turn at once, or the next one.
    interrupted: AtomicBool,
    victim: RingThief<u8>,
    left: AtomicUsize,
    is_over: AtomicBool,
    met: &'static Met,
}

/// How often the models took the rarer turns.
#[derive(Default)]
struct Met {
    /// Work came while the machine was on no list: found by its look after it came on again.
    unlisted: Tally,
    /// The machine was chosen as it took itself off the list.
    chosen_at_the_end: Tally,
    /// It saw work as it went to sleep, found no processor, and slept, as the poll owner.
    none_idle_then_kept: Tally,
}

impl Met {
    const fn new() -> Self {
        Self { unlisted: Tally::new(0), chosen_at_the_end: Tally::new(0), none_idle_then_kept: Tally::new(0) }
    }
}

/// A machine's own state, as in `LoopState`.
struct Sleeper<'a> {
    scene: &'a Scene,
    machine: &'a Arc<Machine>,
    listed: bool,
    saw_none_idle: bool,
}

impl Scene {
    fn new(tasks: usize, processors: usize, met: &'static Met) -> (Arc<Self>, RingOwner<u8>) {
        let (owner, victim) = ring();
        let scene = Self {
            idle: Idle::new(processors, processors),
            poll_owner: PollOwner::new(),
            interrupted: AtomicBool::new(false),
            victim,
            left: AtomicUsize::new(tasks),
            is_over: AtomicBool::new(false),
            met,
        };
        (Arc::new(scene), owner)
    }

    fn submit(&self, owner: &mut RingOwner<u8>) {
        assert!(owner.push(NonNull::dangling()).is_ok());
        self.wake_one();
    }

    fn wake_one(&self) {
        let Some(Chosen { processor, machine }) = self.idle.submit() else { return };
        match machine {
            Some(machine) => {
                machine.deliver(processor);
                self.rouse(&machine);
            }
            // As on a current-thread runtime, whose machines are the threads that happened to be
            // themselves.
            None => self.give_back(processor),
        }
    }

    fn give_back(&self, processor: Box<Processor>) {
        self.idle.give_up(processor, None);
        if self.idle.count_machines() > 0 && !self.victim.is_empty() {
            self.wake_one();
        }
    }

    fn rouse(&self, machine: &Machine) {
        if machine.parker().unpark() == Unparked::InNetpoller {
            self.interrupted.store(true, Relaxed);
        }
    }

    /// Calls a machine for work that needs no processor, of which there is none when it comes.
    fn call_for_nothing(&self) {
        if let SpareHand::Asleep(machine) = self.idle.spare_hand() {
            self.rouse(&machine);
        }
    }

    fn end(&self) {
        // The lock on the list orders this: a machine that comes on it later has seen it, one that
        // is on it is woken.
        self.is_over.store(true, Relaxed);
        self.idle.everyone().iter().for_each(|machine| self.rouse(machine));
        self.interrupted.store(true, Relaxed);
    }

    fn find(&self) -> bool {
        let (mut own, _) = ring();
        self.victim.steal_into(&mut own) == 1
    }

    fn run(&self, own: &mut Processor) {
        if own.is_searching() {
            own.set_searching(false);
            if self.idle.stop_searching() && !self.victim.is_empty() {
                self.wake_one();
            }
        }
        if self.left.fetch_sub(1, AcqRel) == 1 {
            self.end();
        }
    }

    /// The life of a machine's thread, from its first processor, if it has one, to the end.
    fn serve(&self, mut own: Option<Box<Processor>>) {
        let machine = Machine::new();
        machine.parker().adopt_current_thread();
        let mut sleeper = Sleeper { scene: self, machine: &machine, listed: false, saw_none_idle: false };
        while !self.is_over.load(Relaxed) {
            own = match own.take().or_else(|| sleeper.collect()) {
                None => sleeper.sleep(),
                Some(mut processor) if self.find() => {
                    self.run(&mut processor);
                    Some(processor)
                }
                Some(processor) => sleeper.retire(processor),
            }
        }
    }
}

impl Sleeper<'_> {
    fn collect(&mut self) -> Option<Box<Processor>> {
        let processor = self.machine.collect()?;
        self.listed = false;
        Some(processor)
    }

    fn retire(&mut self, own: Box<Processor>) -> Option<Box<Processor>> {
        self.scene.idle.retire(own, self.machine);
        self.listed = true;
        self.look_again()
    }

    fn look_again(&mut self) -> Option<Box<Processor>> {
        self.saw_none_idle = false;
        if self.scene.victim.is_empty() {
            return None;
        }
        match self.scene.idle.resume(self.machine) {
            Resume::With(processor) => {
                self.listed = false;
                return Some(processor);
            }
            Resume::Chosen => {}
            Resume::NoneIdle => self.saw_none_idle = true,
        }
        None
    }

    fn sleep(&mut self) -> Option<Box<Processor>> {
        if !self.listed {
            self.scene.idle.enlist(self.machine);
            self.listed = true;
            if let Some(processor) = self.look_again() {
                self.scene.met.unlisted.fetch_add(1, Counting);
                return Some(processor);
            }
        }
        if !self.scene.is_over.load(Relaxed) && !self.keep() {
            self.machine.parker().park();
        }
        self.leave_list()
    }

    /// `false` if another machine is the poll owner.
    fn keep(&self) -> bool {
        if !self.scene.poll_owner.take_over(NEVER) {
            return false;
        }
        self.scene.idle.choose_last(self.machine);
        if self.machine.parker().begin_polling() {
            self.scene.met.none_idle_then_kept.fetch_add(usize::from(self.saw_none_idle), Counting);
            while !self.scene.interrupted.load(Relaxed) {
                thread::yield_now();
            }
            self.scene.interrupted.store(false, Relaxed);
            self.machine.parker().end_polling();
        }
        self.scene.poll_owner.leave();
        true
    }

    fn leave_list(&mut self) -> Option<Box<Processor>> {
        self.listed = false;
        if let Some(processor) = self.machine.collect() {
            return Some(processor);
        }
        if self.scene.idle.delist(self.machine) {
            return None;
        }
        self.scene.met.chosen_at_the_end.fetch_add(1, Counting);
        loop {
            if let Some(processor) = self.machine.collect() {
                return Some(processor);
            }
            self.machine.parker().park();
        }
    }
}

/// One machine and one processor, a task that comes while the machine is called away from its sleep
/// for nothing.
fn model_a_call_for_nothing(beside_a_poll_owner: bool) {
    static MET: [Met; 2] = [const { Met::new() }; 2];
    let met = &MET[usize::from(beside_a_poll_owner)];
    explore(3, move || {
        let (scene, mut owner) = Scene::new(1, 1, met);
        let (_, mut held) = Processors::new(1, 1);
        // Then it sleeps on its parker.
        assert!(!beside_a_poll_owner || scene.poll_owner.take_over(NEVER));
        let machine = {
            let (scene, processor) = (Arc::clone(&scene), held.pop());
            thread::spawn(move || scene.serve(processor))
        };
        let caller = {
            let scene = Arc::clone(&scene);
            thread::spawn(move || scene.call_for_nothing())
        };
        scene.submit(&mut owner);
        caller.join().expect("it does not panic");
        machine.join().expect("the machine ends in good order");
        assert_eq!(scene.left.load(Relaxed), 0);
    });
    let met = [&met.unlisted, &met.chosen_at_the_end].map(|tally| tally.load(Counting) > 0);
    assert_eq!(met, [true; 2], "work while on no list, chosen as it left the list");
}

#[test]
fn work_arriving_while_a_machine_is_unlisted_is_seen() {
    model_a_call_for_nothing(true);
}

#[test]
fn work_arriving_while_the_poll_owner_is_unlisted_is_seen() {
    model_a_call_for_nothing(false);
}

/// Two threads and one processor, as in two calls of `block_on` on a current-thread runtime.
#[test]
fn of_two_machines_with_one_processor_neither_sleeps_beside_work() {
    static MET: Met = Met::new();
    explore(2, || {
        let (scene, mut owner) = Scene::new(1, 1, &MET);
        let (_, mut held) = Processors::new(1, 1);
        let machines = [held.pop(), None].map(|own| {
            let scene = Arc::clone(&scene);
            thread::spawn(move || scene.serve(own))
        });
        scene.submit(&mut owner);
        machines.into_iter().for_each(|machine| machine.join().expect("a machine ends in good order"));
        assert_eq!(scene.left.load(Relaxed), 0);
    });
    assert!(MET.none_idle_then_kept.load(Counting) > 0, "the model has not met the case");
}
