//! Where a task comes from, in one word: the place that spawned it, or for the few tasks with a
//! name or counts their extras, in which the place stands too.

use std::marker::PhantomData;
use std::panic::Location;
use std::ptr::NonNull;

use super::identity::Extras;

/// Set in the address of extras, and clear in the address of a place.
const EXTRAS: usize = 1;

const _: () = assert!(align_of::<Location<'static>>() > EXTRAS && align_of::<Extras>() > EXTRAS);

/// A `&'static Location<'static>`, or a `Box<Extras>` marked by its lowest bit. Which of them never
/// changes.
pub(super) struct Provenance {
    word: NonNull<()>,
    extras: PhantomData<Box<Extras>>,
}

impl Provenance {
    #[inline]
    pub(super) fn new(spawned_at: &'static Location<'static>, extras: Option<Box<Extras>>) -> Self {
        let word = match extras {
            None => NonNull::from(spawned_at).cast(),
            Some(extras) => NonNull::from(Box::leak(extras)).cast().map_addr(|address| address | EXTRAS),
        };
        Self { word, extras: PhantomData }
    }

    /// Returns the extras, if there are any.
    #[inline]
    pub(super) fn extras(&self) -> Option<&Extras> {
        // SAFETY: they were leaked into the word, and are freed with it alone.
        self.extras_address().map(|extras| unsafe { extras.as_ref() })
    }

    #[inline]
    fn extras_address(&self) -> Option<NonNull<Extras>> {
        if self.word.addr().get() & EXTRAS == 0 {
            return None;
        }
        // The bit is set: the word without it is the address of extras, and not null.
        NonNull::new(self.word.as_ptr().map_addr(|address| address & !EXTRAS).cast())
    }

    /// Returns the place where the task was spawned.
    #[inline]
    pub(super) fn spawned_at(&self) -> &'static Location<'static> {
        match self.extras() {
            Some(extras) => extras.spawned_at,
            // SAFETY: without the bit it is a reference, which is good forever.
            None => unsafe { self.word.cast::<Location<'static>>().as_ref() },
        }
    }
}

impl Drop for Provenance {
    fn drop(&mut self) {
        if let Some(extras) = self.extras_address() {
            // SAFETY: it was a box that was leaked into the word, which is gone now.
            drop(unsafe { Box::from_raw(extras.as_ptr()) });
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_place_is_known_with_and_without_extras() {
        let place = Location::caller();
        let plain = Provenance::new(place, None);
        assert!(std::ptr::eq(plain.spawned_at(), place) && plain.extras().is_none());
        let named = Provenance::new(place, Some(Box::new(Extras { name: Some("it".into()), ..Extras::at(place) })));
        assert!(std::ptr::eq(named.spawned_at(), place));
        assert_eq!(named.extras().and_then(|extras| extras.name.as_deref()), Some("it"));
    }
}
