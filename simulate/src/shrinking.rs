//! Finds the smallest fault plan with which a seed still fails in the same way.
//!
//! Delta debugging removes faults: first in halves, then in ever smaller parts, until every
//! remaining fault is needed. The remaining faults are then made shorter and milder, and their
//! moments rounder.

use std::thread;
use std::time::Duration;

use crate::cli::{Refusal, Wishes};
use crate::plan::{self, Line};
use crate::process::{Program, Seeds};

const MILLI: u64 = 1_000_000;
/// The precisions to which moments and durations are rounded, in descending order.
const ROUND: [u64; 4] = [1_000 * MILLI, 100 * MILLI, 10 * MILLI, MILLI];

/// The smallest failing seed, with its shrunk plan.
#[derive(Debug)]
pub(crate) struct Smallest {
    pub(crate) seed: u64,
    pub(crate) why: String,
    /// The faults of the seed's run, if the run reported them and fails again with them.
    pub(crate) plan: Option<Vec<Line>>,
    /// The faults that are enough to make the seed fail.
    pub(crate) shrunk: Vec<Line>,
    /// The number of runs that shrinking took.
    pub(crate) runs: usize,
    /// True if the seed fails every time.
    pub(crate) is_repeated: bool,
}

/// Runs a failing seed again, and shrinks the seed's plan.
pub(crate) fn smallest(program: &Program<'_>, wishes: &Wishes, seed: u64) -> Result<Smallest, Refusal> {
    let outcome = program.run(&Seeds::One(seed), None)?;
    let why = outcome.why(seed);
    let mut smallest =
        Smallest { seed, why: why.clone(), plan: None, shrunk: Vec::new(), runs: 0, is_repeated: !outcome.is_well };
    let Some(failure) = outcome.report.failure_of(seed).filter(|_| !outcome.is_well) else { return Ok(smallest) };
    let lines = plan::lines(&failure.plan);
    let fails = |lines: &[Line]| {
        let outcome = program.run(&Seeds::One(seed), Some(&plan::text(lines)))?;
        Ok(!outcome.is_well && kind(&outcome.why(seed)) == kind(&why))
    };
    if !fails(&lines)? {
        return Ok(smallest);
    }
    let mut search = Search { fails, jobs: wishes.jobs, left: wishes.most_shrinks };
    smallest.shrunk = search.shrink(lines.clone())?;
    smallest.runs = wishes.most_shrinks - search.left;
    smallest.plan = Some(lines);
    Ok(smallest)
}

/// Returns the description of a failure without its numbers, because the same failure may happen at
/// a different step.
fn kind(why: &str) -> String {
    let mut kind = String::new();
    for letter in why.chars() {
        match letter.is_ascii_digit() {
            true if kind.ends_with('0') => {}
            true => kind.push('0'),
            false => kind.push(letter),
        }
    }
    kind
}

struct Search<F> {
    fails: F,
    jobs: usize,
    /// The number of runs that may still be made.
    left: usize,
}

impl<F: Fn(&[Line]) -> Result<bool, Refusal> + Sync> Search<F> {
    fn shrink(&mut self, lines: Vec<Line>) -> Result<Vec<Line>, Refusal> {
        let fewest = self.leave_out(lines)?;
        let simple = self.simplify(fewest.clone())?;
        if simple == fewest { Ok(simple) } else { self.leave_out(simple) }
    }

    /// Returns the first candidate, in order, that still fails. Several candidates run at the same
    /// time.
    fn first(&mut self, candidates: Vec<Vec<Line>>) -> Result<Option<Vec<Line>>, Refusal> {
        let count = self.left.min(candidates.len());
        let mut candidates = candidates.into_iter().take(count);
        loop {
            let some: Vec<Vec<Line>> = candidates.by_ref().take(self.jobs).collect();
            if some.is_empty() {
                return Ok(None);
            }
            self.left -= some.len();
            let fails = &self.fails;
            let results: Vec<Result<bool, Refusal>> = thread::scope(|scope| {
                let threads: Vec<_> = some.iter().map(|lines| scope.spawn(|| fails(lines))).collect();
                threads.into_iter().map(|thread| thread.join().expect("it does not panic")).collect()
            });
            for (lines, result) in some.into_iter().zip(results) {
                if result? {
                    return Ok(Some(lines));
                }
            }
        }
    }

    /// Removes all faults that are not needed for the failure.
    fn leave_out(&mut self, mut lines: Vec<Line>) -> Result<Vec<Line>, Refusal> {
        if let Some(none) = self.first(vec![Vec::new()])?.filter(|_| !lines.is_empty()) {
            return Ok(none);
        }
        let mut parts = 2;
        while lines.len() > 1 {
            let size = lines.len().div_ceil(parts);
            let without = |start: usize| {
                let end = lines.len().min(start + size);
                [&lines[..start], &lines[end..]].concat()
            };
            let candidates = (0..lines.len()).step_by(size).map(without).collect();
            match self.first(candidates)? {
                Some(fewer) => {
                    lines = fewer;
                    parts = (parts - 1).max(2);
                }
                None if size == 1 => break,
                None => parts = (parts * 2).min(lines.len()),
            }
        }
        Ok(lines)
    }

    /// Makes each fault as short and as mild as possible, and its moment as round as possible.
    fn simplify(&mut self, mut lines: Vec<Line>) -> Result<Vec<Line>, Refusal> {
        for index in 0..lines.len() {
            let line = lines[index].clone();
            let shorter = shorter(line.lasting).map(|lasting| Line { lasting: Some(lasting), ..line.clone() });
            lines = self.replace(lines, index, shorter.collect())?;
            let line = lines[index].clone();
            let milder =
                line.by.iter().flat_map(|by| milder(&line.what, by)).map(|by| Line { by: Some(by), ..line.clone() });
            lines = self.replace(lines, index, milder.collect())?;
            let line = lines[index].clone();
            let rounder = rounder(line.at).map(|at| Line { at: Some(at), ..line.clone() });
            lines = self.replace(lines, index, rounder.collect())?;
        }
        Ok(lines)
    }

    /// Replaces a line with the first candidate that still fails.
    fn replace(&mut self, lines: Vec<Line>, index: usize, candidates: Vec<Line>) -> Result<Vec<Line>, Refusal> {
        let with = |line: Line| {
            let mut lines = lines.clone();
            lines[index] = line;
            lines
        };
        let found = self.first(candidates.into_iter().map(with).collect())?;
        Ok(found.unwrap_or(lines))
    }
}

/// Returns shorter durations in ascending order, followed by the next round duration above.
fn shorter(lasting: Option<u64>) -> impl Iterator<Item = u64> {
    let nanos = lasting.unwrap_or(0);
    let short = ROUND.into_iter().rev().filter(move |&round| round < nanos);
    let half = (nanos / 2 / MILLI * MILLI).max(1);
    let round = ROUND.map(|round| nanos.div_ceil(round) * round).into_iter().find(move |&up| up <= nanos + nanos / 4);
    let all: Vec<u64> = short.chain([half]).chain(round).filter(|&other| nanos > 0 && other != nanos).collect();
    all.into_iter()
}

/// Returns smaller amounts for this fault, in ascending order. Amounts are times, failure rates,
/// factors or drifts.
fn milder(what: &str, by: &str) -> Vec<String> {
    if let Some(nanos) = plan::nanos(by) {
        return shorter(Some(nanos)).map(|nanos| format!("{:?}", Duration::from_nanos(nanos))).collect();
    }
    if what.starts_with("disk failing ") {
        let share: f64 = by.parse().unwrap_or(0.0);
        let less = [0.0001, 0.001, 0.01, 0.1, 0.5].into_iter().filter(|&less| less < share);
        return less.map(|less| less.to_string()).collect();
    }
    let Ok(whole) = by.parse::<i64>() else { return Vec::new() };
    let size = whole.unsigned_abs();
    let powers = (0..19).map(|power| 10_u64.pow(power).max(2)).take_while(|&power| power < size);
    let mut sizes: Vec<u64> = powers.chain([size / 2]).filter(|&other| other > 0).collect();
    sizes.sort_unstable();
    let sign = if whole < 0 { "-" } else { "" };
    sizes.into_iter().map(|other| format!("{sign}{other}")).collect()
}

/// Returns rounder moments before this one, with the roundest first.
fn rounder(at: Option<u64>) -> impl Iterator<Item = u64> {
    let nanos = at.unwrap_or(0);
    let mut rounded: Vec<u64> =
        ROUND.into_iter().map(|round| nanos / round * round).filter(|&at| at != nanos).collect();
    rounded.dedup();
    rounded.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shrinks a plan of 64 faults. Returns what is left, and the count of runs.
    fn shrunk(fails: impl Fn(&[Line]) -> bool + Sync) -> (String, usize) {
        let text: Vec<String> = (0..64).map(|n| format!("at {}ms crash h{n} for 777ms", 1_234 + 10 * n)).collect();
        let mut search = Search { fails: |lines: &[Line]| Ok(fails(lines)), jobs: 3, left: 1_000 };
        let lines = search.shrink(plan::lines(&text.join("\n"))).expect("no run is refused");
        (plan::text(&lines), 1_000 - search.left)
    }

    fn has(lines: &[Line], what: &str) -> bool {
        lines.iter().any(|line| line.to_string().contains(what))
    }

    #[test]
    fn two_faults_of_many_are_found() {
        let (text, runs) = shrunk(|lines| has(lines, "crash h17 ") && has(lines, "crash h50 "));
        assert_eq!(text, "at 1s crash h17 for 1ms\nat 1s crash h50 for 1ms");
        assert!(runs < 120, "{runs}");
    }

    #[test]
    fn moments_and_durations_stay_where_they_matter() {
        let fails =
            |lines: &[Line]| lines.iter().any(|line| line.at > Some(1_400 * MILLI) && line.lasting > Some(300 * MILLI));
        let (text, _) = shrunk(fails);
        assert!(text.ends_with(" for 388ms") && text.lines().count() == 1, "{text}");
        let line = &plan::lines(&text)[0];
        assert!(fails(std::slice::from_ref(line)) && line.at.is_some_and(|at| at % (10 * MILLI) == 0), "{text}");
    }

    #[test]
    fn faults_are_as_mild_as_suffices() {
        let mut search = Search { fails: |lines: &[Line]| Ok(lines.len() == 4), jobs: 2, left: 1_000 };
        let text = "at 1s slow a b by 33\nat 1s clock drift a by -70123\nat 1s clock ahead a by 5.903328s\n\
                    at 1s disk failing a by 0.437245";
        let lines = search.shrink(plan::lines(text)).expect("no run is refused");
        let mild = "at 1s slow a b by 2\nat 1s clock drift a by -2\nat 1s clock ahead a by 1ms\n\
                    at 1s disk failing a by 0.0001";
        assert_eq!(plan::text(&lines), mild);

        let fails = |lines: &[Line]| {
            let drift: Option<i64> = lines.first().and_then(|line| line.by.as_ref()?.parse().ok());
            Ok(drift.is_some_and(|drift| drift < -800))
        };
        let mut search = Search { fails, jobs: 2, left: 1_000 };
        let lines = search.shrink(plan::lines("at 1s clock drift a by -70123")).expect("no run is refused");
        assert_eq!(plan::text(&lines), "at 1s clock drift a by -1000");
    }

    #[test]
    fn no_amount_becomes_greater() {
        let of = |what, by| milder(what, by).join(" ");
        assert_eq!(of("disk failing a", "0.05"), "0.0001 0.001 0.01");
        assert_eq!(of("disk failing a", "0.004"), "0.0001 0.001");
        assert_eq!(of("disk failing a", "1"), "0.0001 0.001 0.01 0.1 0.5");
        assert_eq!(of("slow a b", "15"), "2 7 10");
        assert_eq!(of("slow a b", "1"), "");
        assert_eq!(of("clock drift a", "-15"), "-2 -7 -10");
    }

    #[test]
    fn a_failure_without_faults_leaves_no_fault() {
        assert_eq!(shrunk(|_| true), ("nothing".to_owned(), 1));
    }

    #[test]
    fn no_more_runs_are_made_than_allowed() {
        let mut search = Search { fails: |_: &[Line]| Ok(false), jobs: 2, left: 7 };
        let lines = plan::lines(&vec!["at 1.5s crash a"; 40].join("\n"));
        assert_eq!(search.shrink(lines.clone()), Ok(lines));
        assert_eq!(search.left, 0);
    }

    #[test]
    fn a_failure_is_known_by_its_words() {
        assert_eq!(kind("step 17 of 3"), kind("step 9 of 1234"));
        assert_ne!(kind("step 17"), kind("stop 17"));
    }
}
