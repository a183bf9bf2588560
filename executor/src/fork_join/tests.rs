//! Stress: regions with real threads that come, have to leave, and come again.

use std::cell::Cell;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize};
use std::thread;

use crate::fork_join::{
    AfterPanic, CurrentSlot, LoopBody, LoopRegion, OpenRegions, Participant, Region, ScopeBase, TreeRegion, TreeSlot,
    Unattended,
};

const HELPERS: usize = 3;
/// Under miri, which is some thousand times slower, enough to see each path.
const ROUNDS: usize = if cfg!(miri) { 3 } else { 2_000 };
const ITEMS: u32 = if cfg!(miri) { 20 } else { 200 };

fn with_slot<R>(f: impl FnOnce(&TreeSlot<'_>) -> R) -> R {
    super::with_slot(|slot| f(slot.expect("the thread has a slot")))
}

/// A helper that has to leave now and then.
struct Restless {
    state: Cell<u32>,
    over: Arc<AtomicBool>,
}

impl Participant for Restless {
    fn must_leave(&self) -> bool {
        let next = self.state.get().wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.state.set(next);
        next >> 28 == 0 || self.over.load(Relaxed)
    }
}

/// Calls `f` with open regions that helpers look at all the time.
fn with_helpers(f: impl FnOnce(&OpenRegions)) {
    let (open_regions, over) = (Arc::new(OpenRegions::new()), Arc::new(AtomicBool::new(false)));
    let start = |number: usize| {
        let (open_regions, over) = (Arc::clone(&open_regions), Arc::clone(&over));
        thread::spawn(move || {
            let participant = Restless { state: Cell::new(number as u32), over: Arc::clone(&over) };
            while !over.load(Relaxed) {
                match open_regions.find() {
                    Some(region) => region.help(&participant),
                    None => thread::yield_now(),
                }
            }
        })
    };
    let helpers: Vec<_> = (0..HELPERS).map(start).collect();
    f(&open_regions);
    over.store(true, Relaxed);
    helpers.into_iter().for_each(|helper| helper.join().expect("a helper does not panic"));
}

fn post<R: Region + 'static>(open_regions: &OpenRegions, region: &Arc<R>) -> impl Sized {
    open_regions.post(Arc::clone(region) as Arc<dyn Region>)
}

/// Waits until only the owner has a reference to `region`, as `FreeRegions` does.
fn alone<R>(region: &mut Arc<R>) {
    while Arc::get_mut(region).is_none() {
        thread::yield_now();
    }
}

struct Count {
    visits: Vec<AtomicU32>,
    is_over: AtomicBool,
    fails_at: Option<u32>,
    locals: AtomicUsize,
}

impl Count {
    fn new(fails_at: Option<u32>) -> Self {
        let visits = (0..ITEMS).map(|_| AtomicU32::new(0)).collect();
        Self { visits, is_over: AtomicBool::new(false), fails_at, locals: AtomicUsize::new(0) }
    }
}

impl LoopBody for Count {
    type Local = Box<u32>;

    fn begin(&self) -> Box<u32> {
        assert!(!self.is_over.load(SeqCst), "a helper comes late");
        self.locals.fetch_add(1, SeqCst);
        Box::new(0)
    }

    fn run(&self, local: &mut Box<u32>, range: Range<u32>) {
        for index in range {
            self.visits[index as usize].fetch_add(1, Relaxed);
            **local += 1;
            if self.fails_at == Some(index) {
                resume_unwind(Box::new(index));
            }
        }
    }

    fn end(&self, _: Box<u32>) {
        assert!(!self.is_over.load(SeqCst), "a helper stays on");
        self.locals.fetch_sub(1, SeqCst);
    }
}

#[test]
fn every_index_runs_once_while_participants_come_and_go() {
    with_helpers(|open_regions| {
        let mut region = Arc::new(LoopRegion::new(HELPERS + 1));
        for _ in 0..ROUNDS {
            alone(&mut region);
            let body = Count::new(None);
            // SAFETY: no other thread has it.
            let outcome = unsafe { region.run(ITEMS, &body, &Unattended, || post(open_regions, &region)) };
            body.is_over.store(true, SeqCst);
            assert!(outcome.is_ok());
            assert_eq!(body.locals.load(SeqCst), 0);
            assert!(body.visits.iter().all(|visits| visits.load(Relaxed) == 1));
        }
    });
}

/// A region that was stopped is used again, with the indices that are left in it.
#[test]
fn a_loop_that_panics_leaves_a_region_in_good_order() {
    with_helpers(|open_regions| {
        let mut region = Arc::new(LoopRegion::new(HELPERS + 1));
        for round in 0..ROUNDS {
            alone(&mut region);
            let fails_at = (round % 3 > 0).then_some(round as u32 % ITEMS);
            let body = Count::new(fails_at);
            // SAFETY: no other thread has it.
            let outcome = unsafe { region.run(ITEMS, &body, &Unattended, || post(open_regions, &region)) };
            body.is_over.store(true, SeqCst);
            let panic = outcome.err().map(|panic| *panic.downcast::<u32>().expect("it is what was thrown"));
            assert_eq!(panic, fails_at);
            assert_eq!(body.locals.load(SeqCst), 0);
            let most = body.visits.iter().map(|visits| visits.load(Relaxed)).max();
            assert_eq!(most, Some(1));
        }
    });
}

/// Calls `f` in a tree that helpers find on the open regions.
fn in_tree(open_regions: &OpenRegions, region: &mut Arc<TreeRegion>, f: impl FnOnce()) {
    alone(region);
    // SAFETY: no other thread has it.
    let slot = unsafe { region.begin(&Unattended) };
    let posted = post(open_regions, region);
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let _current = CurrentSlot::enter(&slot);
        f();
    }));
    drop(posted);
    region.end();
    outcome.unwrap_or_else(|panic| resume_unwind(panic));
}

fn fib(n: u32) -> u32 {
    if n < 2 {
        return n;
    }
    let (a, b) = with_slot(|slot| slot.join(|| fib(n - 1), || fib(n - 2)));
    a + b
}

#[test]
fn every_job_runs_once_while_participants_come_and_go() {
    with_helpers(|open_regions| {
        let mut region = Arc::new(TreeRegion::new(HELPERS + 1));
        for _ in 0..ROUNDS {
            in_tree(open_regions, &mut region, || {
                if cfg!(miri) {
                    assert_eq!(fib(5), 5);
                } else {
                    assert_eq!(fib(12), 144);
                }
            });
        }
    });
}

#[test]
fn a_scope_sees_all_its_jobs_done() {
    with_helpers(|open_regions| {
        let mut region = Arc::new(TreeRegion::new(HELPERS + 1));
        for _ in 0..ROUNDS {
            in_tree(open_regions, &mut region, || {
                let count = AtomicUsize::new(0);
                let outcome = with_slot(|slot| {
                    // SAFETY: the region is in a frame further down.
                    let scope = unsafe { ScopeBase::new(slot.region(), AfterPanic::Drop) };
                    for number in 0..20 {
                        let text = number.to_string();
                        let count = &count;
                        let slot = (number % 4 > 0).then_some(slot);
                        let job = move || {
                            count.fetch_add(text.len(), Relaxed);
                        };
                        // SAFETY: all that it borrows lives until the scope has finished.
                        let _ = unsafe { scope.spawn(slot, job) };
                    }
                    scope.finish(slot)
                });
                assert!(outcome.is_ok());
                assert_eq!(count.into_inner(), 30);
            });
        }
    });
}

#[test]
fn a_panic_in_a_tree_leaves_the_region_usable() {
    with_helpers(|open_regions| {
        let mut region = Arc::new(TreeRegion::new(HELPERS + 1));
        for round in 0..ROUNDS {
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                in_tree(open_regions, &mut region, || {
                    let (text, owned) = (String::from("borrowed"), Box::new(1));
                    let join = |slot: &TreeSlot<'_>| {
                        slot.join(
                            || {
                                if round % 3 > 0 {
                                    resume_unwind(Box::new("a"));
                                }
                                fib(3)
                            },
                            move || {
                                let one = *owned;
                                if round % 2 > 0 {
                                    resume_unwind(Box::new("b"));
                                }
                                one + fib(4)
                            },
                        )
                    };
                    assert_eq!(with_slot(join), (2, 4));
                    assert_eq!(text.len(), 8);
                });
            }));
            let expected = match (round % 3 > 0, round % 2 > 0) {
                (true, _) => Some("a"),
                (false, true) => Some("b"),
                (false, false) => None,
            };
            let panic = outcome.err().map(|panic| *panic.downcast::<&str>().expect("it is what was thrown"));
            assert_eq!(panic, expected);
        }
    });
}

#[test]
fn of_many_regions_each_comes_to_be_helped() {
    struct Wanting(AtomicUsize);
    impl Region for Wanting {
        fn owners_core(&self) -> Option<u32> {
            None
        }

        fn wants_help(&self) -> bool {
            true
        }

        fn help(&self, _: &dyn Participant) {
            self.0.fetch_add(1, Relaxed);
        }
    }
    let open_regions = OpenRegions::new();
    let regions: Vec<_> = (0..5).map(|_| Arc::new(Wanting(AtomicUsize::new(0)))).collect();
    let posted: Vec<_> = regions.iter().map(|region| post(&open_regions, region)).collect();
    for _ in 0..10 {
        open_regions.find().expect("all want help").help(&Unattended);
    }
    assert!(regions.iter().all(|region| region.0.load(Relaxed) == 2));
    drop(posted);
    assert!(open_regions.is_empty() && open_regions.find().is_none());
}

/// An owner that counts its summonses.
struct Summoning(AtomicUsize);

impl Participant for Summoning {
    fn summon(&self) {
        self.0.fetch_add(1, Relaxed);
    }
}

/// The thread that spawns it may block until it has run.
#[test]
fn a_leaving_helper_sees_a_spawned_job_or_is_summoned() {
    let region = TreeRegion::new(2);
    let (turn, sees) = (AtomicUsize::new(0), AtomicBool::new(false));
    let mut lost = 0;
    let await_turn = |at| {
        let mut looks = 0;
        while turn.load(SeqCst) < at {
            looks += 1;
            if looks % 1_000 == 0 {
                thread::yield_now();
            }
        }
    };
    thread::scope(|threads| {
        threads.spawn(|| {
            for round in 0..10 * ROUNDS {
                await_turn(3 * round + 1);
                // At different moments of the other's spawning.
                (0..round % 200).for_each(|_| std::hint::spin_loop());
                sees.store(region.wants_help(), Relaxed);
                turn.fetch_add(1, SeqCst);
            }
        });
        for round in 0..10 * ROUNDS {
            let owner = Summoning(AtomicUsize::new(0));
            // SAFETY: the helper waits for its turn, and takes no slot.
            let slot = unsafe { region.begin(&owner) };
            // SAFETY: the region is in a frame further down.
            let scope = unsafe { ScopeBase::new(slot.region(), AfterPanic::Drop) };
            turn.fetch_add(1, SeqCst);
            // SAFETY: it borrows nothing.
            let _ = unsafe { scope.spawn(Some(&slot), || ()) };
            let is_summoned = owner.0.load(Relaxed) > 0;
            turn.fetch_add(1, SeqCst);
            await_turn(3 * round + 3);
            lost += usize::from(!sees.load(Relaxed) && !is_summoned);
            assert!(scope.finish(&slot).is_ok());
            region.end();
        }
    });
    assert_eq!(lost, 0);
}
