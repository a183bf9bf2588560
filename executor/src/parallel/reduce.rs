//! The parallel loop `reduce`.

use std::marker::PhantomData;
use std::mem;

use super::drive::{Consumer, drive};
use super::{Cancelled, IntoItems, Items, Until};
use crate::util::sync::Mutex;

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
    /// use wsrt::parallel::{self, CancelToken};
    ///
    /// let token = CancelToken::new();
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
