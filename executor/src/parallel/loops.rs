//! The loops `for_each`, `map_collect` and `reduce`, and the parts that they share: items in blocks
//! that a region can number, cancellation, and the count of items done.

use std::marker::PhantomData;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ops::Range;
use std::panic::resume_unwind;
use std::{mem, ptr};

use crate::fork_join::{LoopBody, run_loop};
use crate::parallel::background::run_loop_in_background;
use crate::parallel::{Cancelled, IntoItems, Items, Until};
use crate::util::sync::Mutex;
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
        let done = if until.in_background { run_loop_in_background(length, &body) } else { run_loop(length, &body) };
        if let Err(panic) = done {
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

/// Calls `f` for each item, in parallel on all free processors.
///
/// Returns when all calls have returned. The order of the calls is unspecified, and so is whether
/// any of them run at the same time.
///
/// # Panics
///
/// If `f` panics, this function panics with the payload of the first panic. `f` is not called for
/// items that had not begun by then.
///
/// # Examples
///
/// ```
/// # let runtime = wsrt::runtime::Runtime::new().unwrap();
/// # runtime.block_on(async {
/// let mut numbers: Vec<u32> = (0..1000).collect();
/// wsrt::parallel::for_each(&mut numbers, |n| *n *= 2);
/// assert_eq!(numbers[500], 1000);
/// # });
/// ```
pub fn for_each<I, F>(items: I, f: F)
where
    I: IntoItems,
    F: Fn(<I::Items as Items>::Item) + Sync,
{
    let done = Until::END.for_each(items, f);
    debug_assert!(done.is_ok(), "there is no token to cancel it");
}

impl Until<'_> {
    /// Calls `f` for each item like [`for_each`](fn@super::for_each), until the token is cancelled.
    ///
    /// # Errors
    ///
    /// Returns a [`Cancelled`] with the number of completed items if the token stopped the loop.
    ///
    /// # Panics
    ///
    /// If `f` panics, this method panics with the payload of the first panic.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::parallel;
    /// use wsrt::sync::CancellationToken;
    ///
    /// let token = CancellationToken::new();
    /// let mut rows = vec![1; 1000];
    /// parallel::until(&token).for_each(&mut rows, |row| *row += 1).expect("it was not cancelled");
    /// assert!(rows.iter().all(|row| *row == 2));
    /// ```
    pub fn for_each<I, F>(self, items: I, f: F) -> Result<(), Cancelled>
    where
        I: IntoItems,
        F: Fn(<I::Items as Items>::Item) + Sync,
    {
        drive(&items.into_items(), self, &Each { f, marker: PhantomData })
    }
}

struct Each<T, F> {
    f: F,
    marker: PhantomData<fn(T)>,
}

impl<T, F: Fn(T) + Sync> Consumer for Each<T, F> {
    type Item = T;
    type Local = ();

    fn begin(&self) {}

    #[inline]
    fn consume(&self, (): &mut (), _: usize, item: T) {
        (self.f)(item);
    }

    fn end(&self, (): ()) {}
}

/// Calls `f` for each item, in parallel on all free processors, and returns the results in order.
///
/// Each result is written directly to its place in the `Vec`, so nothing is copied afterwards.
///
/// # Panics
///
/// If `f` panics, this function panics with the payload of the first panic, and drops the results
/// computed so far. Panics like `Vec` if the results do not fit in memory.
///
/// # Examples
///
/// ```
/// # let runtime = wsrt::runtime::Runtime::new().unwrap();
/// # runtime.block_on(async {
/// let lengths = wsrt::parallel::map_collect(&["a", "list", "of words"], |word| word.len());
/// assert_eq!(lengths, [1, 4, 8]);
/// # });
/// ```
pub fn map_collect<I, T, F>(items: I, f: F) -> Vec<T>
where
    I: IntoItems,
    T: Send,
    F: Fn(<I::Items as Items>::Item) -> T + Sync,
{
    Until::END.map_collect(items, f).expect("there is no token to cancel it")
}

impl Until<'_> {
    /// Calls `f` for each item like [`map_collect`], but stops when the token is cancelled.
    ///
    /// # Errors
    ///
    /// Returns a [`Cancelled`] with the number of completed items if the token stopped the loop.
    /// The results computed so far are dropped.
    ///
    /// # Panics
    ///
    /// If `f` panics, this method panics with the payload of the first panic.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::parallel;
    /// use wsrt::sync::CancellationToken;
    ///
    /// let token = CancellationToken::new();
    /// let squares = parallel::until(&token).map_collect(0..4_u64, |n| n * n).expect("it was not cancelled");
    /// assert_eq!(squares, [0, 1, 4, 9]);
    /// ```
    pub fn map_collect<I, T, F>(self, items: I, f: F) -> Result<Vec<T>, Cancelled>
    where
        I: IntoItems,
        T: Send,
        F: Fn(<I::Items as Items>::Item) -> T + Sync,
    {
        let items = items.into_items();
        let results = CollectedItems::with_capacity(items.count());
        let collect = Collect { f, results: &results, marker: PhantomData };
        drive(&items, self, &collect)?;
        Ok(results.into_vec())
    }
}

struct Collect<'a, I, T, F> {
    f: F,
    results: &'a CollectedItems<T>,
    marker: PhantomData<fn(I)>,
}

impl<I, T, F> Consumer for Collect<'_, I, T, F>
where
    T: Send,
    F: Fn(I) -> T + Sync,
{
    type Item = I;
    type Local = WrittenItems;

    fn begin(&self) -> WrittenItems {
        WrittenItems::default()
    }

    #[inline]
    fn consume(&self, written: &mut WrittenItems, number: usize, item: I) {
        let result = (self.f)(item);
        // SAFETY: the loop comes to each number once.
        unsafe { self.results.write(number, result) };
        written.note(number);
    }

    fn end(&self, written: WrittenItems) {
        self.results.written.lock().extend(written.before.into_iter().chain([written.current]));
    }
}

/// The numbers for which one participant has written results.
#[derive(Default)]
struct WrittenItems {
    current: Range<usize>,
    before: Vec<Range<usize>>,
}

impl WrittenItems {
    #[inline]
    fn note(&mut self, number: usize) {
        if self.current.end != number || self.current.is_empty() {
            self.begin(number);
        }
        self.current.end = number + 1;
    }

    #[cold]
    fn begin(&mut self, number: usize) {
        if !self.current.is_empty() {
            self.before.push(self.current.clone());
        }
        self.current = number..number;
    }
}

/// Results as they come, in places that are there from the start. Dropped, it drops those that have
/// been written.
struct CollectedItems<T> {
    places: *mut MaybeUninit<T>,
    count: usize,
    capacity: usize,
    written: Mutex<Vec<Range<usize>>>,
}

// SAFETY: each place is written by one thread and read when all are done; values go from thread to
// thread.
unsafe impl<T: Send> Sync for CollectedItems<T> {}

impl<T> CollectedItems<T> {
    fn with_capacity(count: usize) -> Self {
        let mut places = ManuallyDrop::new(Vec::<MaybeUninit<T>>::with_capacity(count));
        Self { places: places.as_mut_ptr(), count, capacity: places.capacity(), written: Mutex::new(Vec::new()) }
    }

    /// # Safety
    ///
    /// `number` is less than the count, and comes once.
    #[inline]
    unsafe fn write(&self, number: usize, value: T) {
        debug_assert!(number < self.count, "there is no place {number}");
        // SAFETY: by the caller's promise, it is one of the places.
        let place = unsafe { self.places.add(number) };
        // SAFETY: no other thread writes to this place, since each number comes once.
        unsafe { place.write(MaybeUninit::new(value)) };
    }

    /// All results, when all have been written.
    fn into_vec(self) -> Vec<T> {
        let this = ManuallyDrop::new(self);
        // SAFETY: the list of ranges is dropped once, here.
        drop(unsafe { ptr::read(&raw const this.written) });
        // SAFETY: the places come from a `Vec` of that capacity, and all have been written.
        unsafe { Vec::from_raw_parts(this.places.cast(), this.count, this.capacity) }
    }
}

impl<T> Drop for CollectedItems<T> {
    fn drop(&mut self) {
        // SAFETY: the places come from a `Vec` of that capacity; none counts as filled.
        let _places = unsafe { Vec::from_raw_parts(self.places, 0, self.capacity) };
        for range in self.written.get_mut().drain(..) {
            // SAFETY: the range lies in the places.
            let first = unsafe { self.places.add(range.start) };
            let results = ptr::slice_from_raw_parts_mut(first.cast::<T>(), range.len());
            // SAFETY: these have been written, and no result has been moved out.
            unsafe { ptr::drop_in_place(results) };
        }
    }
}

/// Maps each item to a value, in parallel on all free processors, and combines the values.
///
/// `combine` is called with neighboring values, in the order of the items, so it need not be
/// commutative. However, `combine` has to be associative, and `identity` has to return a neutral
/// value that changes nothing when combined, because the grouping of the items depends on which
/// threads process them. The last digits of a floating-point result may differ from run to run.
///
/// # Panics
///
/// If a closure panics, `reduce` panics with the payload of the first panic.
///
/// # Examples
///
/// ```
/// # let runtime = wsrt::runtime::Runtime::new().unwrap();
/// # runtime.block_on(async {
/// let digits = wsrt::parallel::reduce(0..20, String::new, |n| n.to_string(), |a, b| a + &b);
/// assert_eq!(digits, "012345678910111213141516171819");
/// # });
/// ```
pub fn reduce<I, T, E, M, C>(items: I, identity: E, map: M, combine: C) -> T
where
    I: IntoItems,
    T: Send,
    E: Fn() -> T + Sync,
    M: Fn(<I::Items as Items>::Item) -> T + Sync,
    C: Fn(T, T) -> T + Sync,
{
    Until::END.reduce(items, identity, map, combine).expect("there is no token to cancel it")
}

impl Until<'_> {
    /// Maps and combines the items like [`reduce`](super::reduce()), until the token is cancelled.
    ///
    /// # Errors
    ///
    /// Returns a [`Cancelled`] with the number of completed items if the token stopped the loop.
    /// The results computed so far are dropped.
    ///
    /// # Panics
    ///
    /// If a closure panics, `reduce` panics with the payload of the first panic.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::parallel;
    /// use wsrt::sync::CancellationToken;
    ///
    /// let token = CancellationToken::new();
    /// token.cancel();
    /// let sum = parallel::until(&token).reduce(0..1000_u64, || 0, |n| n, |a, b| a + b);
    /// assert!(sum.is_err());
    /// ```
    pub fn reduce<I, T, E, M, C>(self, items: I, identity: E, map: M, combine: C) -> Result<T, Cancelled>
    where
        I: IntoItems,
        T: Send,
        E: Fn() -> T + Sync,
        M: Fn(<I::Items as Items>::Item) -> T + Sync,
        C: Fn(T, T) -> T + Sync,
    {
        let reduce = Reduce { map, combine, stretches: Mutex::new(Vec::new()), marker: PhantomData };
        drive(&items.into_items(), self, &reduce)?;
        let mut stretches = reduce.stretches.into_inner();
        stretches.sort_unstable_by_key(|stretch| stretch.first);
        Ok(stretches.into_iter().map(|stretch| stretch.value).fold(identity(), reduce.combine))
    }
}

struct Reduce<I, T, M, C> {
    map: M,
    combine: C,
    stretches: Mutex<Vec<Stretch<T>>>,
    marker: PhantomData<fn(I)>,
}

/// The result for items that follow each other, done by one participant.
struct Stretch<T> {
    first: usize,
    /// The number after the last.
    next: usize,
    value: T,
}

/// The stretch that a participant is at, and those before it. A theft begins a new one.
struct Stretches<T> {
    current: Option<Stretch<T>>,
    finished: Vec<Stretch<T>>,
}

impl<I, T, M, C> Consumer for Reduce<I, T, M, C>
where
    T: Send,
    M: Fn(I) -> T + Sync,
    C: Fn(T, T) -> T + Sync,
{
    type Item = I;
    type Local = Stretches<T>;

    fn begin(&self) -> Stretches<T> {
        Stretches { current: None, finished: Vec::new() }
    }

    #[inline]
    fn consume(&self, local: &mut Stretches<T>, number: usize, item: I) {
        let value = (self.map)(item);
        local.current = Some(match mem::take(&mut local.current) {
            Some(stretch) if stretch.next == number => {
                let value = (self.combine)(stretch.value, value);
                Stretch { first: stretch.first, next: number + 1, value }
            }
            other => {
                local.finished.extend(other);
                Stretch { first: number, next: number + 1, value }
            }
        });
    }

    fn end(&self, local: Stretches<T>) {
        self.stretches.lock().extend(local.finished.into_iter().chain(local.current));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallel::{map_collect, reduce, until};
    use crate::runtime::Builder;
    use std::sync::atomic::AtomicUsize;
    use std::sync::atomic::Ordering::Relaxed;
    use wsrt_sync::CancellationToken;

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
            let (token, done) = (CancellationToken::new(), AtomicUsize::new(0));
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
