//! The parallel loop `for_each`.

use std::marker::PhantomData;

use super::drive::{Consumer, drive};
use super::{Cancelled, IntoItems, Items, Until};

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
    /// use wsrt::parallel::{self, CancelToken};
    ///
    /// let token = CancelToken::new();
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
