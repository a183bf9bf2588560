//! `join`: its job is taken back, or stolen while the owner returns, waits or unwinds.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::AtomicUsize as Tally;
use std::sync::atomic::Ordering::Relaxed as Counting;

use super::{Piece, explore, with_slot};
use crate::fork_join::{CurrentSlot, Region, TreeRegion, Unattended};
use crate::util::sync::{Arc, thread};

/// Calls `f` in a tree, with helpers that come at any time. `f` returns when its jobs are done;
/// helpers may still be looking for more.
fn in_tree(helpers: usize, f: impl FnOnce()) {
    let region = Arc::new(TreeRegion::new(1 + helpers));
    // SAFETY: the helpers have a reference when it has begun.
    let slot = unsafe { region.begin(&Unattended) };
    let start = |_| {
        let region = Arc::clone(&region);
        thread::spawn(move || region.help(&Unattended))
    };
    let helpers: Vec<_> = (0..helpers).map(start).collect();
    let current_slot = CurrentSlot::enter(&slot);
    f();
    drop(current_slot);
    region.end();
    helpers.into_iter().for_each(|helper| helper.join().expect("a helper does not panic"));
}

fn join<RA, RB: Send>(a: impl FnOnce() -> RA, b: impl FnOnce() -> RB + Send) -> (RA, RB) {
    with_slot(|slot| slot.join(a, b))
}

/// Counts the jobs that were run by their owner, by a thief, or both, in different interleavings.
struct Cases {
    stolen: Tally,
    kept: Tally,
}

impl Cases {
    const fn new() -> Self {
        Self { stolen: Tally::new(0), kept: Tally::new(0) }
    }

    fn count(&self, stolen: bool) {
        let tally = if stolen { &self.stolen } else { &self.kept };
        tally.fetch_add(1, Counting);
    }

    fn assert_both_met(&self) {
        let met = [&self.stolen, &self.kept].map(|tally| tally.load(Counting) > 0);
        assert_eq!(met, [true; 2], "stolen, kept");
    }
}

#[test]
fn a_stealable_job_runs_once_and_is_seen() {
    static CASES: Cases = Cases::new();
    explore(3, || {
        in_tree(1, || {
            let owner = thread::current().id();
            let (mine, other) = (Piece::new(), Piece::new());
            let ((), runner) = join(
                || mine.work(),
                || {
                    other.work();
                    thread::current().id()
                },
            );
            assert_eq!((mine.times(), other.times()), (1, 1));
            CASES.count(runner != owner);
        });
    });
    CASES.assert_both_met();
}

/// The helper steals the outer job and splits it; the owner, which waits for that, takes a part of
/// it, and may then wait for the rest of the helper's.
#[test]
fn a_stolen_job_that_is_split_is_run_once() {
    static CASES: Cases = Cases::new();
    explore(3, || {
        in_tree(1, || {
            let owner = thread::current().id();
            let pieces = Piece::pieces(3);
            let ((), stolen_back) = join(
                || pieces[0].work(),
                || {
                    let splitter = thread::current().id();
                    let ((), runner) = join(
                        || pieces[1].work(),
                        || {
                            pieces[2].work();
                            thread::current().id()
                        },
                    );
                    splitter != owner && runner == owner
                },
            );
            assert!(pieces.iter().all(|piece| piece.times() == 1));
            CASES.count(stolen_back);
        });
    });
    CASES.assert_both_met();
}

#[test]
fn two_helpers_and_their_owner_run_each_job_once() {
    explore(2, || {
        in_tree(2, || {
            let pieces = Piece::pieces(3);
            join(|| join(|| pieces[0].work(), || pieces[1].work()), || pieces[2].work());
            assert!(pieces.iter().all(|piece| piece.times() == 1));
        });
    });
}

/// A value that notes when it is dropped, with its closure or by it.
struct Noted<'a>(&'a Piece);

impl Drop for Noted<'_> {
    fn drop(&mut self) {
        self.0.work();
    }
}

#[test]
fn a_panicking_first_closure_awaits_or_drops_the_second() {
    static CASES: Cases = Cases::new();
    explore(3, || {
        in_tree(1, || {
            let (ran, dropped) = (Piece::new(), Piece::new());
            let noted = Noted(&dropped);
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                join(
                    || resume_unwind(Box::new("the first")),
                    || {
                        let _noted = noted;
                        ran.work();
                    },
                )
            }));
            let panic = outcome.map(drop).expect_err("it panics");
            assert_eq!(panic.downcast_ref::<&str>(), Some(&"the first"));
            assert_eq!(dropped.times(), 1, "and dropped before the panic goes on");
            CASES.count(ran.times() == 1);
        });
    });
    CASES.assert_both_met();
}

#[test]
fn a_panic_of_the_second_closure_is_rethrown() {
    static CASES: Cases = Cases::new();
    explore(3, || {
        in_tree(1, || {
            let owner = thread::current().id();
            let first = Piece::new();
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                join(|| Noted(&first), || -> () { resume_unwind(Box::new(thread::current().id())) })
            }));
            let panic = outcome.map(drop).expect_err("it panics");
            assert_eq!(first.times(), 1, "the result of the first is dropped");
            let runner = panic.downcast_ref::<thread::ThreadId>().expect("the payload of the second");
            CASES.count(*runner != owner);
        });
    });
    CASES.assert_both_met();
}
