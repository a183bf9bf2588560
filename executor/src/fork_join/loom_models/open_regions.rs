//! The open regions: a region that is posted is found by a helper that spins, or its owner wakes a
//! helper; and a helper that finds one too late does no harm.

use std::sync::Arc as StdArc;
use std::sync::atomic::AtomicUsize as Tally;
use std::sync::atomic::Ordering::Relaxed as Counting;

use super::explore;
use crate::fork_join::{OpenRegions, Participant, Region, Unattended};
use crate::scheduler::core::helpers::Helpers;
use crate::scheduler::core::idle::{Idle, SpareHand};
use crate::scheduler::core::machine::Machine;
use crate::util::sync::{Arc, thread};

/// A region in which there is always something to do.
struct Open;

impl Region for Open {
    fn owners_core(&self) -> Option<u32> {
        None
    }

    fn wants_help(&self) -> bool {
        true
    }

    fn help(&self, _: &dyn Participant) {}
}

fn open_region() -> Arc<dyn Region> {
    let region: StdArc<dyn Region> = StdArc::new(Open);
    Arc::from_std(region)
}

struct Scene {
    open_regions: OpenRegions,
    helpers: Helpers,
}

impl Scene {
    fn new() -> Arc<Self> {
        Arc::new(Self { open_regions: OpenRegions::new(), helpers: Helpers::new() })
    }

    /// Acts like a helper that has run out of work. Returns `true` if it found some after all,
    /// `false` if it goes to sleep.
    fn spin(&self) -> bool {
        loop {
            let seen = self.open_regions.epoch().read();
            if let Some(region) = self.open_regions.find() {
                region.help(&Unattended);
                return true;
            }
            self.helpers.begin_spin();
            self.helpers.end_spin();
            if self.open_regions.epoch().read() == seen {
                return false;
            }
        }
    }

    /// Acts like the owner of a region. Returns `true` if it relies on a helper that spins.
    fn post(&self) -> bool {
        std::mem::forget(self.open_regions.post(open_region()));
        self.open_regions.epoch().advance();
        self.helpers.will_look()
    }
}

/// If the summons were lost, the helper would sleep forever, which loom reports as a deadlock.
#[test]
fn a_call_left_to_a_spinning_helper_is_not_lost() {
    static RELIED_ON: Tally = Tally::new(0);
    explore(3, || {
        let scene = Scene::new();
        let helper = {
            let scene = Arc::clone(&scene);
            thread::spawn(move || {
                while !scene.spin() {
                    thread::park();
                }
            })
        };
        if scene.post() {
            RELIED_ON.fetch_add(1, Counting);
        } else {
            helper.thread().unpark();
        }
        helper.join().expect("it does not panic");
    });
    assert!(RELIED_ON.load(Counting) > 0, "the owner has relied on it in some of them");
}

#[test]
fn of_two_spinning_helpers_one_sees_the_call() {
    explore(2, || {
        let scene = Scene::new();
        let helpers = [(); 2].map(|()| {
            let scene = Arc::clone(&scene);
            thread::spawn(move || scene.spin())
        });
        let relied = scene.post();
        let found = helpers.map(|helper| helper.join().expect("it does not panic"));
        assert!(!relied || found.contains(&true), "no helper came");
    });
}

/// The owner of another call has no processor, and leaves as this one is opened.
#[test]
fn an_owner_that_leaves_sees_the_call_without_a_place() {
    static REFUSED: Tally = Tally::new(0);
    explore(3, || {
        let scene = Scene::new();
        scene.helpers.join_anyway();
        let leaving = Arc::clone(&scene);
        let other = thread::spawn(move || {
            leaving.helpers.leave();
            leaving.open_regions.find().is_some()
        });
        let _ = scene.post();
        let is_refused = scene.helpers.count() > 0;
        let is_seen = other.join().expect("it does not panic");
        REFUSED.fetch_add(usize::from(is_refused), Counting);
        assert!(is_seen || !is_refused, "the call has no helper, and gets none");
    });
    assert!(REFUSED.load(Counting) > 0, "there is no place in some of them");
}

#[test]
fn a_region_is_found_until_it_is_withdrawn() {
    explore(3, || {
        let scene = Scene::new();
        let region = open_region();
        let posted = scene.open_regions.post(region);
        let helper = {
            let scene = Arc::clone(&scene);
            thread::spawn(move || scene.open_regions.find().is_some())
        };
        drop(posted);
        assert!(scene.open_regions.is_empty());
        assert!(scene.open_regions.find().is_none());
        let _ = helper.join().expect("it does not panic");
    });
}

/// A machine that has slept for so long that it may end, just as an owner finds it on the idle list
/// and relies on its coming: it looks at the open regions once more when it is off the list.
#[test]
fn an_ending_machine_sees_the_region_it_was_called_for() {
    static CALLED: Tally = Tally::new(0);
    explore(4, || {
        let scene = Scene::new();
        let (idle, machine) = (Arc::new(Idle::new(1, 1)), Machine::new());
        idle.enlist(&machine);
        let owner = {
            let (scene, idle) = (Arc::clone(&scene), Arc::clone(&idle));
            thread::spawn(move || {
                std::mem::forget(scene.open_regions.post(open_region()));
                matches!(idle.spare_hand(), SpareHand::Asleep(_))
            })
        };
        assert!(idle.delist(&machine), "no other machine chooses it");
        let stays = scene.open_regions.find().is_some();
        let is_called = owner.join().expect("it does not panic");
        CALLED.fetch_add(usize::from(is_called), Counting);
        assert!(stays || !is_called, "the owner waits for help that does not come");
    });
    assert!(CALLED.load(Counting) > 0, "the owner has called it in some of them");
}
