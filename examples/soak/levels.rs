//! The levels at rest, after each round, which have to be flat.

use std::fmt;
use std::fs;

use wsrt::runtime::Handle;

use crate::memory;

/// The levels that are noted: name, unit, and how much the last third may be above the first.
///
/// No descriptor may be left. Four threads more are allowed for machines that were first needed
/// late: one that was started for a stuck poll stays for the keep-alive time, which is longer than
/// a short run; each has 32 kB for its part of a recording. The timers are those that were
/// cancelled and are not yet removed: up to 64 for each processor that is in play. Processors are
/// never unmade, so that there are as many as were ever in play at once, spares for stuck polls
/// included, each with some kilobytes for its counts and its queues.
const LEVELS: [(&str, &str, Allowance); 6] = [
    ("descriptors", "", Allowance { fixed: 0, percent: 0 }),
    ("threads", "", Allowance { fixed: 4, percent: 0 }),
    ("timers", "", Allowance { fixed: 1500, percent: 0 }),
    ("processors", "", Allowance { fixed: 256, percent: 0 }),
    ("allocated", " kB", Allowance { fixed: 2048, percent: 0 }),
    ("resident", " kB", Allowance { fixed: 32 << 10, percent: 25 }),
];

struct Allowance {
    fixed: u64,
    percent: u64,
}

/// One reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Levels([u64; LEVELS.len()]);

impl Levels {
    /// Reads them, those of the runtime that this is called on.
    pub(crate) fn read(runtime: &Handle) -> Self {
        let metrics = runtime.metrics().snapshot();
        let timers: usize = metrics.processors().iter().map(|processor| processor.timers_held()).sum();
        let processors = metrics.processors().len() as u64;
        Self([descriptors(), threads(), timers as u64, processors, memory::allocated(), memory::resident()])
    }
}

impl fmt::Display for Levels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, ((name, unit, _), level)) in LEVELS.iter().zip(self.0).enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{name} {level}{unit}")?;
        }
        Ok(())
    }
}

fn descriptors() -> u64 {
    // One of them is the folder that is being read.
    fs::read_dir("/proc/self/fd").map_or(0, |files| files.count() as u64 - 1)
}

fn threads() -> u64 {
    fs::read_dir("/proc/self/task").map_or(0, |threads| threads.count() as u64)
}

/// Whether a recording is under way, one that was given up too: its thread has this name.
pub(crate) fn is_recording() -> bool {
    let Ok(threads) = fs::read_dir("/proc/self/task") else { return false };
    let names = threads.flatten().filter_map(|thread| fs::read_to_string(thread.path().join("comm")).ok());
    names.into_iter().any(|name| name.trim_end() == "wsrt-timeline")
}

/// The readings of all rounds.
#[derive(Default)]
pub(crate) struct History(Vec<Levels>);

impl History {
    pub(crate) fn note(&mut self, levels: Levels) {
        self.0.push(levels);
    }

    pub(crate) fn rounds(&self) -> usize {
        self.0.len()
    }

    /// Whether there are rounds enough.
    pub(crate) fn is_comparable(&self) -> bool {
        self.thirds().is_some()
    }

    /// The levels that were higher in the last third of the rounds than in the first.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let Some((first, last)) = self.thirds() else { return Vec::new() };
        let mut complaints = Vec::new();
        for (index, (name, unit, allowance)) in LEVELS.iter().enumerate() {
            let (before, after) = (middle(first, index), middle(last, index));
            if after > before + allowance.fixed + before * allowance.percent / 100 {
                let fault = format!("{name} rose from {before}{unit} in the first third to {after}{unit} in the last");
                complaints.push(fault);
            }
        }
        complaints
    }

    /// The first third of the rounds without the very first, which warms up, and the last.
    fn thirds(&self) -> Option<(&[Levels], &[Levels])> {
        let third = self.0.len() / 3;
        (third >= 3).then(|| (&self.0[1..=third], &self.0[self.0.len() - third..]))
    }
}

/// The median of a level.
fn middle(readings: &[Levels], index: usize) -> u64 {
    let mut readings: Vec<u64> = readings.iter().map(|levels| levels.0[index]).collect();
    readings.sort_unstable();
    readings[readings.len() / 2]
}

impl fmt::Display for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((first, last)) = self.thirds() else {
            return write!(f, "too few rounds to compare their levels: {}", self.rounds());
        };
        write!(f, "at rest, the median of the first third and of the last:")?;
        for (index, (name, unit, _)) in LEVELS.iter().enumerate() {
            write!(f, "\n{name:<28} {:>12} to {:>12}{unit}", middle(first, index), middle(last, index))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(memories: impl IntoIterator<Item = u64>, descriptors: impl Fn(u64) -> u64) -> History {
        let levels =
            memories.into_iter().zip(0..).map(|(memory, round)| Levels([descriptors(round), 7, 0, 2, 300, memory]));
        History(levels.collect())
    }

    #[test]
    fn flat_levels_are_no_complaint() {
        let memories = [900, 50_000, 50_500, 51_000, 51_500, 52_000, 51_000, 90_000, 52_000];
        assert_eq!(history(memories, |_| 10).complaints(), [""; 0]);
    }

    #[test]
    fn a_descriptor_left_behind_is_a_complaint() {
        let complaints = history([1; 9], |round| 10 + round / 5).complaints();
        assert_eq!(complaints, ["descriptors rose from 10 in the first third to 11 in the last"]);
    }

    #[test]
    fn growing_memory_is_a_complaint() {
        let complaints = history((0..9).map(|round| 50_000 + 20_000 * round), |_| 10).complaints();
        assert_eq!(complaints, ["resident rose from 90000 kB in the first third to 190000 kB in the last"]);
    }
}
