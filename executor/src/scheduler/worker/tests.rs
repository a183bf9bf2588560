//! The duties of a machine that leaves its processor: on a scheduler without threads, on which the
//! test plays one machine after the other.

use std::sync::Arc;
use std::time::{Duration, Instant};

use wsrt_reactor::Turn;
use wsrt_reactor::timer::TimerEntry;

use super::MachineLoop;
use super::driver::WakeBatch;
use crate::runtime::Builder;
use crate::scheduler::context::Role;
use crate::scheduler::core::machine::Machine;
use crate::scheduler::core::sleep::{Listing, SleepingSide, WakingSide};
use crate::scheduler::core::watcher_sleep::LONGEST_VOUCH;
use crate::scheduler::timers::arm_timer;
use crate::scheduler::{Context, Entered, Scheduler, shutdown};

fn current_thread() -> Arc<Scheduler> {
    Builder::new_current_thread().scheduler().expect("a netpoller")
}

/// Returns the scheduler of a multi-thread runtime with `processors` and room for a spare.
fn multi_thread(processors: usize) -> Arc<Scheduler> {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(processors).max_machines(processors + 1);
    builder.scheduler().expect("a netpoller")
}

/// The test's thread is a machine with a processor, from whose queue a timer hangs.
fn machine_with_a_timer(scheduler: &Arc<Scheduler>) -> (Entered, Arc<TimerEntry>) {
    let entered = Context::enter(scheduler, Role::Machine(Machine::new()));
    entered.take_up(scheduler.idle.acquire().expect("one is idle"));
    let timer = TimerEntry::new();
    arm_timer(scheduler, &timer, scheduler.clock.timer_now() + 3_600_000_000_000);
    assert!(!is_poll_owner_interrupted(scheduler), "its holder looks at its timers");
    (entered, timer)
}

/// Another machine sleeps in the netpoller, and knows of no timer.
fn begin_to_keep(scheduler: &Scheduler) {
    assert!(scheduler.poll_owner.take_over(u64::MAX));
}

/// Returns whether a machine that sleeps in the netpoller was interrupted.
fn is_poll_owner_interrupted(scheduler: &Scheduler) -> bool {
    let turn = scheduler.netpoller.turn(Some(Duration::from_millis(1)), &mut Vec::new());
    matches!(turn.expect("it works"), Turn::Polled { interrupted: true, .. })
}

#[test]
fn a_thread_that_leaves_block_on_hands_over_its_timers() {
    let scheduler = current_thread();
    begin_to_keep(&scheduler);
    scheduler.idle.enlist(&Machine::new());
    let (entered, _timer) = machine_with_a_timer(&scheduler);
    MachineLoop::new(&entered).leave();
    assert!(is_poll_owner_interrupted(&scheduler), "it sleeps past the timer");
    shutdown::begin(&scheduler);
}

#[test]
fn a_machine_that_retires_its_processor_hands_over_its_timers() {
    let scheduler = multi_thread(2);
    begin_to_keep(&scheduler);
    let _first = scheduler.idle.acquire().expect("two are idle");
    let (entered, _timer) = machine_with_a_timer(&scheduler);
    scheduler.processors.shrink();
    let processor = entered.take_processor().expect("the machine has one");
    MachineLoop::new(&entered).take_out_of_play(processor);
    assert!(entered.take_processor().is_none() && scheduler.processors.spares() == 0, "it is out of play");
    assert!(is_poll_owner_interrupted(&scheduler), "it sleeps past the timer");
    shutdown::begin(&scheduler);
}

/// It stays busy: then only the poll owner looks at the timers of the processor that it gave
/// up.
#[test]
fn a_machine_back_with_another_processor_hands_over_its_timers() {
    let scheduler = multi_thread(2);
    begin_to_keep(&scheduler);
    let other = scheduler.idle.acquire().expect("two are idle");
    let (entered, _timer) = machine_with_a_timer(&scheduler);
    scheduler.idle.give_up(other, None);
    drop(scheduler.spawn(async {}, std::panic::Location::caller()));
    let mut processor = entered.take_processor().expect("the machine has one");
    let given_up = processor.index();
    scheduler.part_with(&mut processor);
    let mut machine_loop = MachineLoop::new(&entered);
    scheduler.idle.retire(processor, machine_loop.machine);
    let _out_of_play = scheduler.idle.remove_from(given_up).expect("the watcher finds it idle");
    machine_loop.state.listing = Listing { listed: true, given_up };
    machine_loop.look_again();
    let held = entered.take_processor().expect("there is a task, and another processor");
    assert_ne!(held.index(), given_up);
    assert!(is_poll_owner_interrupted(&scheduler), "it sleeps past the timer");
    shutdown::begin(&scheduler);
}

/// A submitter has chosen the machine before it slept.
#[test]
fn a_machine_chosen_for_another_processor_hands_over_its_timers() {
    let scheduler = multi_thread(2);
    begin_to_keep(&scheduler);
    let other = scheduler.idle.acquire().expect("two are idle");
    let (entered, _timer) = machine_with_a_timer(&scheduler);
    let processor = entered.take_processor().expect("the machine has one");
    let given_up = processor.index();
    let mut machine_loop = MachineLoop::new(&entered);
    machine_loop.retire(processor);
    assert!(!is_poll_owner_interrupted(&scheduler), "it would do so as it falls asleep");
    // Idle on top of the first: the next task is for the two together.
    scheduler.idle.give_up(other, None);
    drop(scheduler.spawn(async {}, std::panic::Location::caller()));
    let held = machine_loop.processor().expect("it was chosen");
    assert_ne!(held.index(), given_up);
    assert!(is_poll_owner_interrupted(&scheduler), "it sleeps past the timer");
    shutdown::begin(&scheduler);
}

/// A thread that pushes or takes may need this core to continue, and a machine that only goes round
/// keeps it, also where it has the processor that another such machine gave up.
#[test]
fn a_machine_that_finds_only_unreachable_tasks_sleeps() {
    let scheduler = multi_thread(2);
    let entered = Context::enter(&scheduler, Role::Machine(Machine::new()));
    let hold_one = || entered.begin_hold(scheduler.idle.acquire().expect("two are idle"));
    let (mut own, mut others) = (hold_one(), hold_one());
    drop(scheduler.spawn(async {}, std::panic::Location::caller()));
    let (mut machine_loop, begin) = (MachineLoop::new(&entered), Instant::now());
    for _ in 0..200 {
        machine_loop.retire(own);
        own = std::mem::replace(&mut others, entered.take_processor().expect("a task is in the injector"));
    }
    assert!(begin.elapsed() > 100 * Duration::from_micros(50), "what is in the injector stays there");
    shutdown::begin(&scheduler);
}

/// Nor does the machine wait for one that takes, which may have lost its core.
#[test]
fn no_background_task_comes_before_one_in_the_injector() {
    let scheduler = multi_thread(1);
    let entered = Context::enter(&scheduler, Role::Machine(Machine::new()));
    let mut processor = scheduler.idle.acquire().expect("one is idle");
    drop(scheduler.spawn(async {}, std::panic::Location::caller()));
    drop(scheduler.spawn_background(async {}, std::panic::Location::caller()));
    let taken = scheduler.injector.take_batch(0);
    assert!(MachineLoop::new(&entered).look(&mut processor).is_none());
    drop(taken);
    shutdown::begin(&scheduler);
}

/// Also where timers fire in between.
#[test]
fn after_a_batch_one_look_at_the_network_passes_by() {
    let scheduler = multi_thread(1);
    let entered = Context::enter(&scheduler, Role::Machine(Machine::new()));
    let spawn = |_| drop(scheduler.spawn(async {}, std::panic::Location::caller()));
    let batch = WakeBatch::collect(&entered, || (0..64).for_each(spawn));
    assert!(MachineLoop::new(&entered).wake_up_with(batch, true), "a processor is idle");
    let mut processor = entered.take_processor().expect("it came with the batch");
    assert_eq!((processor.shared().waiting(), scheduler.injector.len()), (64, 0));
    WakeBatch::default().spread(&scheduler, &mut processor);
    assert_eq!((1..).find(|_| processor.is_network_tick(61)), Some(122));
    shutdown::begin(&scheduler);
}

/// At first sight it notes the poll, which may soon be over.
#[test]
fn a_machine_that_vouches_takes_what_waits_behind_polls() {
    let scheduler = multi_thread(2);
    let entered = Context::enter(&scheduler, Role::Machine(Machine::new()));
    let own = scheduler.idle.acquire().expect("two are idle").index();
    entered.take_up(scheduler.idle.acquire().expect("another is idle"));
    (0..2).for_each(|_| drop(scheduler.spawn(async {}, std::panic::Location::caller())));
    let stuck = entered.take_processor().expect("the machine has one");
    let (machine_loop, mut seen) = (MachineLoop::new(&entered), Vec::new());
    assert!(machine_loop.relieve_others(own, 0, &mut seen));
    assert_eq!((stuck.shared().waiting(), scheduler.injector.len()), (2, 0));
    assert!(machine_loop.relieve_others(own, LONGEST_VOUCH - 1, &mut seen));
    assert_eq!((stuck.shared().waiting(), scheduler.injector.len()), (0, 2));
    assert!(!machine_loop.relieve_others(own, LONGEST_VOUCH, &mut seen), "the watcher has to look");
    scheduler.idle.give_up(stuck, None);
    let _anew = scheduler.idle.acquire().expect("it is idle");
    assert!(machine_loop.relieve_others(own, LONGEST_VOUCH, &mut seen), "it was idle meanwhile");
    shutdown::begin(&scheduler);
}

#[test]
fn a_machine_vouches_for_no_timer_behind_a_poll() {
    let scheduler = multi_thread(2);
    let entered = Context::enter(&scheduler, Role::Machine(Machine::new()));
    let own = scheduler.idle.acquire().expect("two are idle").index();
    entered.take_up(scheduler.idle.acquire().expect("another is idle"));
    arm_timer(&scheduler, &TimerEntry::new(), 1);
    let _stuck = entered.take_processor().expect("the machine has one");
    let (machine_loop, mut seen) = (MachineLoop::new(&entered), Vec::new());
    assert!(machine_loop.relieve_others(own, 0, &mut seen));
    assert!(!machine_loop.relieve_others(own, 1, &mut seen));
    shutdown::begin(&scheduler);
}

/// It may go to sleep in its next poll, as they have.
#[test]
fn nobody_vouches_while_most_others_stay_in_polls() {
    let scheduler = multi_thread(3);
    let entered = Context::enter(&scheduler, Role::Machine(Machine::new()));
    let held: Vec<_> = (0..3).map(|_| scheduler.idle.acquire().expect("three are idle")).collect();
    let (machine_loop, mut seen) = (MachineLoop::new(&entered), Vec::new());
    assert!(machine_loop.relieve_others(held[0].index(), 0, &mut seen));
    assert!(!machine_loop.relieve_others(held[0].index(), 1, &mut seen));
    shutdown::begin(&scheduler);
}

#[test]
fn a_processor_taken_after_a_sleep_is_in_no_poll() {
    let scheduler = multi_thread(2);
    let entered = Context::enter(&scheduler, Role::Machine(Machine::new()));
    let own = scheduler.idle.acquire().expect("two are idle").index();
    let (machine_loop, mut seen) = (MachineLoop::new(&entered), Vec::new());
    assert!(machine_loop.relieve_others(own, 0, &mut seen));
    assert!(machine_loop.relieve_others(own, LONGEST_VOUCH - 1, &mut seen));
    let _taken = scheduler.idle.acquire().expect("the other is idle");
    assert!(machine_loop.relieve_others(own, LONGEST_VOUCH, &mut seen));
    shutdown::begin(&scheduler);
}
