//! The parallel loop `map_collect`.

use std::marker::PhantomData;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ops::Range;
use std::ptr;

use super::drive::{Consumer, drive};
use super::{Cancelled, IntoItems, Items, Until};
use crate::util::sync::Mutex;

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
    /// use wsrt::parallel::{self, CancelToken};
    ///
    /// let token = CancelToken::new();
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
        let results = Results::with_capacity(items.count());
        let collect = Collect { f, results: &results, marker: PhantomData };
        drive(&items, self, &collect)?;
        Ok(results.into_vec())
    }
}

struct Collect<'a, I, T, F> {
    f: F,
    results: &'a Results<T>,
    marker: PhantomData<fn(I)>,
}

impl<I, T, F> Consumer for Collect<'_, I, T, F>
where
    T: Send,
    F: Fn(I) -> T + Sync,
{
    type Item = I;
    type Local = Written;

    fn begin(&self) -> Written {
        Written::default()
    }

    #[inline]
    fn consume(&self, written: &mut Written, number: usize, item: I) {
        let result = (self.f)(item);
        // SAFETY: the loop comes to each number once.
        unsafe { self.results.write(number, result) };
        written.note(number);
    }

    fn end(&self, written: Written) {
        self.results.written.lock().extend(written.before.into_iter().chain([written.current]));
    }
}

/// The numbers for which one participant has written results.
#[derive(Default)]
struct Written {
    current: Range<usize>,
    before: Vec<Range<usize>>,
}

impl Written {
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
struct Results<T> {
    places: *mut MaybeUninit<T>,
    count: usize,
    capacity: usize,
    written: Mutex<Vec<Range<usize>>>,
}

// SAFETY: each place is written by one thread and read when all are done; values go from thread to
// thread.
unsafe impl<T: Send> Sync for Results<T> {}

impl<T> Results<T> {
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

impl<T> Drop for Results<T> {
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
