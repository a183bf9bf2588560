//! The work of each processor, and how busy it was over time.

use wsrt_trace::TaskSource;
use wsrt_trace::decode::{Annotations, Slice};

use super::grid::{Grid, Level, Series, Sum};

/// A processor.
#[derive(Debug, Default)]
pub(crate) struct Processor {
    pub(crate) polls: u64,
    /// Nanoseconds in polls, by where their tasks were found, in the order of [`TaskSource::ALL`].
    pub(crate) busy_by_source: [u64; TaskSource::ALL.len()],
    pub(crate) busy: Series<Sum>,
    pub(crate) stalls: Series<Sum>,
    pub(crate) overflows: Series<Sum>,
    pub(crate) overflow_count: u64,
    pub(crate) stall_count: u64,
    /// Tasks that it took from others.
    pub(crate) stolen: u64,
    /// Tasks that waited on it.
    pub(crate) queue: Series<Level>,
    pub(crate) longest_queue: u64,
    /// Nanoseconds in which a thread held it, where the trace says so.
    pub(crate) held: u64,
}

impl Processor {
    /// Nanoseconds in polls.
    pub(crate) fn busy_time(&self) -> u64 {
        self.busy_by_source.iter().sum()
    }

    fn is_used(&self) -> bool {
        self.polls > 0 || self.held > 0 || self.stolen > 0 || self.longest_queue > 0
    }
}

/// All processors, spares included, by index.
#[derive(Debug, Default)]
pub(crate) struct Processors {
    all: Vec<Processor>,
}

impl Processors {
    /// The processor with this index; a track's number is its limit.
    pub(crate) fn at(&mut self, index: u32) -> &mut Processor {
        let index = index as usize;
        if index >= self.all.len() {
            self.all.resize_with(index + 1, Processor::default);
        }
        &mut self.all[index]
    }

    pub(crate) fn poll(&mut self, grid: &Grid, index: u32, slice: &Slice) {
        let processor = self.at(index);
        processor.polls += 1;
        processor.busy_by_source[source_of(&slice.annotations) as usize] += slice.own;
        // A poll within a poll is part of the outer one's time.
        if slice.depth == 0 {
            processor.busy.add_time(grid, slice.begin, slice.duration);
        }
    }

    pub(crate) fn queue(&mut self, grid: &Grid, index: u32, at: u64, length: u64) {
        let processor = self.at(index);
        processor.queue.set(grid, at, length);
        processor.longest_queue = processor.longest_queue.max(length);
    }

    /// The processors that did anything, with their indices.
    pub(crate) fn used(&self) -> impl Iterator<Item = (usize, &Processor)> {
        self.all.iter().enumerate().filter(|(_, processor)| processor.is_used())
    }
}

/// Where a poll's task was found.
pub(crate) fn source_of(annotations: &Annotations) -> TaskSource {
    annotations.source.unwrap_or(TaskSource::Unknown)
}
