//! The items of parallel loops: ranges of integers, slices, and chunks of slices.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use crate::parallel::items::sealed::Sealed;

mod sealed {
    pub trait Sealed {}
}

/// The items of a parallel loop, numbered from 0. The types of this module implement the trait; it
/// cannot be implemented outside this crate.
///
/// # Safety
///
/// `count` always returns the same number, and different items can be used at the same time.
pub unsafe trait Items: Sealed + Sync {
    /// The argument of the loop's closure.
    type Item;

    /// Returns the number of items.
    fn count(&self) -> usize;

    /// Returns one item.
    ///
    /// # Safety
    ///
    /// `number` is less than `count`, and no number is passed twice.
    unsafe fn item(&self, number: usize) -> Self::Item;
}

/// Conversion into the items of a parallel loop. Implemented for ranges of integers, for `&` and
/// `&mut` references to slices, arrays and vectors, and for [`chunks`] and [`chunks_mut`].
pub trait IntoItems {
    /// The items that it converts to.
    type Items: Items;

    /// Converts it to items.
    fn into_items(self) -> Self::Items;
}

impl<I: Items> IntoItems for I {
    type Items = I;

    fn into_items(self) -> I {
        self
    }
}

/// An integer type whose ranges can be used as the items of a parallel loop. Implemented for all
/// primitive integer types except the 128-bit ones.
pub trait Integer: Sealed + Copy + Sync {
    #[doc(hidden)]
    fn distance(start: Self, end: Self) -> usize;
    #[doc(hidden)]
    fn advance(start: Self, by: usize) -> Self;
}

macro_rules! integers {
    ($($integer:ty)*) => {$(
        impl Sealed for $integer {}

        impl Integer for $integer {
            fn distance(start: Self, end: Self) -> usize {
                if start >= end {
                    return 0;
                }
                usize::try_from(end as i128 - start as i128).expect("the range has more items than fit a usize")
            }

            fn advance(start: Self, by: usize) -> Self {
                start.wrapping_add(by as Self)
            }
        }
    )*};
}

integers!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);

impl<T: Integer> Sealed for Range<T> {}

// SAFETY: integers are copied.
unsafe impl<T: Integer> Items for Range<T> {
    type Item = T;

    fn count(&self) -> usize {
        T::distance(self.start, self.end)
    }

    #[inline]
    unsafe fn item(&self, number: usize) -> T {
        T::advance(self.start, number)
    }
}

/// The items of a `&[T]`: a reference to each element.
#[derive(Debug)]
pub struct Slice<'a, T>(&'a [T]);

impl<T> Sealed for Slice<'_, T> {}

// SAFETY: shared references may be used at the same time, since `T` is Sync.
unsafe impl<'a, T: Sync> Items for Slice<'a, T> {
    type Item = &'a T;

    fn count(&self) -> usize {
        self.0.len()
    }

    #[inline]
    unsafe fn item(&self, number: usize) -> &'a T {
        // SAFETY: by the caller's promise.
        unsafe { self.0.get_unchecked(number) }
    }
}

impl<'a, T: Sync> IntoItems for &'a [T] {
    type Items = Slice<'a, T>;

    fn into_items(self) -> Slice<'a, T> {
        Slice(self)
    }
}

impl<'a, T: Sync> IntoItems for &'a Vec<T> {
    type Items = Slice<'a, T>;

    fn into_items(self) -> Slice<'a, T> {
        Slice(self)
    }
}

impl<'a, T: Sync, const N: usize> IntoItems for &'a [T; N] {
    type Items = Slice<'a, T>;

    fn into_items(self) -> Slice<'a, T> {
        Slice(self)
    }
}

/// The items of a `&mut [T]`: a mutable reference to each element.
pub struct SliceMut<'a, T> {
    start: *mut T,
    length: usize,
    marker: PhantomData<&'a mut [T]>,
}

// SAFETY: each item goes to one thread, as a `&mut T`, which is Send.
unsafe impl<T: Send> Sync for SliceMut<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for SliceMut<'_, T> {}

impl<T> Sealed for SliceMut<'_, T> {}

// SAFETY: the items do not overlap.
unsafe impl<'a, T: Send> Items for SliceMut<'a, T> {
    type Item = &'a mut T;

    fn count(&self) -> usize {
        self.length
    }

    #[inline]
    unsafe fn item(&self, number: usize) -> &'a mut T {
        // SAFETY: the number is less than the length, by the caller's promise.
        let item = unsafe { self.start.add(number) };
        // SAFETY: no number is passed twice, and the slice is borrowed for `'a`.
        unsafe { &mut *item }
    }
}

impl<T> fmt::Debug for SliceMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SliceMut").field("length", &self.length).finish_non_exhaustive()
    }
}

impl<'a, T: Send> IntoItems for &'a mut [T] {
    type Items = SliceMut<'a, T>;

    fn into_items(self) -> SliceMut<'a, T> {
        SliceMut { start: self.as_mut_ptr(), length: self.len(), marker: PhantomData }
    }
}

impl<'a, T: Send> IntoItems for &'a mut Vec<T> {
    type Items = SliceMut<'a, T>;

    fn into_items(self) -> SliceMut<'a, T> {
        self.as_mut_slice().into_items()
    }
}

impl<'a, T: Send, const N: usize> IntoItems for &'a mut [T; N] {
    type Items = SliceMut<'a, T>;

    fn into_items(self) -> SliceMut<'a, T> {
        self.as_mut_slice().into_items()
    }
}

/// The chunks of a slice, as items of a parallel loop. Returned by [`chunks`].
#[derive(Debug)]
pub struct Chunks<'a, T> {
    slice: &'a [T],
    size: usize,
}

/// Splits `slice` into chunks of `size` elements for a parallel loop. The last chunk may be
/// shorter.
///
/// # Panics
///
/// Panics if `size` is 0.
///
/// # Examples
///
/// ```
/// # let runtime = wsrt::runtime::Runtime::new().unwrap();
/// # runtime.block_on(async {
/// let sums = wsrt::parallel::map_collect(wsrt::parallel::chunks(&[1, 2, 3, 4, 5], 2), |piece| piece.iter().sum::<i32>());
/// assert_eq!(sums, [3, 7, 5]);
/// # });
/// ```
pub fn chunks<T: Sync>(slice: &[T], size: usize) -> Chunks<'_, T> {
    assert!(size > 0, "wsrt: parallel::chunks: the size of a chunk is at least 1, not 0");
    Chunks { slice, size }
}

impl<T> Sealed for Chunks<'_, T> {}

// SAFETY: as for `Slice`.
unsafe impl<'a, T: Sync> Items for Chunks<'a, T> {
    type Item = &'a [T];

    fn count(&self) -> usize {
        self.slice.len().div_ceil(self.size)
    }

    unsafe fn item(&self, number: usize) -> &'a [T] {
        &self.slice[piece(number, self.size, self.slice.len())]
    }
}

/// The mutable chunks of a slice, as items of a parallel loop. Returned by [`chunks_mut`].
pub struct ChunksMut<'a, T> {
    items: SliceMut<'a, T>,
    size: usize,
}

/// Splits `slice` into mutable chunks of `size` elements for a parallel loop. The last chunk may be
/// shorter.
///
/// # Panics
///
/// Panics if `size` is 0.
///
/// # Examples
///
/// ```
/// # let runtime = wsrt::runtime::Runtime::new().unwrap();
/// # runtime.block_on(async {
/// let mut numbers = [3, 2, 1, 6, 5, 4, 7];
/// wsrt::parallel::for_each(wsrt::parallel::chunks_mut(&mut numbers, 3), |piece| piece.sort());
/// assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7]);
/// # });
/// ```
pub fn chunks_mut<T: Send>(slice: &mut [T], size: usize) -> ChunksMut<'_, T> {
    assert!(size > 0, "wsrt: parallel::chunks_mut: the size of a chunk is at least 1, not 0");
    ChunksMut { items: slice.into_items(), size }
}

impl<T> Sealed for ChunksMut<'_, T> {}

// SAFETY: the pieces do not overlap.
unsafe impl<'a, T: Send> Items for ChunksMut<'a, T> {
    type Item = &'a mut [T];

    fn count(&self) -> usize {
        self.items.length.div_ceil(self.size)
    }

    unsafe fn item(&self, number: usize) -> &'a mut [T] {
        let piece = piece(number, self.size, self.items.length);
        // SAFETY: the piece lies in the slice.
        let start = unsafe { self.items.start.add(piece.start) };
        // SAFETY: as above; no number is passed twice, and the slice is borrowed for `'a`.
        unsafe { std::slice::from_raw_parts_mut(start, piece.len()) }
    }
}

impl<T> fmt::Debug for ChunksMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChunksMut").field("length", &self.items.length).field("size", &self.size).finish()
    }
}

fn piece(number: usize, size: usize, length: usize) -> Range<usize> {
    let start = number * size;
    start..length.min(start.saturating_add(size))
}
