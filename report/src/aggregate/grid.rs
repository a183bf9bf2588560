//! A grid of time bins that grow, so that one pass over the file is enough although the length of
//! the trace is not known beforehand.
//!
//! All bins of a report are `1 << shift` nanoseconds wide and begin at multiples of their width.
//! When the observed time no longer fits into [`MOST_BINS`] bins, the width doubles, and each
//! series merges pairs of its bins the next time it is used.

use std::collections::VecDeque;

/// The maximum number of bins, which is the finest grid that a zoomed page can show.
const MOST_BINS: u64 = 4096;
/// The exponent of the finest bin width, about a microsecond.
const FINEST: u32 = 10;

/// The observed period of time, and the width of its bins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grid {
    shift: u32,
    range: Option<(u64, u64)>,
}

impl Grid {
    pub(crate) fn new() -> Self {
        Self { shift: FINEST, range: None }
    }

    /// Extends the grid to include `at`, a time in nanoseconds.
    pub(crate) fn cover(&mut self, at: u64) {
        let (first, last) = self.range.unwrap_or((at, at));
        let (first, last) = (first.min(at), last.max(at));
        while (last >> self.shift) - (first >> self.shift) >= MOST_BINS {
            self.shift += 1;
        }
        self.range = Some((first, last));
    }

    /// Returns the earliest observed time.
    pub(crate) fn first(&self) -> u64 {
        self.range.map_or(0, |(first, _)| first)
    }

    pub(crate) fn last(&self) -> u64 {
        self.range.map_or(0, |(_, last)| last)
    }

    pub(crate) fn duration(&self) -> u64 {
        self.last() - self.first()
    }

    /// Returns the width of a bin, in nanoseconds.
    pub(crate) fn width(&self) -> u64 {
        1 << self.shift
    }

    /// Returns the number of bins.
    pub(crate) fn bins(&self) -> usize {
        ((self.last() >> self.shift) - self.first_bin() + 1) as usize
    }

    fn first_bin(&self) -> u64 {
        self.first() >> self.shift
    }

    /// Returns how much of bin `index` lies between the first and the last observed time, in
    /// nanoseconds.
    pub(crate) fn covered(&self, index: usize) -> u64 {
        let begin = (self.first_bin() + index as u64) << self.shift;
        let end = begin.saturating_add(self.width());
        end.min(self.last()).saturating_sub(begin.max(self.first()))
    }

    /// Returns how far before the first observed time the first bin begins, in nanoseconds.
    pub(crate) fn lead(&self) -> u64 {
        self.first() - (self.first_bin() << self.shift)
    }
}

/// The contents of one bin of a series.
pub(crate) trait Bin: Copy + Default {
    /// Merges the following bin into this one.
    fn join(&mut self, later: Self);
}

/// A sum of amounts in a bin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sum(pub(crate) u64);

impl Bin for Sum {
    fn join(&mut self, later: Self) {
        self.0 = self.0.saturating_add(later.0);
    }
}

/// A level in a bin, such as a queue length, which stays the same until it changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Level {
    pub(crate) highest: u64,
    /// The level at the end of the bin, or `None` if the level did not change within the bin.
    pub(crate) last: Option<u64>,
}

impl Bin for Level {
    fn join(&mut self, later: Self) {
        self.highest = self.highest.max(later.highest);
        self.last = later.last.or(self.last);
    }
}

/// A series of bins over the time in which something happened.
#[derive(Clone, Debug, Default)]
pub(crate) struct Series<B> {
    shift: u32,
    /// The number of the first bin, counted from time zero.
    begin: u64,
    bins: VecDeque<B>,
}

impl<B: Bin> Series<B> {
    /// Returns the bin that contains `at`, a time that the grid covers.
    fn bin(&mut self, grid: &Grid, at: u64) -> &mut B {
        self.widen(grid.shift);
        let number = at >> self.shift;
        if self.bins.is_empty() {
            self.begin = number;
        }
        while number < self.begin {
            self.bins.push_front(B::default());
            self.begin -= 1;
        }
        let index = (number - self.begin) as usize;
        if index >= self.bins.len() {
            self.bins.resize(index + 1, B::default());
        }
        &mut self.bins[index]
    }

    fn widen(&mut self, shift: u32) {
        if self.bins.is_empty() {
            self.shift = shift;
        }
        while self.shift < shift {
            let mut wider = VecDeque::with_capacity(self.bins.len() / 2 + 1);
            for (bin, number) in self.bins.iter().zip(self.begin..) {
                match wider.back_mut() {
                    Some(pair) if number % 2 == 1 => B::join(pair, *bin),
                    _ => wider.push_back(*bin),
                }
            }
            self.bins = wider;
            self.begin /= 2;
            self.shift += 1;
        }
    }

    /// Returns the bins of the whole observed time, in order.
    pub(crate) fn all(&self, grid: &Grid) -> Vec<B> {
        let mut series = self.clone();
        series.widen(grid.shift);
        let mut all = vec![B::default(); grid.bins()];
        for (bin, number) in series.bins.iter().zip(series.begin..) {
            if let Some(place) = all.get_mut((number - grid.first_bin()) as usize) {
                *place = *bin;
            }
        }
        all
    }
}

impl Series<Sum> {
    /// Adds `amount` to the bin that contains `at`.
    pub(crate) fn add(&mut self, grid: &Grid, at: u64, amount: u64) {
        self.bin(grid, at).join(Sum(amount));
    }

    /// Adds a period of time, split among the bins that it overlaps.
    pub(crate) fn add_time(&mut self, grid: &Grid, begin: u64, duration: u64) {
        let end = begin.saturating_add(duration);
        let mut at = begin;
        while at < end {
            let next = ((at >> grid.shift) + 1).checked_shl(grid.shift).unwrap_or(end);
            let next = if next <= at { end } else { next.min(end) };
            self.add(grid, at, next - at);
            at = next;
        }
    }
}

impl Series<Level> {
    pub(crate) fn set(&mut self, grid: &Grid, at: u64, level: u64) {
        self.bin(grid, at).join(Level { highest: level, last: Some(level) });
    }

    /// Returns the highest level in each bin of the whole observed time.
    pub(crate) fn highest(&self, grid: &Grid) -> Vec<u64> {
        let mut held = 0;
        let mut highest = Vec::with_capacity(grid.bins());
        for bin in self.all(grid) {
            highest.push(bin.highest.max(held));
            held = bin.last.unwrap_or(held);
        }
        highest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(times: &[u64]) -> Grid {
        let mut grid = Grid::new();
        times.iter().for_each(|at| grid.cover(*at));
        grid
    }

    #[test]
    fn there_are_never_too_many_bins() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut grid = Grid::new();
        for bits in 0..64 {
            grid.cover(random.u64(..) >> (63 - bits));
            assert!(grid.bins() as u64 <= MOST_BINS, "{grid:?}");
        }
        grid.cover(0);
        grid.cover(u64::MAX);
        assert!(grid.bins() as u64 <= MOST_BINS, "{grid:?}");
        let covered = (0..grid.bins()).map(|bin| grid.covered(bin)).sum::<u64>();
        assert!(covered >= grid.duration() - 1, "{covered}");
    }

    #[test]
    fn a_time_is_shared_among_the_bins_it_spans() {
        let grid = grid(&[1_000, 5_000]);
        let mut series = Series::<Sum>::default();
        series.add_time(&grid, 1_000, 2_000);
        assert_eq!(series.all(&grid), [Sum(24), Sum(1_024), Sum(952), Sum(0), Sum(0)]);
        assert_eq!((0..grid.bins()).map(|bin| grid.covered(bin)).collect::<Vec<_>>(), [24, 1_024, 1_024, 1_024, 904]);
    }

    #[test]
    fn nothing_is_lost_when_bins_grow_in_both_directions() {
        let mut random = fastrand::Rng::with_seed(2);
        let (mut grid, mut series, mut total) = (Grid::new(), Series::<Sum>::default(), 0);
        for _ in 0..5_000 {
            let bits = random.u32(10..40);
            let (begin, duration) = (random.u64(..1 << bits), random.u64(..100_000));
            grid.cover(begin);
            grid.cover(begin + duration);
            series.add_time(&grid, begin, duration);
            total += duration;
        }
        assert_eq!(series.all(&grid).iter().map(|bin| bin.0).sum::<u64>(), total);
    }

    #[test]
    fn a_level_holds_until_it_changes() {
        let mut grid = grid(&[0, 10 << FINEST]);
        let mut series = Series::<Level>::default();
        series.set(&grid, 2 << FINEST, 7);
        series.set(&grid, (5 << FINEST) + 1, 3);
        series.set(&grid, (5 << FINEST) + 2, 1);
        assert_eq!(series.highest(&grid), [0, 0, 7, 7, 7, 7, 1, 1, 1, 1, 1]);
        grid.cover(MOST_BINS << FINEST);
        assert_eq!(series.highest(&grid)[..5], [0, 7, 7, 1, 1]);
    }

    #[test]
    fn an_endless_time_ends() {
        let grid = grid(&[0, u64::MAX]);
        let mut series = Series::<Sum>::default();
        series.add_time(&grid, 1, u64::MAX);
        assert_eq!(series.all(&grid).len() as u64, MOST_BINS);
    }
}
