//! The promises of a processor's own queues: whose turn is next, and which tasks have to be
//! announced to the idle.

use std::future;
use std::panic::Location;

use super::*;
use crate::scheduler::core::processors::Processors;
use crate::task::{Id, Identity, Schedule, TaskRef, allocate};

/// A scheduler for tasks that are never woken.
#[derive(Clone)]
struct Unattended;

impl Schedule for Unattended {
    fn schedule(&self, task: Runnable) {
        task.cancel();
    }

    fn reschedule(&self, task: Runnable) {
        task.cancel();
    }

    fn release(&self, _: &TaskRef) -> Option<TaskRef> {
        None
    }
}

/// Makes tasks, and keeps them alive for as long as their runnables are about.
struct Tasks(Vec<TaskRef>);

impl Tasks {
    fn make(&mut self) -> (Id, Runnable) {
        let id = Id::next();
        // SAFETY: the future is Send.
        let (task, runnable, _handle) =
            unsafe { allocate(future::ready(()), Unattended, Identity::new(id, Location::caller())) };
        self.0.push(task);
        (id, runnable)
    }
}

fn processor() -> (Box<Processor>, Tasks) {
    let (_, mut owned) = Processors::new(1, 1);
    (owned.pop().expect("there is one"), Tasks(Vec::new()))
}

fn is_announced(placed: &Placed<'_>) -> bool {
    !matches!(placed, Placed::InRunnext | Placed::Quietly)
}

fn id_of(task: Option<Runnable>) -> Option<Id> {
    task.map(|task| task.id())
}

#[test]
fn a_task_alone_in_runnext_wakes_no_machine() {
    let (mut processor, mut tasks) = processor();
    let ((first, one), (second, two), (third, three)) = (tasks.make(), tasks.make(), tasks.make());
    assert!(!is_announced(&processor.push_next(one)));
    assert!(is_announced(&processor.push_next(two)), "the first went to an empty ring");
    assert!(!is_announced(&processor.push_next(three)), "the second went behind the first, which was announced");
    assert_eq!(id_of(processor.next_in_chain().map(|found| found.task)), Some(third));
    assert_eq!(id_of(processor.pop()), Some(first));
    assert_eq!(id_of(processor.pop()), Some(second));
    assert!(processor.has_no_task());
}

#[test]
fn a_task_its_own_processor_will_run_wakes_no_machine() {
    let (mut processor, mut tasks) = processor();
    let (id, task) = tasks.make();
    assert!(!is_announced(&processor.push_own(task)));
    assert_eq!(id_of(processor.pop()), Some(id));
    assert!(!processor.take_unannounced(), "nothing is left to be told of");
}

#[test]
fn a_lone_task_is_announced_when_another_runs_first() {
    let (mut processor, mut tasks) = processor();
    let (_, task) = tasks.make();
    assert!(!is_announced(&processor.push_own(task)));
    assert!(processor.take_unannounced());
    assert!(!processor.take_unannounced(), "told once");
    processor.drain().for_each(Runnable::cancel);
}

#[test]
fn a_lone_task_is_announced_with_the_one_behind_it() {
    let (mut processor, mut tasks) = processor();
    let ((_, one), (_, two), (_, three)) = (tasks.make(), tasks.make(), tasks.make());
    assert!(!is_announced(&processor.push_own(one)));
    assert!(is_announced(&processor.push_own(two)));
    assert!(!is_announced(&processor.push_own(three)));
    processor.drain().for_each(Runnable::cancel);
}

#[test]
fn a_batch_is_announced_once_while_it_lies_there() {
    let (mut processor, mut tasks) = processor();
    let mut batch = |count| (0..count).map(|_| tasks.make().1).collect::<Vec<_>>().into_iter();
    assert!(!is_announced(&processor.push_own_batch(&mut batch(0))));
    assert!(!is_announced(&processor.push_own_batch(&mut batch(1))), "its own machine runs it");
    assert!(is_announced(&processor.push_own_batch(&mut batch(1))), "with the one before");
    assert!(!is_announced(&processor.push_own_batch(&mut batch(2))), "behind some that were announced");
    processor.drain().for_each(Runnable::cancel);
    assert!(is_announced(&processor.push_own_batch(&mut batch(2))), "in an empty ring");
    processor.drain().for_each(Runnable::cancel);
}

#[test]
fn only_a_lone_task_that_yielded_precedes_a_look() {
    let (mut processor, mut tasks) = processor();
    assert!(!is_announced(&processor.push_own(tasks.make().1)));
    assert!(processor.take_lone().is_none(), "it has not yielded");
    processor.drain().for_each(Runnable::cancel);
    let (id, task) = tasks.make();
    assert!(!is_announced(&processor.push_yielded(task, || true)));
    assert_eq!(id_of(processor.take_lone()), Some(id));
    assert!(!is_announced(&processor.push_yielded(tasks.make().1, || true)));
    assert!(is_announced(&processor.push_own(tasks.make().1)));
    assert!(processor.take_lone().is_none(), "another is in the ring");
    processor.drain().for_each(Runnable::cancel);
    assert!(!is_announced(&processor.push_yielded(tasks.make().1, || true)));
    assert!(!is_announced(&processor.push_next(tasks.make().1)));
    assert!(processor.take_lone().is_none(), "another is in runnext");
    processor.drain().for_each(Runnable::cancel);
}

#[test]
fn a_look_waits_for_as_many_polls_as_tasks_came() {
    let (mut processor, mut tasks) = processor();
    let polls_to_a_look = |processor: &mut Processor| (1..).find(|_| processor.is_network_tick(61));
    for (fetched, polls) in [(0, 61), (60, 61), (64, 122), (1_024, 17 * 61)] {
        processor.note_fetched(fetched);
        assert_eq!(polls_to_a_look(&mut processor), Some(polls), "{fetched} came");
        assert_eq!(polls_to_a_look(&mut processor), Some(61), "none came");
    }
    processor.note_fetched(1_024);
    assert!(!is_announced(&processor.push_yielded(tasks.make().1, || true)));
    assert!(processor.is_network_tick(61), "before a lone task in any case");
    processor.drain().for_each(Runnable::cancel);
}

#[test]
fn a_chain_yields_to_the_ring_when_its_slice_ends() {
    let (mut processor, mut tasks) = processor();
    let ((oldest, one), (second, two), (chained, next)) = (tasks.make(), tasks.make(), tasks.make());
    assert!(!is_announced(&processor.push_own(one)));
    assert!(is_announced(&processor.push_own(two)));
    assert!(!is_announced(&processor.push_next(next)));
    processor.clock().set(TIME_SLICE);
    assert_eq!(id_of(processor.next_in_chain().map(|found| found.task)), Some(oldest));
    assert_eq!(id_of(processor.pop()), Some(second));
    assert_eq!(id_of(processor.pop()), Some(chained));
}

#[test]
fn a_chain_yields_though_injected_tasks_come_between() {
    let (mut processor, mut tasks) = processor();
    let ((oldest, one), (chained, next)) = (tasks.make(), tasks.make());
    drop(processor.push_own(one));
    drop(processor.push_next(next));
    for now in (0..=TIME_SLICE).step_by(1_000_000) {
        processor.clock().set(now);
        processor.begin_slice_unless_in_chain();
    }
    assert_eq!(id_of(processor.next_in_chain().map(|found| found.task)), Some(oldest));
    assert_eq!(id_of(processor.pop()), Some(chained));
}

#[test]
fn an_injected_task_outside_chains_has_its_own_slice() {
    let (mut processor, mut tasks) = processor();
    let ((_, one), (chained, next)) = (tasks.make(), tasks.make());
    drop(processor.push_own(one));
    processor.clock().set(TIME_SLICE);
    processor.begin_slice_unless_in_chain();
    drop(processor.push_next(next));
    assert_eq!(
        id_of(processor.next_in_chain().map(|found| found.task)),
        Some(chained),
        "what it has readied goes on in its slice"
    );
    processor.drain().for_each(Runnable::cancel);
}

#[test]
fn a_chain_that_yields_to_a_lone_task_is_announced() {
    let (mut processor, mut tasks) = processor();
    let ((oldest, one), (_, next)) = (tasks.make(), tasks.make());
    assert!(!is_announced(&processor.push_next(one)));
    assert!(is_announced(&processor.push_next(next)));
    processor.clock().set(TIME_SLICE);
    assert_eq!(id_of(processor.next_in_chain().map(|found| found.task)), Some(oldest));
    assert!(processor.take_unannounced(), "between the two moves the ring was empty, for anybody to see");
    processor.drain().for_each(Runnable::cancel);
}

#[test]
fn a_chain_with_no_task_behind_it_outlasts_its_slice() {
    let (mut processor, mut tasks) = processor();
    let (id, task) = tasks.make();
    assert!(!is_announced(&processor.push_next(task)));
    processor.clock().set(TIME_SLICE);
    assert_eq!(id_of(processor.next_in_chain().map(|found| found.task)), Some(id));
}

/// A processor whose last polls took half a microsecond each.
fn processor_with_light_polls() -> (Box<Processor>, Tasks) {
    let (mut processor, tasks) = processor();
    for poll in 1..=100 {
        processor.clock().advance();
        if processor.clock().is_due() {
            processor.clock().set(poll * 500);
        }
    }
    (processor, tasks)
}

#[test]
fn timers_fire_singly_while_polls_are_light_and_nothing_waits() {
    let (mut processor, mut tasks) = processor_with_light_polls();
    assert_eq!(processor.timers_at_once(0), 1);
    let (_, waiting) = tasks.make();
    drop(processor.push_next(waiting));
    assert_eq!(processor.timers_at_once(0), usize::MAX);
    processor.drain().for_each(Runnable::cancel);
    let (mut unknown, _) = self::processor();
    assert_eq!(unknown.timers_at_once(0), usize::MAX, "nothing is known of its polls");
}

#[test]
fn timers_that_a_processor_falls_behind_fire_together() {
    let (mut processor, _) = processor_with_light_polls();
    assert_eq!(processor.timers_at_once(2 * ACCEPTED_DELAY), 1);
    assert_eq!(processor.timers_at_once(2 * ACCEPTED_DELAY + 1), usize::MAX);
}

#[test]
fn a_wake_without_a_poll_before_idling_is_useless() {
    let (_, mut owned) = Processors::new(1, 1);
    let processor = &mut owned[0];
    let counts = |processor: &Processor| {
        let counters = processor.shared().counters();
        (counters.wakes.get(), counters.useless_wakes.get())
    };
    processor.begin_hold(0);
    processor.shared().counters().count_poll(FoundIn::RUNNEXT.kind());
    // Handed over from machine to machine it was not idle in between.
    processor.begin_hold(0);
    processor.end_hold();
    assert_eq!(counts(processor), (1, 0));
    processor.begin_hold(0);
    processor.end_hold();
    assert_eq!(counts(processor), (2, 1));
    // Out of play and back it is idle all the time.
    processor.end_hold();
    assert_eq!(counts(processor), (2, 1));
}

#[test]
fn wakes_of_an_injected_task_differ_from_earlier_work() {
    let (mut processor, mut tasks) = processor();
    let ((_, before), (_, readied)) = (tasks.make(), tasks.make());
    processor.set_runnext_aside();
    assert!(!processor.has_more_in_runnext());
    drop(processor.push_next(before));
    assert!(processor.has_more_in_runnext());
    processor.set_runnext_aside();
    assert!(!processor.has_more_in_runnext(), "it was there when the turn began");
    drop(processor.push_next(readied));
    assert!(processor.has_more_in_runnext());
    processor.drain().for_each(Runnable::cancel);
}

/// A searcher's passes over the others would make each poll of a busy processor miss otherwise.
#[test]
fn what_thieves_read_lies_apart_from_what_the_holder_writes() {
    let processor = Processor::new(0, 1, 1);
    let shared = processor.shared();
    let line = |address: *const u8| address as usize / align_of::<CachePadded<u8>>();
    let ring = line(std::ptr::from_ref(shared.ring()).cast());
    assert_ne!(ring, line(std::ptr::from_ref(shared.watch()).cast()));
    assert_ne!(ring, line(std::ptr::from_ref(shared.runnext()).cast()));
    assert_ne!(ring, line(std::ptr::from_ref(shared.counters()).cast()));
}
