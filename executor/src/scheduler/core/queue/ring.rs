//! The ring: a processor's bounded queue, first in first out for its owner, robbed of its newest
//! half by thieves.
//!
//! The whole state is one word, `head: 32 bits | len: 9 bits | version: 23 bits`, so that a push,
//! of one item or of many, a pop and a claim are each one compare-and-swap, and one load gives its
//! length.
//!
//! ```text
//!            head                      head + len
//!             v                            v
//!   . . . . [ G1   G2   G3   G4 ] . . . . . . .        slots, modulo the capacity
//!             |    |     \____/
//!             |    |      a thief's claim: the newest len - len/2, in their order
//!             owner pops here                  owner pushes at the end
//! ```
//!
//! A thief reads the slots *before* its claim, since the owner may write over them right after it.
//! The claim proves that the values read were the right ones, because
//!
//! * a pop moves `head`; a push changes `len`; a claim moves `version`. So while the word is the
//!   one that the thief saw, no slot within it was written: the owner only writes beyond the end,
//!   and the end has not moved.
//! * the word could come back to an old value only if `version` went all the way round, 2^23
//!   claims, between one thief's load and its compare-and-swap, with `head` at rest and the same
//!   `len`: eight million steals from one processor that runs nothing during them. `head` alone
//!   needs 2^32 pops.
//!
//! Go steals from the head instead, and so its owner and its thieves meet at the same end; with the
//! tail the owner keeps the oldest tasks, which have waited longest and are next in turn anyway.

use std::fmt;
use std::ptr::NonNull;

use crate::util::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use crate::util::sync::atomic::{AtomicPtr, AtomicU64};
use crate::util::sync::{Arc, RING_CAPACITY};

const LEN_BITS: u32 = 9;
const VERSION_BITS: u32 = 23;
const LEN_MASK: u64 = (1 << LEN_BITS) - 1;
const VERSION_MASK: u64 = (1 << VERSION_BITS) - 1;

/// The most tasks that are moved to a ring at a time: a ring that was not half full takes them
/// without an overflow.
pub(crate) const HALF_RING: usize = RING_CAPACITY as usize / 2;

const _: () = assert!(RING_CAPACITY.is_power_of_two());
const _: () = assert!(RING_CAPACITY as u64 <= LEN_MASK);

/// One value of the ring's word.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Word(u64);

impl Word {
    const EMPTY: Self = Self(0);

    fn pack(head: u32, len: u32, version: u32) -> Self {
        let version = u64::from(version) & VERSION_MASK;
        Self(u64::from(head) << (LEN_BITS + VERSION_BITS) | u64::from(len) << VERSION_BITS | version)
    }

    fn head(self) -> u32 {
        (self.0 >> (LEN_BITS + VERSION_BITS)) as u32
    }

    fn len(self) -> u32 {
        (self.0 >> VERSION_BITS & LEN_MASK) as u32
    }

    fn version(self) -> u32 {
        (self.0 & VERSION_MASK) as u32
    }

    /// Where the next push goes.
    fn end(self) -> u32 {
        self.head().wrapping_add(self.len())
    }

    fn grown_by(self, count: u32) -> Self {
        Self::pack(self.head(), self.len() + count, self.version())
    }

    fn without_oldest(self, count: u32) -> Self {
        Self::pack(self.head().wrapping_add(count), self.len() - count, self.version())
    }

    fn robbed_of_newest(self, count: u32) -> Self {
        Self::pack(self.head(), self.len() - count, self.version().wrapping_add(1))
    }
}

impl fmt::Debug for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Word")
            .field("head", &self.head())
            .field("len", &self.len())
            .field("version", &self.version())
            .finish()
    }
}

struct RingWords<T> {
    word: AtomicU64,
    slots: [AtomicPtr<T>; RING_CAPACITY as usize],
}

impl<T> RingWords<T> {
    fn slot(&self, position: u32) -> &AtomicPtr<T> {
        &self.slots[(position % RING_CAPACITY) as usize]
    }

    fn load(&self, position: u32) -> NonNull<T> {
        let item = self.slot(position).load(Relaxed);
        NonNull::new(item).expect("a position between head and end holds an item")
    }

    /// Acquire pairs with the Release of [`Owner::push`]: a thread that sees an item in the word
    /// sees its slot. It also pairs with the Release of [`Thief::steal_into`]: an owner that sees a
    /// claim may write over the slots that the thief has read.
    fn word(&self) -> Word {
        Word(self.word.load(Acquire))
    }
}

/// Makes a ring: the end that its owner keeps, and the end that thieves share.
pub(crate) fn ring<T>() -> (Owner<T>, Thief<T>) {
    ring_at(Word::EMPTY)
}

/// Makes a ring whose word begins as `word`, the word of an empty ring.
fn ring_at<T>(word: Word) -> (Owner<T>, Thief<T>) {
    let shared = Arc::new(RingWords {
        word: AtomicU64::new(word.0),
        slots: std::array::from_fn(|_| AtomicPtr::new(std::ptr::null_mut())),
    });
    (Owner { shared: Arc::clone(&shared) }, Thief { shared })
}

/// The owner's end. There is one for a ring, and its methods take `&mut self`: so the owner's reads
/// slots are safe from its own writes.
pub(crate) struct Owner<T> {
    shared: Arc<RingWords<T>>,
}

// SAFETY: the ring hands items over between threads and never looks into one; the types put in are
// Send runnables.
unsafe impl<T> Send for Owner<T> {}

impl<T> Owner<T> {
    pub(crate) fn len(&self) -> usize {
        self.shared.word().len() as usize
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn is_full(&self) -> bool {
        self.len() == RING_CAPACITY as usize
    }

    /// Appends `item`. `Ok` has whether the ring was empty before. A full ring gives up its oldest
    /// half, and the item with it: these are in the overflow, oldest first, and have to find
    /// another place.
    pub(crate) fn push(&mut self, item: NonNull<T>) -> Result<WasEmpty, Overflow<'_, T>> {
        loop {
            let word = self.shared.word();
            if word.len() == RING_CAPACITY {
                match self.claim_oldest_half(word) {
                    Some(start) => return Err(Overflow::new(self, start, item)),
                    None => continue,
                }
            }
            self.shared.slot(word.end()).store(item.as_ptr(), Relaxed);
            // Release pairs with the Acquire in `RingWords::word`: the slot is visible before the
            // word that counts it.
            let (old, new) = (word.0, word.grown_by(1).0);
            if self.shared.word.compare_exchange(old, new, Release, Relaxed).is_ok() {
                return Ok(WasEmpty(word.len() == 0));
            }
        }
    }

    /// Appends as many of `items` as there is room for, in one step, and returns how many those
    /// were and whether the ring was empty before. The others stay in the iterator.
    pub(crate) fn push_batch(&mut self, items: &mut impl Iterator<Item = NonNull<T>>) -> (u32, WasEmpty) {
        let mut word = self.shared.word();
        let mut start = word.end();
        let count = self.write_behind(word, items);
        loop {
            let grown = word.grown_by(count);
            // Release, as in `push`: all the slots are visible before the word that counts them.
            if count == 0 || self.shared.word.compare_exchange(word.0, grown.0, Release, Relaxed).is_ok() {
                return (count, WasEmpty(word.len() == 0));
            }
            // A thief has taken the newest half: the end is where that began.
            word = self.shared.word();
            self.move_down(start, word.end(), count);
            start = word.end();
        }
    }

    /// Writes `items` behind the end, where no thread looks until the word counts them, up to the
    /// ring's capacity.
    fn write_behind(&mut self, word: Word, items: &mut impl Iterator<Item = NonNull<T>>) -> u32 {
        let room = RING_CAPACITY - word.len();
        let mut count = 0;
        for item in items.take(room as usize) {
            self.shared.slot(word.end().wrapping_add(count)).store(item.as_ptr(), Relaxed);
            count += 1;
        }
        count
    }

    /// Moves `count` slots that the word does not count down from `from` to `to`. The two spans may
    /// overlap; they end within one capacity of `to`, so that no slot is overwritten before it was
    /// read.
    fn move_down(&mut self, from: u32, to: u32, count: u32) {
        for offset in 0..count {
            let item = self.shared.slot(from.wrapping_add(offset)).load(Relaxed);
            self.shared.slot(to.wrapping_add(offset)).store(item, Relaxed);
        }
    }

    fn claim_oldest_half(&mut self, word: Word) -> Option<u32> {
        let claimed = word.without_oldest(RING_CAPACITY / 2);
        // Relaxed: the owner wrote these slots itself, and a read-modify-write carries on the
        // release sequence of the pushes before it, so that a thief that loads this word sees the
        // slots that are left.
        let claim = self.shared.word.compare_exchange(word.0, claimed.0, Relaxed, Relaxed);
        claim.is_ok().then_some(word.head())
    }

    /// Takes the oldest item.
    pub(crate) fn pop(&mut self) -> Option<NonNull<T>> {
        loop {
            let word = self.shared.word();
            if word.len() == 0 {
                return None;
            }
            let rest = word.without_oldest(1);
            // Relaxed, for the reasons given in `claim_oldest_half`.
            if self.shared.word.compare_exchange(word.0, rest.0, Relaxed, Relaxed).is_ok() {
                return Some(self.shared.load(word.head()));
            }
        }
    }

    /// Publishes `count` items that a steal has written behind the end of this empty ring.
    fn publish_stolen(&mut self, count: u32) {
        let word = self.shared.word();
        assert_eq!(word.len(), 0, "a processor that steals has an empty ring");
        // A store suffices: thieves leave an empty ring alone, and one that still carries an older
        // word fails, since `head` or `version` has moved. Release pairs with the Acquire in
        // `RingWords::word`.
        self.shared.word.store(word.grown_by(count).0, Release);
    }
}

impl<T> fmt::Debug for Owner<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ring::Owner").field(&self.shared.word()).finish()
    }
}

/// Says whether the ring was empty before a push: if it was not, the push before it was announced
/// to the idle processors already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WasEmpty(pub(crate) bool);

/// The overflow of a full ring: its oldest half and the item that did not fit. Every item has to be
/// taken out.
#[must_use = "the items in an overflow are in no queue"]
pub(crate) struct Overflow<'a, T> {
    owner: &'a mut Owner<T>,
    next: u32,
    end: u32,
    last: Option<NonNull<T>>,
}

impl<'a, T> Overflow<'a, T> {
    fn new(owner: &'a mut Owner<T>, start: u32, last: NonNull<T>) -> Self {
        Self { owner, next: start, end: start.wrapping_add(RING_CAPACITY / 2), last: Some(last) }
    }
}

impl<T> Iterator for Overflow<'_, T> {
    type Item = NonNull<T>;

    fn next(&mut self) -> Option<NonNull<T>> {
        if self.next == self.end {
            return self.last.take();
        }
        let item = self.owner.shared.load(self.next);
        self.next = self.next.wrapping_add(1);
        Some(item)
    }
}

impl<T> Drop for Overflow<'_, T> {
    fn drop(&mut self) {
        debug_assert!(self.last.is_none(), "an overflow was dropped with items in it");
    }
}

impl<T> fmt::Debug for Overflow<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Overflow").field("left", &self.end.wrapping_sub(self.next)).finish()
    }
}

/// The thieves' end.
pub(crate) struct Thief<T> {
    shared: Arc<RingWords<T>>,
}

// SAFETY: as for `Owner`: items pass through, and the ring looks into none.
unsafe impl<T> Send for Thief<T> {}
// SAFETY: every operation through a shared reference is atomic.
unsafe impl<T> Sync for Thief<T> {}

impl<T> Thief<T> {
    pub(crate) fn len(&self) -> usize {
        self.shared.word().len() as usize
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The position of the oldest item, for observers. While that waits, it stays.
    pub(crate) fn oldest(&self) -> Option<u32> {
        let word = self.shared.word();
        (word.len() > 0).then(|| word.head())
    }

    /// Moves the newest half of this ring, rounded up, into `own`, which must be empty, and returns
    /// how many those were.
    pub(crate) fn steal_into(&self, own: &mut Owner<T>) -> usize {
        debug_assert!(own.is_empty(), "a processor that steals has an empty ring");
        loop {
            let word = self.shared.word();
            let (keep, take) = (word.len() / 2, word.len() - word.len() / 2);
            if take == 0 {
                return 0;
            }
            self.copy_newest(word, keep, take, own);
            let robbed = word.robbed_of_newest(take);
            // Release pairs with the owner's Acquire in `RingWords::word`: our reads of the slots
            // come before its writes.
            if self.shared.word.compare_exchange(word.0, robbed.0, Release, Relaxed).is_ok() {
                own.publish_stolen(take);
                return take as usize;
            }
        }
    }

    /// Copies the items that a claim would win behind the end of `own`, where no thread looks until
    /// it is published. A slot may be torn from under this copy, by an owner that has gone round:
    /// then the claim fails and the copy is forgotten.
    fn copy_newest(&self, word: Word, keep: u32, take: u32, own: &Owner<T>) {
        let (from, to) = (word.head().wrapping_add(keep), own.shared.word().end());
        for offset in 0..take {
            let item = self.shared.slot(from.wrapping_add(offset)).load(Relaxed);
            own.shared.slot(to.wrapping_add(offset)).store(item, Relaxed);
        }
    }
}

impl<T> fmt::Debug for Thief<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ring::Thief").field(&self.shared.word()).finish()
    }
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests;
