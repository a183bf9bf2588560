//! The ring's promises: half from the tail, everything once, in order, wherever its counters stand.
//!
//! Items are numbers in the guise of pointers: the ring never follows one.

use std::collections::VecDeque;
use std::ptr::NonNull;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Release};
use std::thread;

use super::*;
use crate::util::rng::FastRand;

const CAPACITY: usize = RING_CAPACITY as usize;

/// Stands for an item; never made.
type Item = u8;

fn item(number: usize) -> NonNull<Item> {
    NonNull::new(std::ptr::without_provenance_mut(number + 1)).expect("one more than a number is not zero")
}

fn number(item: NonNull<Item>) -> usize {
    item.addr().get() - 1
}

fn push_all(ring: &mut Owner<Item>, numbers: impl IntoIterator<Item = usize>) {
    for number in numbers {
        assert!(ring.push(item(number)).is_ok(), "{number} does not fit in {ring:?}");
    }
}

fn drain(ring: &mut Owner<Item>) -> Vec<usize> {
    std::iter::from_fn(|| ring.pop().map(number)).collect()
}

/// Steals once from a ring that holds `numbers`: the loot, and the rest.
fn rob(numbers: std::ops::Range<usize>) -> (Vec<usize>, Vec<usize>) {
    let (mut victim, end) = ring();
    let (mut thief, _) = ring();
    push_all(&mut victim, numbers);
    let count = end.steal_into(&mut thief);
    let stolen = drain(&mut thief);
    assert_eq!(count, stolen.len());
    (stolen, drain(&mut victim))
}

#[test]
fn from_four_the_thief_takes_the_newest_two() {
    assert_eq!(rob(1..5), (vec![3, 4], vec![1, 2]));
}

#[test]
fn of_five_the_thief_takes_three() {
    assert_eq!(rob(1..6), (vec![3, 4, 5], vec![1, 2]));
}

#[test]
fn a_single_task_is_taken() {
    assert_eq!(rob(1..2), (vec![1], vec![]));
}

#[test]
fn a_thief_takes_the_newest_half_rounded_up_in_order() {
    for count in 0..=CAPACITY {
        let (stolen, kept) = rob(0..count);
        assert!(kept.iter().copied().eq(0..count / 2), "of {count} were kept {kept:?}");
        assert!(stolen.iter().copied().eq(count / 2..count), "of {count} were stolen {stolen:?}");
    }
}

#[test]
fn the_owner_takes_the_oldest_first() {
    let (mut owner, _) = ring();
    for count in 0..=CAPACITY {
        push_all(&mut owner, 0..count);
        assert_eq!(owner.len(), count);
        assert!(drain(&mut owner).into_iter().eq(0..count), "of {count}");
        assert!(owner.is_empty());
    }
}

#[test]
fn a_push_returns_whether_the_ring_was_empty() {
    let (mut owner, thief) = ring();
    let (mut other, _) = ring();
    assert_eq!(owner.push(item(0)).ok(), Some(WasEmpty(true)));
    assert_eq!(owner.push(item(1)).ok(), Some(WasEmpty(false)));
    assert_eq!(thief.steal_into(&mut other), 1);
    assert_eq!(owner.push(item(2)).ok(), Some(WasEmpty(false)));
    drain(&mut owner);
    assert_eq!(owner.push(item(3)).ok(), Some(WasEmpty(true)));
}

#[test]
fn a_full_ring_gives_up_its_oldest_half_first() {
    let (mut owner, _) = ring();
    push_all(&mut owner, 0..CAPACITY);
    let overflow: Vec<_> = owner.push(item(CAPACITY)).expect_err("the ring is full").map(number).collect();
    assert!(overflow[..CAPACITY / 2].iter().copied().eq(0..CAPACITY / 2));
    assert_eq!(overflow[CAPACITY / 2..], [CAPACITY]);
    assert!(drain(&mut owner).into_iter().eq(CAPACITY / 2..CAPACITY));
}

#[test]
fn a_batch_goes_behind_earlier_tasks_as_room_allows() {
    for start in corners() {
        for before in [0, 1, CAPACITY - 2, CAPACITY] {
            let (mut owner, _) = ring_at(start);
            push_all(&mut owner, 0..before);
            let mut batch = (before..before + 10).map(item);
            let fits = (CAPACITY - before).min(10);
            assert_eq!(owner.push_batch(&mut batch), (fits as u32, WasEmpty(before == 0)), "behind {before}");
            assert!(batch.map(number).eq(before + fits..before + 10), "the rest was not asked for, behind {before}");
            assert!(drain(&mut owner).into_iter().eq(0..before + fits), "behind {before}");
        }
    }
}

#[test]
fn an_empty_batch_changes_nothing() {
    let (mut owner, _) = ring::<Item>();
    assert_eq!(owner.push_batch(&mut std::iter::empty()), (0, WasEmpty(true)));
    assert!(owner.is_empty());
}

#[test]
fn a_thief_counts_what_the_owner_counts() {
    let (mut owner, thief) = ring();
    assert!(thief.is_empty());
    push_all(&mut owner, 0..3);
    assert_eq!((owner.len(), thief.len()), (3, 3));
    owner.pop();
    assert_eq!((owner.len(), thief.len()), (2, 2));
}

/// The corners of the word: where the head, and with it the end, goes round, where the version
/// does, and where both do.
fn corners() -> impl Iterator<Item = Word> {
    let last_version = (1 << VERSION_BITS) - 1;
    let heads = [0, u32::MAX - RING_CAPACITY, u32::MAX - 1, u32::MAX];
    heads
        .into_iter()
        .flat_map(move |head| [0, last_version - 1, last_version].map(move |version| Word::pack(head, 0, version)))
}

#[test]
fn the_word_keeps_its_parts_apart() {
    for start in corners() {
        let full = start.grown_by(RING_CAPACITY);
        assert_eq!((full.head(), full.len(), full.version()), (start.head(), RING_CAPACITY, start.version()));
        let rest = full.without_oldest(RING_CAPACITY);
        assert_eq!((rest.head(), rest.len()), (start.head().wrapping_add(RING_CAPACITY), 0));
        assert_eq!(rest.version(), start.version());
        let robbed = full.robbed_of_newest(RING_CAPACITY);
        assert_eq!((robbed.head(), robbed.len()), (start.head(), 0));
        assert_eq!(u64::from(robbed.version()), u64::from(start.version() + 1) & VERSION_MASK);
    }
}

#[test]
fn head_and_version_may_go_round() {
    for start in corners() {
        let (mut victim, end) = ring_at(start);
        let (mut thief, _) = ring_at(start);
        for round in 0..4 {
            push_all(&mut victim, 0..CAPACITY);
            assert_eq!(end.steal_into(&mut thief), CAPACITY / 2, "round {round} from {start:?}");
            assert!(drain(&mut thief).into_iter().eq(CAPACITY / 2..CAPACITY), "round {round} from {start:?}");
            assert!(drain(&mut victim).into_iter().eq(0..CAPACITY / 2), "round {round} from {start:?}");
        }
    }
}

#[test]
fn a_ring_overflows_in_order_where_its_head_goes_round() {
    for start in corners() {
        let (mut owner, _) = ring_at(start);
        push_all(&mut owner, 0..CAPACITY);
        let overflow: Vec<_> = owner.push(item(CAPACITY)).expect_err("the ring is full").map(number).collect();
        assert!(overflow.into_iter().eq((0..CAPACITY / 2).chain([CAPACITY])), "from {start:?}");
        assert!(drain(&mut owner).into_iter().eq(CAPACITY / 2..CAPACITY), "from {start:?}");
    }
}

/// Two rings that rob each other and an injector for the overflow, each beside the queue that it
/// has to equal.
struct Twin {
    owner: Owner<Item>,
    end: Thief<Item>,
    model: VecDeque<usize>,
}

impl Twin {
    fn at(start: Word) -> Self {
        let (owner, end) = ring_at(start);
        Self { owner, end, model: VecDeque::new() }
    }

    fn push(&mut self, new: usize, overflowed: &mut Vec<usize>) {
        let was_empty = self.model.is_empty();
        self.model.push_back(new);
        match self.owner.push(item(new)) {
            Ok(told) => {
                assert_eq!(told, WasEmpty(was_empty));
                assert!(self.model.len() <= CAPACITY, "a full ring took another");
            }
            Err(overflow) => {
                assert_eq!(self.model.len(), CAPACITY + 1, "a ring overflowed before it was full");
                self.model.pop_back();
                let oldest: Vec<_> = self.model.drain(..CAPACITY / 2).chain([new]).collect();
                let given_up: Vec<_> = overflow.map(number).collect();
                assert_eq!(given_up, oldest);
                overflowed.extend(given_up);
            }
        }
    }

    fn push_batch(&mut self, mut new: std::ops::Range<usize>, left_out: &mut Vec<usize>) {
        let told = self.owner.push_batch(&mut new.by_ref().map(item));
        let fits = told.0 as usize;
        assert_eq!(told.1, WasEmpty(self.model.is_empty()));
        self.model.extend(new.start - fits..new.start);
        assert!(new.is_empty() || self.model.len() == CAPACITY, "{new:?} were left out of a ring that was not full");
        left_out.extend(new);
    }

    fn pop(&mut self) -> Option<usize> {
        let oldest = self.owner.pop().map(number);
        assert_eq!(oldest, self.model.pop_front());
        oldest
    }

    fn rob(&mut self, victim: &mut Self) {
        let newest = victim.model.split_off(victim.model.len() / 2);
        assert_eq!(victim.end.steal_into(&mut self.owner), newest.len());
        self.model.extend(newest);
    }

    fn check(&self) {
        assert_eq!((self.owner.len(), self.end.is_empty()), (self.model.len(), self.model.is_empty()));
    }
}

#[test]
fn any_sequence_of_moves_does_what_a_plain_queue_would() {
    for (seed, start) in corners().enumerate() {
        let mut rng = FastRand::from_seed(seed as u64);
        let (mut one, mut other) = (Twin::at(start), Twin::at(start));
        let (mut pushed, mut left) = (0, Vec::new());
        for _ in 0..100_000 {
            // Phases of growth and of decline, so that both the full and the empty ring are met
            // often.
            let growing = pushed / 1_000 % 2 == 0;
            match rng.below(16) {
                0..=6 if growing => (0..rng.below(64)).for_each(|_| {
                    one.push(pushed, &mut left);
                    pushed += 1;
                }),
                7 if one.model.is_empty() => one.rob(&mut other),
                8 if other.model.is_empty() => other.rob(&mut one),
                9..=11 => left.extend(other.pop()),
                12 => {
                    other.push(pushed, &mut left);
                    pushed += 1;
                }
                13 if growing => {
                    let batch = pushed..pushed + rng.below(CAPACITY);
                    pushed = batch.end;
                    one.push_batch(batch, &mut left);
                }
                _ => left.extend(one.pop()),
            }
            one.check();
            other.check();
        }
        left.extend(std::iter::from_fn(|| one.pop()));
        left.extend(std::iter::from_fn(|| other.pop()));
        left.sort_unstable();
        assert!(left.into_iter().eq(0..pushed), "seed {seed}: an item was lost or came twice");
    }
}

/// One thief's day: robs `victim` until the owner is done and nothing is left, and returns its
/// items.
fn thieve(victim: &Thief<Item>, done: &AtomicBool) -> Vec<usize> {
    let (mut own, _) = ring();
    let mut loot = Vec::new();
    loop {
        // Read before the look: items that the owner pushed before it was done are seen by a look
        // after that.
        let is_over = done.load(Acquire);
        let count = victim.steal_into(&mut own);
        let batch = drain(&mut own);
        assert_eq!(batch.len(), count);
        assert!(batch.windows(2).all(|pair| pair[0] < pair[1]), "a batch out of order: {batch:?}");
        loot.extend(batch);
        if is_over && count == 0 {
            return loot;
        }
        if count == 0 {
            std::hint::spin_loop();
        }
    }
}

/// The owner's day: pushes all of `total` in bursts and pops in between, in random numbers.
fn work(owner: &mut Owner<Item>, total: usize) -> Vec<usize> {
    let mut rng = FastRand::from_seed(total as u64);
    let (mut kept, mut pushed) = (Vec::new(), 0);
    while pushed < total {
        for _ in 0..rng.below(2 * CAPACITY).min(total - pushed) {
            if let Err(overflow) = owner.push(item(pushed)) {
                kept.extend(overflow.map(number));
            }
            pushed += 1;
        }
        let mut batch = pushed..total.min(pushed + rng.below(CAPACITY));
        owner.push_batch(&mut batch.by_ref().map(item));
        pushed = batch.start;
        kept.extend((0..rng.below(CAPACITY)).map_while(|_| owner.pop()).map(number));
    }
    kept
}

#[test]
fn each_item_is_delivered_once_under_three_thieves() {
    const TOTAL: usize = 3_000_000;
    let (mut owner, end) = ring_at(Word::pack(u32::MAX - 1_000, 0, (1 << VERSION_BITS) - 100));
    let done = AtomicBool::new(false);
    let (mut all, shares) = thread::scope(|scope| {
        let thieves: Vec<_> = (0..3).map(|_| scope.spawn(|| thieve(&end, &done))).collect();
        let kept = work(&mut owner, TOTAL);
        done.store(true, Release);
        let loot: Vec<_> = thieves.into_iter().map(|thief| thief.join().expect("a thief failed")).collect();
        (kept, loot)
    });
    // No thief takes from an empty ring, so that there may be none left over; nothing may be left
    // out either.
    all.extend(drain(&mut owner));
    let stolen: usize = shares.iter().map(Vec::len).sum();
    all.extend(shares.into_iter().flatten());
    assert_eq!(all.len(), TOTAL, "{stolen} of them stolen");
    all.sort_unstable();
    assert!(all.into_iter().eq(0..TOTAL), "an item was lost and another came twice");
    assert!(stolen > 0, "nothing was ever stolen: this run has shown nothing");
}
