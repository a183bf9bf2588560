//! The tables, in their order, with the figures of each and the demands on wsrt.

use super::request::Request;
use super::rhythm::efficiency;
use super::{ceiling, costs, fib, loops, mixed, scenarios};
use crate::Failure;
use crate::harness::{Asked, Series};
use crate::metric::Metric;

/// A table.
pub(super) struct Section {
    pub(super) name: &'static str,
    /// Its heading, and below it the meaning of its rows.
    pub(super) title: &'static str,
    pub(super) about: &'static str,
    pub(super) cases: fn() -> Vec<&'static str>,
    pub(super) subjects: &'static [&'static str],
    /// The numbers of processors to measure with; that of the command line if empty.
    pub(super) processors: &'static [usize],
    pub(super) figures: &'static [Figure],
    /// Measures one case on one subject.
    pub(super) serve: fn(&Request) -> Result<Series, Failure>,
}

/// A row of each case.
pub(super) struct Figure {
    pub(super) metric: Metric,
    pub(super) of: fn(&Series, processors: usize) -> f64,
    /// The demand on wsrt, on two processors where their number matters.
    pub(super) asked: fn(case: &str) -> Asked,
}

impl Figure {
    const fn new(name: &'static str, digits: usize, of: fn(&Series, usize) -> f64) -> Self {
        Self { metric: Metric::named(name, name).digits(digits), of, asked: |_| Asked::Nothing }
    }
}

const EFFICIENCY: Figure = Figure::new("efficiency", 3, efficiency);
const MICROS: Figure = Figure::new("µs", 0, |series, _| series.median("parallel") / 1e3);

pub(super) static ALL: [Section; 7] = [
    Section {
        name: "ceiling",
        title: "The best that can be reached",
        about: "`pinned spins`: a spin on each core at once, beside one alone: what the machine has to give. The loops: what a \
                schedule that costs nothing would reach on their tasks in their order.",
        cases: || [vec![ceiling::SPINS], loop_names()].concat(),
        subjects: &["ceiling"],
        processors: &[],
        figures: &[EFFICIENCY],
        serve: ceiling::serve,
    },
    Section {
        name: LOOPS,
        title: "Parallel loops, back to back",
        about: "Efficiency is serial time ÷ (processors × time).",
        cases: loop_names,
        subjects: loops::SUBJECTS,
        processors: &[],
        figures: &[Figure { asked: asked_of_loop, ..EFFICIENCY }, MICROS],
        serve: loops::serve_hot,
    },
    Section {
        name: "rested",
        title: "Parallel loops, each after 20 ms of rest",
        about: "The other threads sleep when the loop begins. libgomp's do not for the first milliseconds, and burn their core.",
        cases: loop_names,
        subjects: loops::SUBJECTS,
        processors: &[],
        figures: &[EFFICIENCY, MICROS],
        serve: loops::serve_rested,
    },
    Section {
        name: "scenarios",
        title: "Four kinds of work",
        about: "`tree`: divide and conquer, unbalanced, 4,096 leaves of 0.5 µs. `graph`: a traversal of 2,048 nodes that cost as \
                the Zipf loop's tasks. `uniform`: 2,048 tasks of 1 µs. `single`: one task of 2 ms.",
        cases: || scenarios::CASES.to_vec(),
        subjects: scenarios::SUBJECTS,
        processors: &[],
        figures: &[EFFICIENCY, MICROS],
        serve: scenarios::serve,
    },
    Section {
        name: "join",
        title: "The cost of a join",
        about: "Each call of `fib` above 1 joins two others; no cut-off. Time ÷ calls (57,313).",
        cases: || vec![fib::CASE],
        subjects: fib::SUBJECTS,
        processors: &[1, 2],
        figures: &[Figure {
            asked: |_| Asked::AtMostThatOf("rayon"),
            ..Figure::new("ns a call", 2, |series, _| series.median("parallel") / fib::CALLS)
        }],
        serve: fib::serve,
    },
    Section {
        name: "echo",
        title: "An echo server beside an endless parallel loop on the same cores",
        about: "16 connections, 1,000 requests a second each at fixed times; the wait counts from the time a request was due. \
                The loop's indices cost 2 µs.",
        cases: || vec!["64 bytes"],
        subjects: mixed::SUBJECTS,
        processors: &[],
        figures: &[
            Figure::new("alone: p50, µs", 0, |series, _| series.median("alone_p50")),
            Figure::new("alone: p99, µs", 0, |series, _| series.median("alone_p99")),
            Figure::new("alone: p99.9, µs", 0, |series, _| series.median("alone_p99.9")),
            Figure::new("beside the loop: p50, µs", 0, |series, _| series.median("beside_p50")),
            Figure::new("beside the loop: p99, µs", 0, |series, _| series.median("beside_p99")),
            Figure::new("beside the loop: p99.9, µs", 0, |series, _| series.median("beside_p99.9")),
            Figure {
                asked: |_| Asked::AtMost(2.0),
                ..Figure::new("p99 beside : alone", 2, |series, _| {
                    series.median("beside_p99") / series.median("alone_p99")
                })
            },
        ],
        serve: mixed::echo::serve,
    },
    Section {
        name: "crowd",
        title: "A parallel loop beside 1,000 busy tasks",
        about: "Progress beside the other as a share of that alone: 0.5 is fair. Tasks spin 5 µs and yield; indices cost 2 µs.",
        cases: || vec!["1,000 tasks"],
        subjects: mixed::SUBJECTS,
        processors: &[],
        figures: &[
            share("the loop's share", |series, _| series.median("loop")),
            share("the tasks' share", |series, _| series.median("tasks")),
        ],
        serve: mixed::crowd::serve,
    },
];

/// The section that is plotted.
pub(super) const LOOPS: &str = "loops";

/// Finds a section by its name.
pub(super) fn find(name: &str) -> Result<&'static Section, Failure> {
    ALL.iter().find(|section| section.name == name).ok_or_else(|| {
        let names: Vec<_> = ALL.iter().map(|section| section.name).collect();
        format!("no section {name:?}; there are {}", names.join(", ")).into()
    })
}

fn loop_names() -> Vec<&'static str> {
    costs::ALL.iter().map(|known| known.name).collect()
}

fn asked_of_loop(case: &str) -> Asked {
    let found = costs::ALL.iter().find(|known| known.name == case);
    found.map_or(Asked::Nothing, |known| Asked::AtLeast(known.asked))
}

const fn share(name: &'static str, of: fn(&Series, usize) -> f64) -> Figure {
    Figure { asked: |_| Asked::AtLeast(0.5), ..Figure::new(name, 2, of) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_section_is_answered_with_the_names_there_are() {
        let message = find("knots").err().unwrap().to_string();
        assert!(message.contains("knots") && message.contains("loops, rested"), "{message}");
    }

    #[test]
    fn every_loop_has_its_demand() {
        assert!(loop_names().into_iter().all(|name| asked_of_loop(name) != Asked::Nothing));
    }
}
