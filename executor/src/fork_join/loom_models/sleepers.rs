//! The members of a team that sleep: work that is published as a member falls asleep wakes it. In a
//! model a member that is not woken sleeps forever, and that is a fault.

use super::explore;
use crate::fork_join::sleepers::Sleepers;
use crate::util::sync::atomic::AtomicUsize;
use crate::util::sync::atomic::Ordering::Relaxed;
use crate::util::sync::{Arc, thread};

/// Work that threads publish without an ordering of its own.
struct Scene {
    sleepers: Sleepers,
    work: AtomicUsize,
}

impl Scene {
    fn new() -> Arc<Self> {
        Arc::new(Self { sleepers: Sleepers::new(), work: AtomicUsize::new(0) })
    }

    fn publish(&self) {
        self.work.fetch_add(1, Relaxed);
    }

    /// Takes a piece of work, if there is one.
    fn take(&self) -> bool {
        self.work.fetch_update(Relaxed, Relaxed, |pieces| pieces.checked_sub(1)).is_ok()
    }

    /// Acts like a member that has searched: takes a piece of work, and wakes another member if
    /// one is left.
    fn leave_search(&self) -> bool {
        let has_taken = self.take();
        if has_taken {
            self.sleepers.wake_for_rest(|| self.work.load(Relaxed) > 0);
        }
        has_taken
    }

    /// Acts like a member: spins if it is to, then sleeps, until it has taken a piece of work.
    fn work_once(&self, index: usize, spins: bool) {
        while !self.leave_search() {
            if spins {
                self.sleepers.begin_spin();
                self.sleepers.end_spin();
                if self.leave_search() {
                    return;
                }
            }
            self.sleepers.sleep(index, || self.work.load(Relaxed) > 0);
        }
    }
}

#[test]
fn published_work_wakes_a_member_or_is_seen() {
    explore(3, || {
        let scene = Scene::new();
        let theirs = Arc::clone(&scene);
        let member = thread::spawn(move || theirs.work_once(0, false));
        scene.publish();
        scene.sleepers.wake_one();
        member.join().expect("a member does not panic");
    });
}

#[test]
fn a_member_that_spins_sees_what_woke_no_other() {
    explore(3, || {
        let scene = Scene::new();
        let theirs = Arc::clone(&scene);
        let member = thread::spawn(move || theirs.work_once(0, true));
        scene.publish();
        scene.sleepers.wake_one();
        member.join().expect("a member does not panic");
    });
}

/// The thread that publishes wakes no other member while one spins, and that one takes one piece.
#[test]
fn a_member_that_spins_wakes_another_for_the_rest() {
    explore(2, || {
        let scene = Scene::new();
        let (first, second) = (Arc::clone(&scene), Arc::clone(&scene));
        let spins = thread::spawn(move || first.work_once(0, true));
        let sleeps = thread::spawn(move || second.work_once(1, false));
        for _ in 0..2 {
            scene.publish();
            scene.sleepers.wake_one();
        }
        [spins, sleeps].into_iter().for_each(|member| member.join().expect("a member does not panic"));
    });
}

#[test]
fn a_member_is_woken_by_its_index() {
    explore(2, || {
        let scene = Scene::new();
        let theirs = Arc::clone(&scene);
        let member = thread::spawn(move || theirs.work_once(1, false));
        scene.publish();
        scene.sleepers.wake(0);
        scene.sleepers.wake(1);
        member.join().expect("a member does not panic");
    });
}

#[test]
fn the_end_wakes_all_members() {
    explore(2, || {
        let scene = Scene::new();
        let members: Vec<_> = (0..2)
            .map(|index| {
                let theirs = Arc::clone(&scene);
                thread::spawn(move || theirs.work_once(index, false))
            })
            .collect();
        scene.publish();
        scene.publish();
        scene.sleepers.wake_all();
        members.into_iter().for_each(|member| member.join().expect("a member does not panic"));
    });
}
