//! Combines the begin and end events of a track into slices. The open slices of a track form a
//! stack, because slices are nested.

use std::collections::HashMap;

use super::annotations::Annotations;
use super::event::TrackEvent;
use super::strings::NameId;
use crate::track::Track;

/// The maximum number of open slices per track, and the maximum number of tracks with open slices.
/// A file may contain begin events that are never ended.
const DEEPEST: usize = 32;
const MOST_TRACKS: usize = 1 << 14;

/// A period of time on a track, such as a poll, with its name and annotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrackSlice {
    /// The track that the slice is on.
    pub track: Track,
    /// When the slice begins, in nanoseconds.
    pub begin: u64,
    /// The duration of the slice, in nanoseconds.
    pub duration: u64,
    /// The duration of the slice without the slices nested in it, in nanoseconds.
    pub own: u64,
    /// The number of slices that this slice is nested in.
    pub depth: usize,
    /// The name of the slice.
    pub name: NameId,
    /// The annotations of the begin event, and the outcome from the end event.
    pub annotations: Annotations,
}

#[derive(Clone, Copy, Debug)]
struct OpenSlice {
    begin: u64,
    name: NameId,
    annotations: Annotations,
    /// The total duration of the slices nested in this one, in nanoseconds.
    within: u64,
}

/// The slices that have begun but not yet ended, for all tracks.
#[derive(Debug, Default)]
pub struct OpenSlices {
    tracks: HashMap<Track, Vec<OpenSlice>>,
    unmatched: u64,
}

impl OpenSlices {
    /// Opens a slice. The slice is ignored and counted as unmatched if too many slices are open.
    pub fn begin(&mut self, event: &TrackEvent) {
        if self.tracks.len() >= MOST_TRACKS && !self.tracks.contains_key(&event.track) {
            self.unmatched += 1;
            return;
        }
        let open = self.tracks.entry(event.track).or_default();
        if open.len() == DEEPEST {
            self.unmatched += 1;
            return;
        }
        open.push(OpenSlice { begin: event.at, name: event.name, annotations: event.annotations, within: 0 });
    }

    /// Closes the innermost open slice of the event's track, and returns the slice. Returns `None`
    /// if no slice is open on the track.
    pub fn end(&mut self, event: &TrackEvent) -> Option<TrackSlice> {
        let outcome = event.annotations.outcome;
        let slice = self.tracks.get_mut(&event.track).and_then(|open| close(event.track, open, event.at));
        self.unmatched += u64::from(slice.is_none());
        let ended =
            |slice: TrackSlice| Annotations { outcome: outcome.or(slice.annotations.outcome), ..slice.annotations };
        slice.map(|slice| TrackSlice { annotations: ended(slice), ..slice })
    }

    /// Returns the annotations of a track's innermost open slice, or `None` if no slice is open.
    pub fn innermost(&self, track: Track) -> Option<&Annotations> {
        self.tracks.get(&track)?.last().map(|slice| &slice.annotations)
    }

    /// Closes all open slices at the time `at`, the end of the file, and returns them.
    pub fn end_all(&mut self, at: u64) -> Vec<TrackSlice> {
        let mut slices = Vec::new();
        for (track, mut open) in self.tracks.drain() {
            while let Some(slice) = close(track, &mut open, at) {
                slices.push(slice);
            }
        }
        // Not in the order of the map, so that a file makes the same page each time.
        slices.sort_by_key(|slice| (slice.begin, slice.depth, slice.name));
        slices
    }

    /// Returns how many begin and end events were ignored because they had no partner or because
    /// too many slices were open.
    pub fn unmatched(&self) -> u64 {
        self.unmatched
    }
}

fn close(track: Track, open: &mut Vec<OpenSlice>, at: u64) -> Option<TrackSlice> {
    let OpenSlice { begin, name, annotations, within } = open.pop()?;
    let duration = at.saturating_sub(begin);
    if let Some(around) = open.last_mut() {
        around.within = around.within.saturating_add(duration);
    }
    let own = duration.saturating_sub(within);
    Some(TrackSlice { track, begin, duration, own, depth: open.len(), name, annotations })
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests {
    use super::*;
    use crate::track::TrackEventKind;

    const TRACK: Track = Track::Processor(0);

    fn event(kind: TrackEventKind, at: u64) -> TrackEvent {
        TrackEvent { at, track: TRACK, kind, name: NameId::NONE, annotations: Annotations::default() }
    }

    #[test]
    fn a_nested_slice_is_not_part_of_self_time() {
        let mut open = OpenSlices::default();
        open.begin(&event(TrackEventKind::Begin, 100));
        open.begin(&event(TrackEventKind::Begin, 130));
        let inner = open.end(&event(TrackEventKind::End, 150)).expect("one is open");
        let outer = open.end(&event(TrackEventKind::End, 200)).expect("one is open");
        assert_eq!((inner.begin, inner.duration, inner.own, inner.depth), (130, 20, 20, 1));
        assert_eq!((outer.begin, outer.duration, outer.own, outer.depth), (100, 100, 80, 0));
        assert_eq!(open.unmatched(), 0);
    }

    #[test]
    fn the_innermost_slice_is_the_last_that_is_open() {
        let mut open = OpenSlices::default();
        let task = |task| Annotations { task: Some(task), ..Annotations::default() };
        for number in [1, 2] {
            open.begin(&TrackEvent { annotations: task(number), ..event(TrackEventKind::Begin, number) });
        }
        assert_eq!(open.innermost(TRACK), Some(&task(2)));
        open.end(&event(TrackEventKind::End, 3));
        assert_eq!((open.innermost(TRACK), open.innermost(Track::Netpoller)), (Some(&task(1)), None));
        open.end(&event(TrackEventKind::End, 4));
        assert_eq!(open.innermost(TRACK), None);
    }

    #[test]
    fn an_end_without_a_begin_is_counted_and_ignored() {
        let mut open = OpenSlices::default();
        assert_eq!(open.end(&event(TrackEventKind::End, 1)), None);
        open.begin(&event(TrackEventKind::Begin, 2));
        assert!(open.end(&event(TrackEventKind::End, 3)).is_some());
        assert_eq!(open.end(&event(TrackEventKind::End, 4)), None);
        assert_eq!(open.unmatched(), 2);
    }

    #[test]
    fn the_end_of_the_file_ends_open_slices() {
        let mut open = OpenSlices::default();
        open.begin(&event(TrackEventKind::Begin, 5));
        open.begin(&event(TrackEventKind::Begin, 7));
        let ended: Vec<_> = open.end_all(10).iter().map(|slice| (slice.begin, slice.duration)).collect();
        assert_eq!(ended, [(5, 5), (7, 3)]);
        assert_eq!(open.end_all(11), []);
    }

    #[test]
    fn begins_without_end_take_bounded_room() {
        let mut open = OpenSlices::default();
        for at in 0..1_000 {
            open.begin(&event(TrackEventKind::Begin, at));
        }
        assert_eq!(open.end_all(1_000).len(), DEEPEST);
        assert_eq!(open.unmatched(), 1_000 - DEEPEST as u64);
    }
}
