//! Machines that give a processor up for good, with timers on it: the poll owner, or its successor,
//! sees them.
//!
//! They meet a machine on its way to the netpoller. While a processor is held, a timer on it is
//! armed without a notice to any machine.

use std::sync::atomic::AtomicUsize as Tally;
use std::sync::atomic::Ordering::Relaxed as Counting;

use super::explore;
use super::scene::{NEVER, Scene, Sleeper, Start};
use crate::scheduler::core::machine::Machine;
use crate::scheduler::core::sleep::{FellAsleep, GivenUp, SleepingSide, WakingSide};
use crate::util::sync::{Arc, thread};

/// When the timer that is left behind is due.
const DUE: u64 = 3;
/// A deadline of another processor, by which the poll owner is up anyway.
const LATER: u64 = 5;

/// The outcome of a machine's way to the netpoller.
#[derive(Debug)]
struct Slept {
    /// Until when it would block; `None` if it was woken before, or all processors were held.
    until: Option<u64>,
    machine: Arc<Machine>,
}

/// Starts a machine without a processor that finds nothing to do.
fn fall_asleep(scene: &Arc<Scene>) -> thread::JoinHandle<Slept> {
    let scene = Arc::clone(scene);
    thread::spawn(move || {
        let mut sleeper = Sleeper::new(&scene, None);
        let until = match sleeper.fall_asleep(|_| false) {
            FellAsleep::InNetpoller { until } => Some(scene.end_of_block(until)),
            FellAsleep::Woken => {
                sleeper.leave_poll_owner(false, |_| ());
                None
            }
            FellAsleep::Parked => None,
            FellAsleep::No => panic!("there is no work"),
        };
        Slept { until, machine: sleeper.machine }
    })
}

/// How the timer came to be seen, over all interleavings; if a processor is held, by its holder.
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
    fn assert_seen(&self, scene: &Scene, slept: &Slept, is_any_held: bool) {
        let case = match slept.until {
            Some(until) if until <= DUE => &self.by_the_poll_owner,
            Some(_) if scene.is_interrupted() => &self.by_interrupt,
            None if slept.machine.has_mail() => &self.by_wake,
            None if is_any_held => return,
            _ => panic!("the timer is nobody's: {slept:?}"),
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
        let Start { scene, mut held, .. } = Scene::start(1, 0);
        scene.arm(1, others_deadline);
        let sleeper = fall_asleep(&scene);
        scene.arm(0, DUE);
        Sleeper::new(&scene, None).give_up(held.remove(0), GivenUp::ToLeave { is_only: true });
        let slept = sleeper.join().expect("it ends in good order");
        cases.assert_seen(&scene, &slept, false);
    });
    assert_eq!(cases.met(), [true, false, true], "by the poll owner, which comes later, or woken");
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
        let Start { scene, mut owner, mut held } = Scene::start(1, 1);
        scene.push(&mut owner);
        let comer = {
            let scene = Arc::clone(&scene);
            thread::spawn(move || {
                let mut comer = Sleeper::new(&scene, None);
                let fell_asleep = comer.fall_asleep(|_| false);
                assert_eq!(fell_asleep == FellAsleep::No, comer.own.is_some());
                (comer.own, comer.machine)
            })
        };
        Sleeper::new(&scene, None).give_up(held.remove(0), GivenUp::ToLeave { is_only: true });
        let (resumed_with, machine) = comer.join().expect("it ends in good order");
        let has_resumed = resumed_with.is_some();
        assert!(has_resumed != machine.has_mail(), "the one processor goes to the machine, by one way");
        BY[usize::from(has_resumed)].fetch_add(1, Counting);
    });
    assert!(BY.iter().all(|tally| tally.load(Counting) > 0), "by itself, and by the leaving one");
}

/// The machine whose processor goes out of play continues with another one that it finds idle, so
/// that it does not notify the poll owner as it goes to sleep.
#[test]
fn timers_of_a_retiring_machine_reach_the_poll_owner() {
    static CASES: Cases = Cases::new();
    explore(3, || {
        let Start { scene, mut held, .. } = Scene::start(1, 0);
        let spare = scene.processors.put_into_play().expect("there is room for one spare");
        scene.idle.add(held.remove(0));
        scene.processors.ask_for_one();
        let sleeper = fall_asleep(&scene);
        scene.arm(0, DUE);
        Sleeper::new(&scene, None).give_up(spare, GivenUp::OutOfPlay);
        assert_eq!(scene.processors.spares(), 0, "it is out of play");
        let another = scene.idle.acquire();
        let slept = sleeper.join().expect("it ends in good order");
        CASES.assert_seen(&scene, &slept, another.is_some());
    });
    assert_eq!(CASES.met(), [true; 3], "seen by the poll_owner, interrupted, woken");
}
