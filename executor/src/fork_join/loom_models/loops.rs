//! A loop: an owner, and helpers that come late, have to leave, or panic; and the word of a work
//! range, of which participant and thieves claim every index once.

use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::AtomicUsize as Tally;
use std::sync::atomic::Ordering::Relaxed as Counting;

use crate::fork_join::loom_models::{Leaving, Piece, explore};
use crate::fork_join::work_range::WorkRange;
use crate::fork_join::{LoopBody, LoopRegion, Region, Unattended};
use crate::util::sync::atomic::AtomicBool;
use crate::util::sync::atomic::Ordering::Relaxed;
use crate::util::sync::thread::JoinHandle;
use crate::util::sync::{Arc, Mutex, thread};
use crate::util::unwind::Payload;

/// The body of a loop. It lies in the owner's frame, and loom sees every access.
struct Body {
    pieces: Vec<Piece>,
    /// Read with each access to the body, so that an access after the end is a fault.
    itself: Piece,
    panics_at: Option<u32>,
    cancelled: AtomicBool,
    /// A piece that a helper does not finish before another piece is done: the first of these two,
    /// and the one that it waits for.
    waits: Option<(u32, u32)>,
    done: Vec<AtomicBool>,
    owner: thread::ThreadId,
}

impl Body {
    fn new(count: u32) -> Self {
        Self {
            pieces: Piece::pieces(count),
            itself: Piece::new(),
            panics_at: None,
            cancelled: AtomicBool::new(false),
            waits: None,
            done: (0..count).map(|_| AtomicBool::new(false)).collect(),
            owner: thread::current().id(),
        }
    }

    fn is_helper(&self) -> bool {
        thread::current().id() != self.owner
    }

    /// Takes the body apart, as the end of its owner's frame does, and returns how often each piece
    /// was worked on.
    fn take_apart(&self) -> Vec<u32> {
        assert_eq!(self.itself.times(), 0);
        self.pieces.iter().map(Piece::times).collect()
    }
}

impl LoopBody for Body {
    type Local = ();

    fn begin(&self) {
        self.itself.look();
    }

    fn run(&self, (): &mut (), range: Range<u32>) {
        for index in range {
            self.pieces[index as usize].work();
            self.done[index as usize].store(true, Relaxed);
            if let Some((_, other)) = self.waits.filter(|(first, _)| *first == index && self.is_helper()) {
                while !self.done[other as usize].load(Relaxed) {
                    thread::yield_now();
                }
            }
            if self.panics_at == Some(index) {
                // Without the panic hook, which would report it in each interleaving.
                resume_unwind(Box::new(thread::current().id()));
            }
        }
    }

    fn end(&self, (): ()) {
        self.itself.look();
    }

    fn is_cancelled(&self) -> bool {
        self.itself.look();
        self.cancelled.load(Relaxed)
    }
}

/// Starts a thread that helps once for each of `claims`, and leaves after so many.
fn helper<const N: usize>(region: &Arc<LoopRegion>, claims: [u32; N]) -> JoinHandle<()> {
    let region = Arc::clone(region);
    thread::spawn(move || claims.into_iter().for_each(|claims| region.help(&Leaving::after(claims))))
}

/// Runs a loop over `body`, whose helpers are started once it is open.
fn run(region: &Arc<LoopRegion>, body: &Body, start: impl FnOnce() -> Vec<JoinHandle<()>>) -> Result<(), Payload> {
    let helpers = Mutex::new(Vec::new());
    // SAFETY: the helpers, which have a reference, are started when it has begun.
    let outcome = unsafe { region.run(body.pieces.len() as u32, body, &Unattended, || *helpers.lock() = start()) };
    let done = body.take_apart();
    if outcome.is_ok() && !body.cancelled.load(Relaxed) {
        assert!(done.iter().all(|times| *times == 1), "{done:?}");
    } else {
        assert!(done.iter().all(|times| *times <= 1), "{done:?}");
    }
    // Only now, so that they may be late for anything.
    helpers.lock().drain(..).for_each(|helper| helper.join().expect("a helper does not panic"));
    outcome
}

#[test]
fn an_owner_and_a_helper_do_each_index_once() {
    explore(3, || {
        let region = Arc::new(LoopRegion::new(2));
        let body = Body::new(3);
        assert!(run(&region, &body, || vec![helper(&region, [u32::MAX])]).is_ok());
    });
}

#[test]
fn an_owner_and_two_helpers_do_each_index_once() {
    explore(1, || {
        let region = Arc::new(LoopRegion::new(3));
        let body = Body::new(3);
        let helpers = || vec![helper(&region, [u32::MAX]), helper(&region, [u32::MAX])];
        assert!(run(&region, &body, helpers).is_ok());
    });
}

/// The helper has stolen two indices and works on the first. It does not finish that before the
/// owner has taken the second, which the owner could not see before the helper had put it into its
/// slot. If the owner were asleep by then, and not woken, this would never end.
#[test]
fn an_owner_wakes_for_stolen_indices_in_a_thiefs_slot() {
    explore(3, || {
        let region = Arc::new(LoopRegion::new(2));
        let body = Body { waits: Some((0, 1)), ..Body::new(3) };
        assert!(run(&region, &body, || vec![helper(&region, [u32::MAX])]).is_ok());
    });
}

/// The owner may be asleep when the helper leaves: it wakes, and does the rest.
#[test]
fn a_helper_that_is_called_away_leaves_nothing_undone() {
    explore(3, || {
        let region = Arc::new(LoopRegion::new(2));
        let body = Body::new(4);
        assert!(run(&region, &body, || vec![helper(&region, [1])]).is_ok());
    });
}

/// The owner is the only participant, with indices left in the other slot, and opens the region
/// once more. A helper that comes then gets that slot.
#[test]
fn a_slot_with_a_remainder_is_taken_over() {
    explore(2, || {
        let region = Arc::new(LoopRegion::new(2));
        let body = Body::new(4);
        assert!(run(&region, &body, || vec![helper(&region, [1, u32::MAX])]).is_ok());
    });
}

/// The helper that gets the slot is another thread, and knows of the indices by the word alone.
#[test]
fn another_participant_takes_over_a_slot_with_a_remainder() {
    explore(1, || {
        let region = Arc::new(LoopRegion::new(2));
        let body = Body::new(4);
        assert!(run(&region, &body, || vec![helper(&region, [1]), helper(&region, [2])]).is_ok());
    });
}

#[test]
fn a_region_is_used_again() {
    explore(2, || {
        let mut region = Arc::new(LoopRegion::new(2));
        for _ in 0..2 {
            let body = Body::new(2);
            assert!(run(&region, &body, || vec![helper(&region, [u32::MAX])]).is_ok());
            assert!(Arc::get_mut(&mut region).is_some(), "only its owner has it");
        }
    });
}

#[test]
fn a_panic_stops_the_loop_and_resumes_after_all_left() {
    static BY_HELPER: Tally = Tally::new(0);
    static BY_OWNER: Tally = Tally::new(0);
    explore(2, || {
        let region = Arc::new(LoopRegion::new(2));
        let body = Body { panics_at: Some(1), ..Body::new(3) };
        let panic = run(&region, &body, || vec![helper(&region, [u32::MAX])]).expect_err("it panics");
        let runner = panic.downcast::<thread::ThreadId>().expect("the payload that was thrown");
        let tally = if *runner == body.owner { &BY_OWNER } else { &BY_HELPER };
        tally.fetch_add(1, Counting);
    });
    assert!(BY_HELPER.load(Counting) > 0 && BY_OWNER.load(Counting) > 0);
}

#[test]
fn a_loop_that_is_cancelled_ends_with_what_was_claimed() {
    explore(2, || {
        let region = Arc::new(LoopRegion::new(2));
        let body = Body::new(3);
        let start = || {
            let helping = helper(&region, [u32::MAX]);
            body.cancelled.store(true, Relaxed);
            vec![helping]
        };
        assert!(run(&region, &body, start).is_ok());
    });
}

/// Claims all that is left, in strides of two.
fn claim_all(range: &WorkRange) -> Vec<Range<u32>> {
    std::iter::from_fn(|| range.claim(2)).collect()
}

#[track_caller]
fn assert_each_once(count: u32, mut claimed: Vec<Range<u32>>) {
    claimed.sort_by_key(|range| range.start);
    let indices: Vec<_> = claimed.into_iter().flatten().collect();
    assert_eq!(indices, (0..count).collect::<Vec<_>>());
}

#[test]
fn owner_and_two_thieves_claim_every_index_once() {
    const COUNT: u32 = 20;
    explore(3, || {
        let range = Arc::new(WorkRange::empty());
        range.fill(0..COUNT);
        let thieves = [(); 2].map(|()| {
            let range = Arc::clone(&range);
            thread::spawn(move || range.steal())
        });
        let mut claimed: Vec<_> = range.claim(2).into_iter().chain(range.claim(2)).collect();
        claimed.extend(thieves.into_iter().filter_map(|thief| thief.join().expect("it does not panic")));
        claimed.extend(claim_all(&range));
        assert_each_once(COUNT, claimed);
    });
}

/// Indices that a thief has stolen are stolen from it in turn; the owner takes the last one, or a
/// thief does.
#[test]
fn stolen_indices_are_stolen_again_down_to_the_last() {
    const COUNT: u32 = 3;
    explore(3, || {
        let ranges = Arc::new([WorkRange::empty(), WorkRange::empty()]);
        ranges[0].fill(0..COUNT);
        let thief = {
            let ranges = Arc::clone(&ranges);
            thread::spawn(move || {
                let Some(stolen) = ranges[0].steal() else { return Vec::new() };
                ranges[1].fill(stolen);
                claim_all(&ranges[1])
            })
        };
        let mut claimed = claim_all(&ranges[0]);
        claimed.extend(ranges[1].steal());
        claimed.extend(thief.join().expect("it does not panic"));
        claimed.extend(ranges.iter().flat_map(claim_all));
        assert_each_once(COUNT, claimed);
    });
}
