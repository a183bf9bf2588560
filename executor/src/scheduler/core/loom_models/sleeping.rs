//! Machines as they live: they find and run work, retire, look again, and sleep, one of them in the
//! netpoller. All of them are off the list of the idle after *every* sleep, whichever thread ended
//! it, and on it again before the next.
//!
//! So a machine that was called for nothing is on no list for a while, and work that comes then
//! finds no machine to wake. A machine that slept beside work would sleep forever, which loom
//! reports as a deadlock, or, in the netpoller, as a loop without an end.

use std::sync::atomic::AtomicUsize as Tally;
use std::sync::atomic::Ordering::Relaxed as Counting;

use super::explore;
use super::scene::{Met, NEVER, Scene, Sleeper, Start};
use crate::scheduler::core::idle::Idle;
use crate::scheduler::core::machine::Machine;
use crate::scheduler::core::processor::Processor;
use crate::scheduler::core::processors::Processors;
use crate::util::sync::{Arc, thread};

/// Starts the thread of a machine, with a processor or none.
fn serve(scene: &Arc<Scene>, own: Option<Box<Processor>>, met: &'static Met) -> thread::JoinHandle<()> {
    let scene = Arc::clone(scene);
    thread::spawn(move || Sleeper::new(&scene, own).serve(met))
}

fn join(machine: thread::JoinHandle<()>) {
    machine.join().expect("a machine ends in good order");
}

fn are_met<const N: usize>(tallies: [&Tally; N]) -> [bool; N] {
    tallies.map(|tally| tally.load(Counting) > 0)
}

#[test]
fn one_machine_sleeps_only_while_there_is_nothing_to_do() {
    static MET: Met = Met::new();
    explore(3, || {
        let Start { scene, mut owner, mut held } = Scene::start(1, 2);
        let machine = serve(&scene, held.pop(), &MET);
        scene.submit(&mut owner);
        scene.submit(&mut owner);
        join(machine);
        scene.assert_all_ran();
    });
    assert_eq!(are_met([&MET.resumed, &MET.chosen]), [true; 2], "back before it slept, woken");
}

#[test]
fn two_machines_run_everything_and_then_sleep() {
    static MET: Met = Met::new();
    explore(2, || {
        let Start { scene, mut owner, held } = Scene::start(2, 2);
        let machines: Vec<_> = held.into_iter().map(|own| serve(&scene, Some(own), &MET)).collect();
        scene.submit(&mut owner);
        scene.submit(&mut owner);
        machines.into_iter().for_each(join);
        scene.assert_all_ran();
    });
    assert_eq!(are_met([&MET.resumed, &MET.chosen]), [true; 2], "back before it slept, woken");
}

/// One machine and one processor, a task that comes while the machine is called away from its sleep
/// for nothing.
fn model_a_call_for_nothing(beside_a_poll_owner: bool) {
    static MET: [Met; 2] = [const { Met::new() }; 2];
    let met = &MET[usize::from(beside_a_poll_owner)];
    explore(3, move || {
        let Start { scene, mut owner, mut held } = Scene::start(1, 1);
        // Then it sleeps on its parker.
        assert!(!beside_a_poll_owner || scene.poll_owner.take_over(NEVER));
        let machine = serve(&scene, held.pop(), met);
        let caller = {
            let scene = Arc::clone(&scene);
            thread::spawn(move || scene.call_for_nothing())
        };
        scene.submit(&mut owner);
        caller.join().expect("it does not panic");
        join(machine);
        scene.assert_all_ran();
    });
    assert_eq!(are_met([&met.unlisted, &met.chosen]), [true; 2], "work while on no list, chosen as it left the list");
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
        let Start { scene, mut owner, mut held } = Scene::start(1, 1);
        let machines = [held.pop(), None].map(|own| serve(&scene, own, &MET));
        scene.submit(&mut owner);
        machines.into_iter().for_each(join);
        scene.assert_all_ran();
    });
    assert_eq!(are_met([&MET.none_idle]), [true], "the model has not met the case");
}

/// A machine that is chosen as it enters a hook of the user's: one side of the two takes the
/// processor off the searchers.
#[test]
fn a_machine_in_a_hook_leaves_the_search_once() {
    static BY_CHOOSER: Tally = Tally::new(0);
    static BY_MACHINE: Tally = Tally::new(0);
    explore(4, || {
        let idle = Idle::new(1, 1);
        let (_, mut held) = Processors::new(1, 1);
        idle.give_up(held.remove(0), None);
        let chosen = idle.wake_another().expect("one is idle").processor;
        let machine = Machine::new();
        let chooser = {
            let machine = Arc::clone(&machine);
            thread::spawn(move || {
                machine.deliver(chosen);
                machine.excuse_from_search()
            })
        };
        machine.set_in_hook(true);
        let by_machine = machine.excuse_from_search();
        let by_chooser = chooser.join().expect("it does not panic");
        assert!(by_machine ^ by_chooser, "counted among the searchers still, or taken off twice");
        assert!(!machine.collect().expect("it was left there").is_searching());
        (if by_machine { &BY_MACHINE } else { &BY_CHOOSER }).fetch_add(1, Counting);
    });
    assert!(BY_MACHINE.load(Counting) > 0 && BY_CHOOSER.load(Counting) > 0, "the model has not met both cases");
}
