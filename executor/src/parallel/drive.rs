//! The parts that all loops share: items in blocks that a region can number, cancellation, and the
//! count of items done.

use std::ops::Range;
use std::panic::resume_unwind;

use super::{Cancelled, Items, Until};
use crate::fork_join::{LoopBody, run_loop};
use crate::util::sync::atomic::AtomicUsize;
use crate::util::sync::atomic::Ordering::Relaxed;

/// Most items of one region, whose ranges have 32 bits for a number. Longer loops are done in
/// several.
const BLOCK: usize = if cfg!(test) { 1 << 8 } else { 1 << 31 };

/// The use that a loop makes of its items.
pub(super) trait Consumer: Sync {
    type Item;
    /// The state of one participant.
    type Local;

    fn begin(&self) -> Self::Local;

    /// Takes in an item. Numbers come in rising order, but for gaps.
    fn consume(&self, local: &mut Self::Local, number: usize, item: Self::Item);

    /// Takes in the state of a participant that leaves, after a panic too.
    fn end(&self, local: Self::Local);
}

/// Goes over all items, or until `until` says stop.
///
/// # Errors
///
/// Returns how far it got, if it was stopped before the end.
pub(super) fn drive<I, H>(items: &I, until: Until<'_>, consumer: &H) -> Result<(), Cancelled>
where
    I: Items,
    H: Consumer<Item = I::Item>,
{
    let total = items.count();
    let completed = AtomicUsize::new(0);
    for start in (0..total).step_by(BLOCK) {
        let length = BLOCK.min(total - start) as u32;
        let body = Block { items, start, until, consumer, completed: &completed };
        if let Err(panic) = run_loop(length, &body) {
            resume_unwind(panic);
        }
        if until.is_cancelled() {
            break;
        }
    }
    let completed = completed.into_inner();
    if completed < total { Err(Cancelled::new(completed, total)) } else { Ok(()) }
}

/// Up to [`BLOCK`] items of a loop.
struct Block<'a, I, H> {
    items: &'a I,
    start: usize,
    until: Until<'a>,
    consumer: &'a H,
    /// Relaxed: read when all participants have left.
    completed: &'a AtomicUsize,
}

impl<I, H> LoopBody for Block<'_, I, H>
where
    I: Items,
    H: Consumer<Item = I::Item>,
{
    type Local = (H::Local, usize);

    fn begin(&self) -> Self::Local {
        (self.consumer.begin(), 0)
    }

    #[inline]
    fn run(&self, (local, completed): &mut Self::Local, range: Range<u32>) {
        for number in range.start..range.end {
            let number = self.start + number as usize;
            // SAFETY: the region hands out each number once, and none beyond the count.
            let item = unsafe { self.items.item(number) };
            self.consumer.consume(local, number, item);
        }
        *completed += range.len();
    }

    fn end(&self, (local, completed): Self::Local) {
        self.completed.fetch_add(completed, Relaxed);
        self.consumer.end(local);
    }

    #[inline]
    fn is_cancelled(&self) -> bool {
        self.until.is_cancelled()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::sync::atomic::Ordering::Relaxed;

    use super::*;
    use crate::parallel::{CancelToken, map_collect, reduce, until};
    use crate::runtime::Builder;

    /// With lengths around the end of a block, on two processors.
    fn for_lengths(check: impl Fn(usize)) {
        let runtime = Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
        let _guard = runtime.enter();
        for length in [BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 2 * BLOCK + 1, 7 * BLOCK + 11] {
            check(length);
        }
    }

    #[test]
    fn a_loop_in_several_blocks_has_all_items_in_order() {
        for_lengths(|length| {
            let serial: Vec<usize> = (0..length).collect();
            assert_eq!(map_collect(0..length, |item| item), serial);
            assert_eq!(reduce(0..length, Vec::new, |item| vec![item], |a, b| [a, b].concat()), serial);
        });
    }

    #[test]
    fn a_loop_that_is_cancelled_begins_no_more_blocks() {
        for_lengths(|length| {
            let (token, done) = (CancelToken::new(), AtomicUsize::new(0));
            let outcome = until(&token).for_each(0..length, |_| {
                done.fetch_add(1, Relaxed);
                token.cancel();
            });
            let stopped = outcome.expect_err("there was more than one item");
            assert_eq!((stopped.completed(), stopped.total()), (done.into_inner(), length));
            assert!(stopped.completed() < BLOCK);
        });
    }

    #[test]
    fn a_panic_in_a_late_block_is_reported() {
        for_lengths(|length| {
            let results = std::panic::catch_unwind(|| {
                map_collect(0..length, |item| {
                    if item + 1 == length {
                        std::panic::resume_unwind(Box::new(item));
                    }
                    item.to_string()
                })
            });
            let panic = results.expect_err("the last item panics");
            assert_eq!(panic.downcast_ref::<usize>(), Some(&(length - 1)));
        });
    }
}
