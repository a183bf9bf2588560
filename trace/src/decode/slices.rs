//! Begins and ends to slices. What is open on a track is a stack, since slices on one track lie within each other.

use std::collections::HashMap;

use super::event::{Details, Event, Track};
use super::strings::Name;

/// A track has at most so many open slices, and so many tracks have some: a file may hold begins without end.
const DEEPEST: usize = 32;
const MOST_TRACKS: usize = 1 << 14;

/// What a track did from one time to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    pub track: Track,
    pub begin: u64,
    /// In nanoseconds.
    pub duration: u64,
    /// The same without the slices within it.
    pub own: u64,
    /// How many slices it lies within.
    pub depth: usize,
    pub name: Name,
    pub details: Details,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    begin: u64,
    name: Name,
    details: Details,
    /// What the slices within it took.
    within: u64,
}

/// The slices that have begun.
#[derive(Debug, Default)]
pub struct OpenSlices {
    tracks: HashMap<Track, Vec<Open>>,
    unmatched: u64,
}

impl OpenSlices {
    pub fn begin(&mut self, event: &Event) {
        if self.tracks.len() >= MOST_TRACKS && !self.tracks.contains_key(&event.track) {
            self.unmatched += 1;
            return;
        }
        let open = self.tracks.entry(event.track).or_default();
        if open.len() == DEEPEST {
            self.unmatched += 1;
            return;
        }
        open.push(Open { begin: event.at, name: event.name, details: event.details, within: 0 });
    }

    /// The slice that ends.
    pub fn end(&mut self, event: &Event) -> Option<Slice> {
        let ready = event.details.ready;
        let slice = self.tracks.get_mut(&event.track).and_then(|open| close(event.track, open, event.at));
        self.unmatched += u64::from(slice.is_none());
        slice.map(|slice| Slice { details: Details { ready: ready.or(slice.details.ready), ..slice.details }, ..slice })
    }

    /// All slices that are open when the file ends, as if they ended at `at`.
    pub fn end_all(&mut self, at: u64) -> Vec<Slice> {
        let mut slices = Vec::new();
        for (track, mut open) in self.tracks.drain() {
            while let Some(slice) = close(track, &mut open, at) {
                slices.push(slice);
            }
        }
        // Not in the order of the map, so that the same file makes the same page.
        slices.sort_by_key(|slice| (slice.begin, slice.depth, slice.name));
        slices
    }

    /// How many begins or ends were passed over since the other one is missing.
    pub fn unmatched(&self) -> u64 {
        self.unmatched
    }
}

fn close(track: Track, open: &mut Vec<Open>, at: u64) -> Option<Slice> {
    let Open { begin, name, details, within } = open.pop()?;
    let duration = at.saturating_sub(begin);
    if let Some(around) = open.last_mut() {
        around.within = around.within.saturating_add(duration);
    }
    let own = duration.saturating_sub(within);
    Some(Slice { track, begin, duration, own, depth: open.len(), name, details })
}

#[cfg(test)]
mod tests {
    use super::super::event::Kind;
    use super::*;

    const TRACK: Track = Track::Processor(0);

    fn event(kind: Kind, at: u64) -> Event {
        Event { at, track: TRACK, kind, name: Name::NONE, details: Details::default() }
    }

    #[test]
    fn a_slice_within_another_is_told_apart_from_it() {
        let mut open = OpenSlices::default();
        open.begin(&event(Kind::Begin, 100));
        open.begin(&event(Kind::Begin, 130));
        let inner = open.end(&event(Kind::End, 150)).expect("one is open");
        let outer = open.end(&event(Kind::End, 200)).expect("one is open");
        assert_eq!((inner.begin, inner.duration, inner.own, inner.depth), (130, 20, 20, 1));
        assert_eq!((outer.begin, outer.duration, outer.own, outer.depth), (100, 100, 80, 0));
        assert_eq!(open.unmatched(), 0);
    }

    #[test]
    fn an_end_without_a_begin_is_counted_and_passed_over() {
        let mut open = OpenSlices::default();
        assert_eq!(open.end(&event(Kind::End, 1)), None);
        open.begin(&event(Kind::Begin, 2));
        assert!(open.end(&event(Kind::End, 3)).is_some());
        assert_eq!(open.end(&event(Kind::End, 4)), None);
        assert_eq!(open.unmatched(), 2);
    }

    #[test]
    fn the_end_of_the_file_ends_what_is_open() {
        let mut open = OpenSlices::default();
        open.begin(&event(Kind::Begin, 5));
        open.begin(&event(Kind::Begin, 7));
        let ended: Vec<_> = open.end_all(10).iter().map(|slice| (slice.begin, slice.duration)).collect();
        assert_eq!(ended, [(5, 5), (7, 3)]);
        assert_eq!(open.end_all(11), []);
    }

    #[test]
    fn begins_without_end_take_a_bounded_room() {
        let mut open = OpenSlices::default();
        for at in 0..1_000 {
            open.begin(&event(Kind::Begin, at));
        }
        assert_eq!(open.end_all(1_000).len(), DEEPEST);
        assert_eq!(open.unmatched(), 1_000 - DEEPEST as u64);
    }
}
