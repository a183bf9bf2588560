//! What the loops have in common: items in blocks that a region can number, cancellation, and counting what was done.

use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use super::{CancelToken, Cancelled, Items};
use crate::policy::computing::run_loop;
use crate::regions::LoopBody;

/// Most items of one region, whose spans have 32 bits for a number. Longer loops are done in several.
const BLOCK: usize = 1 << 31;

/// What a loop makes of its items.
pub(super) trait Harvest: Sync {
    type Item;
    /// What one participant carries.
    type Local;

    fn begin(&self) -> Self::Local;

    /// Takes in an item. Numbers come in rising order, but for gaps.
    fn take(&self, local: &mut Self::Local, number: usize, item: Self::Item);

    /// Takes in what a participant has carried, after a panic too.
    fn end(&self, local: Self::Local);
}

/// Goes over all items, or until `token` says stop.
///
/// # Errors
///
/// How far it got, if it was stopped before the end.
pub(super) fn go_over<I, H>(items: &I, token: Option<&CancelToken>, harvest: &H) -> Result<(), Cancelled>
where
    I: Items,
    H: Harvest<Item = I::Item>,
{
    let total = items.count();
    let completed = AtomicUsize::new(0);
    for start in (0..total).step_by(BLOCK) {
        let length = BLOCK.min(total - start) as u32;
        let body = Block { items, start, token, harvest, completed: &completed };
        if let Err(panic) = run_loop(length, &body) {
            resume_unwind(panic);
        }
        if token.is_some_and(CancelToken::is_cancelled) {
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
    token: Option<&'a CancelToken>,
    harvest: &'a H,
    /// Relaxed: read when all participants have left.
    completed: &'a AtomicUsize,
}

impl<I, H> LoopBody for Block<'_, I, H>
where
    I: Items,
    H: Harvest<Item = I::Item>,
{
    type Local = (H::Local, usize);

    fn begin(&self) -> Self::Local {
        (self.harvest.begin(), 0)
    }

    #[inline]
    fn run(&self, (local, completed): &mut Self::Local, range: Range<u32>) {
        for number in range.start..range.end {
            let number = self.start + number as usize;
            // SAFETY: the region hands out each number once, and none beyond the count.
            let item = unsafe { self.items.item(number) };
            self.harvest.take(local, number, item);
        }
        *completed += range.len();
    }

    fn end(&self, (local, completed): Self::Local) {
        self.completed.fetch_add(completed, Relaxed);
        self.harvest.end(local);
    }

    #[inline]
    fn is_cancelled(&self) -> bool {
        self.token.is_some_and(CancelToken::is_cancelled)
    }
}
