//! A runtime in small, and its machines, which run the production steps of both sides of the
//! sleeping protocol (`core/sleep.rs`).
//!
//! Beside them the models have what loom cannot run: `Sleeper::serve` stands for `step`, whose
//! turns poll tasks in a thread's context, and a flag for the netpoller, which is a system call. A
//! task is a slot of the one ring, filled from outside; a timer is the deadline that its queue
//! publishes.

use std::ptr::NonNull;
use std::sync::atomic::AtomicUsize as Tally;
use std::sync::atomic::Ordering::Relaxed as Counting;

use crate::scheduler::core::idle::{Idle, SpareHand};
use crate::scheduler::core::machine::Machine;
use crate::scheduler::core::parker::Unparked;
use crate::scheduler::core::poll_owner::PollOwner;
use crate::scheduler::core::processor::Processor;
use crate::scheduler::core::processors::Processors;
use crate::scheduler::core::queue::{RingOwner, RingThief, ring};
use crate::scheduler::core::sleep::{FellAsleep, GivenUp, Listing, SleepingSide, WakingSide};
use crate::util::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use crate::util::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use crate::util::sync::{Arc, thread};

pub(super) const NEVER: u64 = u64::MAX;

/// A current-thread runtime, whose machines are the threads that happened to come: it starts none.
pub(super) struct Scene {
    pub(super) idle: Idle,
    pub(super) poll_owner: PollOwner,
    pub(super) processors: Processors,
    /// The earliest deadlines of two processors' timers.
    timers: [AtomicU64; 2],
    /// The netpoller: a flag that ends a turn at once, or the next one.
    interrupted: AtomicBool,
    ring: RingThief<u8>,
    /// Tasks in the ring, as the model knows it: no step of loom's, and it orders nothing.
    queued: Tally,
    /// Tasks that have yet to run: the last ends the runtime.
    left: AtomicUsize,
    is_over: AtomicBool,
}

/// The start of a model: the scene, the end of the ring that tasks are pushed to, and the
/// processors, all of them held by the model.
pub(super) struct Start {
    pub(super) scene: Arc<Scene>,
    pub(super) owner: RingOwner<u8>,
    #[expect(clippy::vec_box, reason = "the box is the right to run tasks")]
    pub(super) held: Vec<Box<Processor>>,
}

impl Scene {
    /// A runtime with so many processors, and room for one spare, that ends after so many `tasks`.
    pub(super) fn start(processors: usize, tasks: usize) -> Start {
        let (owner, ring) = ring();
        let (all, held) = Processors::new(processors, processors + 1);
        let scene = Self {
            idle: Idle::new(processors, processors + 1),
            poll_owner: PollOwner::new(),
            processors: all,
            timers: [NEVER, NEVER].map(AtomicU64::new),
            interrupted: AtomicBool::new(false),
            ring,
            queued: Tally::new(0),
            left: AtomicUsize::new(tasks),
            is_over: AtomicBool::new(false),
        };
        Start { scene: Arc::new(scene), owner, held }
    }

    /// Pushes a task, without a wake.
    pub(super) fn push(&self, owner: &mut RingOwner<u8>) {
        self.queued.fetch_add(1, Counting);
        assert!(owner.push(NonNull::dangling()).is_ok());
    }

    /// Submits a task.
    pub(super) fn submit(&self, owner: &mut RingOwner<u8>) {
        self.push(owner);
        self.wake_one();
    }

    /// Publishes a deadline of the processor with that index.
    pub(super) fn arm(&self, processor: usize, deadline: u64) {
        self.timers[processor].store(deadline, Release);
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Relaxed)
    }

    pub(super) fn assert_all_ran(&self) {
        assert_eq!(self.left.load(Relaxed), 0);
    }

    /// Calls a machine for work that needs no processor, of which there is none when it comes.
    pub(super) fn call_for_nothing(&self) {
        if let SpareHand::Asleep(machine) = self.idle.spare_hand() {
            self.rouse(&machine);
        }
    }

    fn find(&self) -> bool {
        let (mut own, _) = ring();
        let found = self.ring.steal_into(&mut own) == 1;
        self.queued.fetch_sub(usize::from(found), Counting);
        found
    }

    fn run(&self, own: &mut Processor) {
        if own.is_searching() {
            self.stop_searching(own);
        }
        if self.left.fetch_sub(1, AcqRel) == 1 {
            // The lock on the list orders this: a machine that comes on it later has seen it, one
            // that is on it is woken.
            self.is_over.store(true, Relaxed);
            self.idle.everyone().iter().for_each(|machine| self.rouse(machine));
            self.interrupt_netpoller();
        }
    }

    /// Blocks in the netpoller.
    fn block(&self) {
        while !self.is_interrupted() {
            thread::yield_now();
        }
        self.interrupted.store(false, Relaxed);
    }
}

impl WakingSide for Scene {
    fn idle(&self) -> &Idle {
        &self.idle
    }

    fn poll_owner(&self) -> &PollOwner {
        &self.poll_owner
    }

    fn processors(&self) -> &Processors {
        &self.processors
    }

    fn work_is_visible(&self) -> bool {
        !self.ring.is_empty()
    }

    fn earliest_deadline(&self) -> u64 {
        self.timers.iter().map(|timer| timer.load(Acquire)).min().unwrap_or(NEVER)
    }

    fn is_ending(&self) -> bool {
        self.is_over.load(Relaxed)
    }

    fn helpers_watch_network(&self) -> bool {
        false
    }

    fn part_with(&self, _: &mut Processor) {}

    fn start_machine_with(&self, processor: Box<Processor>) {
        self.give_back(processor);
    }

    fn interrupt_netpoller(&self) {
        self.interrupted.store(true, Relaxed);
    }

    fn note_roused(&self, _: &Machine, _: Unparked) {}
}

/// How often the machines took the rarer turns, over all interleavings of a model.
pub(super) struct Met {
    /// It saw work when it had retired, and was back before it slept.
    pub(super) resumed: Tally,
    /// Work came while the machine was on no list: found by its look after it came on again.
    pub(super) unlisted: Tally,
    /// The machine had been chosen when it took itself off the list.
    pub(super) chosen: Tally,
    /// It slept beside work, as the poll owner, for there was no processor.
    pub(super) none_idle: Tally,
}

impl Met {
    pub(super) const fn new() -> Self {
        Self { resumed: Tally::new(0), unlisted: Tally::new(0), chosen: Tally::new(0), none_idle: Tally::new(0) }
    }
}

/// A machine of the scene.
pub(super) struct Sleeper<'a> {
    scene: &'a Scene,
    pub(super) machine: Arc<Machine>,
    listing: Listing,
    pub(super) own: Option<Box<Processor>>,
}

impl<'a> Sleeper<'a> {
    /// The machine of the current thread, with a processor or none.
    pub(super) fn new(scene: &'a Scene, own: Option<Box<Processor>>) -> Self {
        let machine = Machine::new();
        machine.parker().adopt_current_thread();
        Self { scene, machine, listing: Listing::default(), own }
    }

    /// The life of the machine, to the end of the runtime.
    pub(super) fn serve(&mut self, met: &Met) {
        while !self.scene.is_ending() {
            match self.own.take().or_else(|| self.collect()) {
                Some(mut processor) if self.scene.find() => {
                    self.scene.run(&mut processor);
                    self.own = Some(processor);
                }
                Some(processor) => {
                    self.give_up(processor, GivenUp::ToSleep);
                    met.resumed.fetch_add(usize::from(self.own.is_some()), Counting);
                }
                None => self.sleep(met),
            }
        }
    }

    fn sleep(&mut self, met: &Met) {
        let was_listed = self.listing.listed;
        match self.fall_asleep(|machine| machine.is_at_the_end()) {
            FellAsleep::No => {
                met.unlisted.fetch_add(usize::from(!was_listed && self.own.is_some()), Counting);
                return;
            }
            FellAsleep::Parked => self.machine.parker().park(),
            FellAsleep::InNetpoller { .. } => {
                let beside_work = self.scene.queued.load(Counting) > 0 && self.scene.idle.count_idle() == 0;
                met.none_idle.fetch_add(usize::from(beside_work), Counting);
                self.scene.block();
                self.leave_poll_owner(true, |_| ());
            }
            FellAsleep::Woken => self.leave_poll_owner(false, |_| ()),
        }
        self.own = self.leave_list();
        met.chosen.fetch_add(usize::from(self.own.is_some()), Counting);
    }

    fn is_at_the_end(&mut self) -> bool {
        let is_over = self.scene.is_ending();
        if is_over {
            self.own = self.leave_list();
        }
        is_over
    }
}

impl SleepingSide for Sleeper<'_> {
    type Runtime = Scene;

    fn runtime(&self) -> &Scene {
        self.scene
    }

    fn machine(&self) -> &Arc<Machine> {
        &self.machine
    }

    fn listing(&mut self) -> &mut Listing {
        &mut self.listing
    }

    fn take_up(&mut self, processor: Box<Processor>) {
        self.own = Some(processor);
    }

    fn put_down(&mut self, _: &Processor) {}

    fn pause_on_list(&mut self, _: bool) {}
}
