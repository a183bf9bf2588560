//! The watcher and its spares: it is woken when there is something to watch, a spare meets the work
//! that it was put into play for, and as many processors go as are due.

use std::ptr::NonNull;

use super::explore;
use crate::scheduler::core::idle::Idle;
use crate::scheduler::core::processor::Processor;
use crate::scheduler::core::processors::Processors;
use crate::scheduler::core::queue::ring;
use crate::scheduler::core::watcher_sleep::{LOOK, WatcherSleep};
use crate::util::sync::atomic::Ordering::{Relaxed, SeqCst};
use crate::util::sync::atomic::{AtomicUsize, fence};
use crate::util::sync::{Arc, Mutex, thread};

/// Were the wake lost, the watcher would sleep forever, which loom reports as a deadlock.
#[test]
fn the_watcher_wakes_when_a_processor_is_taken() {
    explore(3, || {
        let sleep = Arc::new(WatcherSleep::new());
        let busy = Arc::new(AtomicUsize::new(0));
        let taker = {
            let (sleep, busy) = (Arc::clone(&sleep), Arc::clone(&busy));
            thread::spawn(move || {
                busy.fetch_add(1, Relaxed);
                sleep.note_taken(|| busy.load(Relaxed) > 0);
            })
        };
        sleep.adopt_current_thread();
        while busy.load(Relaxed) == 0 {
            let _ = sleep.rest(None, true, || busy.load(Relaxed) > 0, || true);
        }
        taker.join().expect("it does not panic");
    });
}

/// One machine vouches, and gives its processor back, as another one takes one: were the alarm
/// cleared after it was to be set, the watcher would rest beside a busy processor forever.
#[test]
fn the_alarm_stays_set_for_the_last_busy_processor() {
    explore(3, || {
        let sleep = Arc::new(WatcherSleep::new());
        let busy = Arc::new(AtomicUsize::new(1));
        let is_busy = |busy: &Arc<AtomicUsize>| {
            let busy = Arc::clone(busy);
            move || busy.load(Relaxed) > 0
        };
        let giver = {
            let (sleep, busy) = (Arc::clone(&sleep), Arc::clone(&busy));
            thread::spawn(move || {
                (1..3).for_each(|number| sleep.vouch(number * LOOK.as_nanos() as u64, |_| true));
                busy.fetch_sub(1, Relaxed);
                fence(SeqCst);
                sleep.note_given_back(is_busy(&busy));
            })
        };
        let taker = {
            let (sleep, busy) = (Arc::clone(&sleep), Arc::clone(&busy));
            thread::spawn(move || {
                busy.fetch_add(1, Relaxed);
                sleep.note_taken(is_busy(&busy));
            })
        };
        sleep.adopt_current_thread();
        let _ = sleep.rest(None, true, is_busy(&busy), || true);
        giver.join().expect("it does not panic");
        taker.join().expect("it does not panic");
    });
}

/// A task that is queued while the only processor is stuck: the submitter finds the spare idle, or
/// the watcher finds the task when it has put the spare into play.
#[test]
fn a_spare_meets_the_task_it_was_started_for() {
    explore(3, || {
        let (processors, mut held) = Processors::new(1, 2);
        let stuck = held.remove(0);
        let idle = Arc::new(Idle::new(1, 2));
        let (mut owner, thief) = ring::<u8>();
        let submitter = {
            let idle = Arc::clone(&idle);
            thread::spawn(move || {
                assert!(owner.push(NonNull::dangling()).is_ok());
                (idle.submit(), owner)
            })
        };
        idle.add(processors.put_into_play().expect("there is room for one spare"));
        let by_watcher = if thief.is_empty() { None } else { idle.submit() };
        let (by_submitter, _owner) = submitter.join().expect("it does not panic");
        let chosen = usize::from(by_watcher.is_some()) + usize::from(by_submitter.is_some());
        assert_eq!(chosen, 1, "one machine is sent, and not two for one processor");
        drop(stuck);
    });
}

/// Two holders of spares see that one is due: one of them gives its up, whichever.
#[test]
fn a_requested_retirement_is_taken_once() {
    explore(3, || {
        let (processors, _regular) = Processors::new(1, 3);
        let mut put = || processors.put_into_play().expect("there is room for two spares");
        let (one, other) = (put(), put());
        let processors = Arc::new(processors);
        let payer = {
            let processors = Arc::clone(&processors);
            thread::spawn(move || pay(&processors, other))
        };
        processors.ask_for_one();
        let kept = [pay(&processors, one), payer.join().expect("it does not panic")];
        let last = kept.into_iter().flatten().fold(None, |before: Option<Box<Processor>>, processor| {
            if before.is_none() { pay(&processors, processor) } else { Some(processor) }
        });
        assert!(last.is_some(), "one stays in play");
        assert_eq!((processors.spares(), processors.retirements_due()), (1, 0));
    });
}

/// Gives `processor` up if one is due.
fn pay(processors: &Processors, processor: Box<Processor>) -> Option<Box<Processor>> {
    if !processors.is_retirement_due() {
        return Some(processor);
    }
    processors.take_out_of_play(processor)
}

/// The stuck poll returns and its holder continues with its ring, while the spare steals from it,
/// has to go, and leaves its loot to all: each task is found once.
#[test]
fn a_spare_that_goes_leaves_what_it_stole() {
    explore(3, || {
        let (processors, mut held) = Processors::new(1, 2);
        let spare = processors.put_into_play().expect("there is room for one spare");
        let regular = held.remove(0);
        let (processors, injector) = (Arc::new(processors), Arc::new(Mutex::new(0)));
        let (mut stuck, thief) = ring::<u8>();
        for _ in 0..3 {
            assert!(stuck.push(NonNull::dangling()).is_ok());
        }
        let stand_in = {
            let (processors, injector) = (Arc::clone(&processors), Arc::clone(&injector));
            thread::spawn(move || {
                let (mut own, _) = ring();
                thief.steal_into(&mut own);
                let run = usize::from(own.pop().is_some());
                let spare = pay(&processors, spare);
                if spare.is_none() {
                    *injector.lock() += std::iter::from_fn(|| own.pop()).count();
                }
                run + std::iter::from_fn(|| own.pop()).count()
            })
        };
        processors.ask_for_one();
        let run = std::iter::from_fn(|| stuck.pop()).count();
        let run = run + stand_in.join().expect("it does not panic") + *injector.lock();
        assert_eq!(run, 3);
        drop(regular);
    });
}
