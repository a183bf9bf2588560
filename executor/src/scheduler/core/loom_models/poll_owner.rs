//! The poll owner: a thread that arms a timer and the machine that goes to sleep on the netpoller
//! see one another.

use super::explore;
use crate::scheduler::core::poll_owner::{PollOwner, Watch};
use crate::util::sync::atomic::AtomicU64;
use crate::util::sync::atomic::Ordering::{Acquire, Release};
use crate::util::sync::{Arc, thread};

const NEVER: u64 = u64::MAX;
const SOON: u64 = 3;
const LATER: u64 = 5;

/// A poll owner, and the earliest deadlines of two processors' timers as their queues publish them.
struct Scene {
    poll_owner: PollOwner,
    timers: [AtomicU64; 2],
}

impl Scene {
    fn new(timers: [u64; 2]) -> Arc<Self> {
        Arc::new(Self { poll_owner: PollOwner::new(), timers: timers.map(AtomicU64::new) })
    }

    fn earliest(&self) -> u64 {
        self.timers.iter().map(|timer| timer.load(Acquire)).min().unwrap_or(NEVER)
    }

    /// The poll owner's side. Returns until when it would block: not past the published deadline,
    /// for others count on it, and not past the one that it finds on looking again.
    fn keep(&self) -> Option<u64> {
        let published = self.earliest();
        self.poll_owner.take_over(published).then(|| published.min(self.earliest()))
    }

    fn arm(&self, processor: usize, deadline: u64) -> Watch {
        self.timers[processor].store(deadline, Release);
        self.poll_owner.watch(deadline)
    }
}

#[test]
fn a_timer_armed_as_the_poll_owner_blocks_is_seen() {
    explore(4, || {
        let scene = Scene::new([NEVER, NEVER]);
        let armer = {
            let scene = Arc::clone(&scene);
            thread::spawn(move || scene.arm(0, LATER))
        };
        let until = scene.keep().expect("nobody else keeps");
        let watch = armer.join().expect("the armer ends in good order");
        assert!(until <= LATER || watch == Watch::TooLate, "until {until}, and the armer found {watch:?}");
    });
}

/// The deadline that the poll owner has published passes away, fired by another machine, before the
/// poll owner looks again. A thread that arms a timer behind it relies on the poll owner's being up
/// by then.
#[test]
fn a_published_deadline_is_kept_though_its_timer_has_gone() {
    explore(4, || {
        let scene = Scene::new([SOON, NEVER]);
        let others = {
            let scene = Arc::clone(&scene);
            thread::spawn(move || {
                scene.timers[0].store(NEVER, Release);
                scene.arm(1, LATER)
            })
        };
        let until = scene.keep().expect("nobody else keeps");
        let watch = others.join().expect("the armer ends in good order");
        assert!(until <= LATER || watch == Watch::TooLate, "until {until}, and the armer found {watch:?}");
    });
}

#[test]
fn there_is_one_poll_owner_at_a_time() {
    explore(4, || {
        let scene = Scene::new([NEVER, SOON]);
        let other = {
            let scene = Arc::clone(&scene);
            thread::spawn(move || scene.keep())
        };
        let own = scene.keep();
        let other = other.join().expect("the other ends in good order");
        assert!(own.is_some() ^ other.is_some());
        assert!(scene.poll_owner.is_present());
        scene.poll_owner.leave();
        assert!(!scene.poll_owner.is_present());
        assert_eq!(scene.poll_owner.watch(LATER), Watch::Unattended);
    });
}

/// A machine that goes idle beside a poll owner leaves its timers to that, which may be about to
/// leave: it has blocked up to the deadline `published`, and that may have passed. Then either it
/// has the timers on its next look, or the machine finds none and sees to a successor.
fn model_timers_left_behind(published: u64) {
    explore(3, move || {
        let scene = Scene::new([NEVER, NEVER]);
        assert!(scene.poll_owner.take_over(published));
        let retiring = {
            let scene = Arc::clone(&scene);
            thread::spawn(move || {
                scene.timers[1].store(LATER, Release);
                match scene.keep() {
                    Some(until) => Err(until),
                    None => Ok(scene.poll_owner.watch(LATER)),
                }
            })
        };
        scene.poll_owner.leave();
        let again = scene.keep();
        let retired = retiring.join().expect("the other ends in good order");
        let is_served = match (again, retired) {
            (_, Err(until)) => until <= LATER,
            (Some(until), Ok(watch)) => until <= LATER || watch == Watch::TooLate,
            (None, Ok(_)) => false,
        };
        assert!(is_served, "kept again until {again:?}; the other: {retired:?}");
    });
}

#[test]
fn timers_left_behind_are_seen_by_a_poll_owner() {
    model_timers_left_behind(NEVER);
}

#[test]
fn timers_armed_as_a_poll_owner_wakes_others_are_seen() {
    model_timers_left_behind(SOON);
}
