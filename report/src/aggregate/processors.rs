//! The work of each processor, and how busy the processor was over time.

use wsrt_trace::decode::{Annotations, TrackSlice};
use wsrt_trace::{TaskSource, names};

use super::grid::{Grid, Level, Series, Sum};

/// The work of one processor.
#[derive(Debug, Default)]
pub(crate) struct Processor {
    /// True if the trace says that the processor is a spare. Old traces do not say so.
    pub(crate) is_spare: bool,
    pub(crate) polls: u64,
    /// Nanoseconds spent in polls, by the place where the tasks were found, in the order of
    /// [`TaskSource::ALL`].
    pub(crate) busy_by_source: [u64; TaskSource::ALL.len()],
    pub(crate) busy: Series<Sum>,
    pub(crate) stalls: Series<Sum>,
    pub(crate) overflows: Series<Sum>,
    pub(crate) overflow_count: u64,
    pub(crate) stall_count: u64,
    /// The number of tasks that the processor stole from other processors.
    pub(crate) stolen: u64,
    /// The number of tasks queued on the processor, over time.
    pub(crate) queue: Series<Level>,
    pub(crate) longest_queue: u64,
    /// The time during which a thread held the processor, in nanoseconds, as far as the trace shows
    /// it.
    pub(crate) held: u64,
}

impl Processor {
    /// Returns the total time that the processor spent in polls, in nanoseconds.
    pub(crate) fn busy_time(&self) -> u64 {
        self.busy_by_source.iter().sum()
    }

    /// Returns the name of the processor, whose index is this.
    pub(crate) fn name(&self, index: usize) -> String {
        if self.is_spare { names::spare_processor(index) } else { names::processor(index) }
    }

    fn is_used(&self) -> bool {
        self.polls > 0 || self.held > 0 || self.stolen > 0 || self.longest_queue > 0
    }
}

/// All processors by index, including spare processors.
#[derive(Debug, Default)]
pub(crate) struct Processors {
    all: Vec<Processor>,
}

impl Processors {
    /// Returns the processor with this index. The possible track numbers limit the index.
    pub(crate) fn at(&mut self, index: u32) -> &mut Processor {
        let index = index as usize;
        if index >= self.all.len() {
            self.all.resize_with(index + 1, Processor::default);
        }
        &mut self.all[index]
    }

    pub(crate) fn poll(&mut self, grid: &Grid, index: u32, slice: &TrackSlice) {
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

    /// Returns the processors that did any work and are no spares, with their indices.
    pub(crate) fn workers(&self) -> impl Iterator<Item = (usize, &Processor)> {
        self.used().filter(|(_, processor)| !processor.is_spare)
    }

    /// Returns how many processors did any work and are no spares, and how long they were busy.
    pub(crate) fn busy_workers(&self) -> (u64, u64) {
        self.workers().fold((0, 0), |(count, busy), (_, processor)| (count + 1, busy + processor.busy_time()))
    }

    /// Returns the processors that did any work, with their indices.
    pub(crate) fn used(&self) -> impl Iterator<Item = (usize, &Processor)> {
        self.all.iter().enumerate().filter(|(_, processor)| processor.is_used())
    }
}

/// Returns where the scheduler found the task of a poll.
pub(crate) fn source_of(annotations: &Annotations) -> TaskSource {
    annotations.source.unwrap_or(TaskSource::Unknown)
}
