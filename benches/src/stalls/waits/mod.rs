//! How long things wait that become ready behind a stuck poll: the distribution over many stalls at
//! random moments.
//!
//! [`situation`] is what is measured, [`moments`] draws when, and [`stall`] does it, in the process
//! that [`request`] describes.

use std::path::Path;
use std::time::Duration;

use crate::harness::{Arguments, Case, Job, Line, Report, Series, align};
use crate::metric::Metric;
use crate::runtimes::SUBJECT;
use crate::{Failure, machine};

mod moments;
mod options;
mod request;
mod situation;
mod stall;

pub(super) use options::help;
pub(super) use request::{ROLE, role};

use moments::QUIET;
use options::Options;
use request::Request;
use situation::Situation;
use stall::LIMIT;

/// Milliseconds from the moment when a thing was ready until its task ran.
const WAITED: Metric = Metric::named("ms_waited", "ms");
/// Milliseconds for which the runtime had been at rest before the stall.
const RESTED: Metric = Metric::named("ms_rested", "ms");

const RIVAL: &str = "tokio";
/// The workers with which the rival is measured: with one it has no thread beside the stuck one.
const RIVAL_WORKERS: usize = 2;

/// Reads the options behind `--waits`.
pub(super) fn job(arguments: &mut Arguments) -> Result<Job, Failure> {
    let options = Options::take(arguments)?;
    Ok(Box::new(move || run(&options)))
}

/// Measures everything, prints the table and saves it.
fn run(options: &Options) -> Result<(), Failure> {
    let program = std::env::current_exe()?;
    let cases: Vec<_> = options.situations.iter().map(|&situation| case(situation, options, &program)).collect();
    let mut report = Report::new("Waits behind stuck polls", Vec::new());
    report.facts = machine::describe(&["wsrt", RIVAL]);
    let fact = format!("seed {}; a stall ends when its thing has run, or after a wait of {LIMIT:?}", options.seed);
    report.facts.push(fact);
    options.settings.measure(&cases, &mut report);
    let mut rows = vec![HEADINGS.map(str::to_owned).to_vec()];
    for situation in &options.situations {
        for runtime in subjects(*situation, options) {
            let [rests, waits] = [RESTED, WAITED].map(|metric| report.figures(&line(*situation), metric, &runtime));
            rows.push(row(*situation, &runtime, &rests, &waits));
        }
    }
    report.notes = format!("\n{}", align(&rows));
    options.settings.finish(&report, "waits", None)
}

fn case<'a>(situation: Situation, options: &'a Options, program: &'a Path) -> Case<'a> {
    let measure = move |runtime: &str| {
        eprintln!("{situation} on {runtime}");
        let stalls = if runtime == SUBJECT { options.stalls } else { options.rival_stalls };
        Request { runtime: runtime.to_owned(), situation, stalls, seed: options.seed }.measure(program)
    };
    Case { line: line(situation), subjects: subjects(situation, options), last: None, measure: Box::new(measure) }
}

fn line(situation: Situation) -> Line {
    Line::new(&situation.what(), situation.workers)
}

fn subjects(situation: Situation, options: &Options) -> Vec<String> {
    let with_rival = situation.workers == RIVAL_WORKERS && options.rival_stalls > 0;
    let subjects = if with_rival { &[SUBJECT, RIVAL][..] } else { &[SUBJECT] };
    subjects.iter().map(|&name| name.to_owned()).collect()
}

const HEADINGS: [&str; 11] = [
    "stall/what waits/workers",
    "runtime",
    "stalls",
    "median, ms",
    "99 %",
    "99.9 %",
    "longest",
    "over 2 ms",
    "over 10 ms",
    "to the limit",
    "after a quiet second: median",
];

/// Writes a row of the table from the rests and waits in milliseconds.
fn row(situation: Situation, runtime: &str, rests: &[f64], waits: &[f64]) -> Vec<String> {
    let after_quiet = rests.iter().zip(waits).filter(|&(&rest, _)| rest >= millis(QUIET.start)).map(|(_, &wait)| wait);
    let mut series = Series::default();
    series.add("all", waits.iter().copied());
    series.add("after quiet", after_quiet);
    let at = |name, share| Some(series.quantile(name, share)).filter(|figure| !figure.is_nan());
    let at = |name, share| at(name, share).map_or_else(|| "–".to_owned(), |figure| format!("{figure:.2}"));
    let count = |is_counted: &dyn Fn(f64) -> bool| waits.iter().filter(|&&wait| is_counted(wait)).count().to_string();
    let mut cells = vec![situation.to_string(), runtime.to_owned(), waits.len().to_string()];
    cells.extend([0.5, 0.99, 0.999, 1.0].map(|share| at("all", share)));
    cells.extend([2.0, 10.0].map(|limit| count(&|wait| wait > limit)));
    cells.extend([count(&|wait| wait >= millis(LIMIT)), at("after quiet", 0.5)]);
    cells
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_the_distribution_and_counts_long_waits() {
        let situation = Situation::find("sleeps/timer/2").unwrap();
        let (rests, waits) = ([0.1, 1_000.0, 999.0, 10.0, 1_400.0], [40.0, 1.0, 2.0, 2.5, 11.0]);
        let cells = row(situation, "wsrt", &rests, &waits);
        assert_eq!(cells, ["sleeps/timer/2", "wsrt", "5", "2.50", "38.84", "39.88", "40.00", "3", "2", "1", "6.00"]);
    }

    #[test]
    fn a_row_without_waits_has_no_figures() {
        let cells = row(Situation::find("computes/socket/1").unwrap(), "wsrt", &[], &[]);
        assert_eq!(cells[2..], ["0", "–", "–", "–", "–", "0", "0", "0", "–"]);
    }

    #[test]
    fn tokio_is_measured_with_two_workers_if_at_all() {
        let take = |line: &str| Options::take(&mut Arguments::of(line)).unwrap();
        let on = |name: &str, options: &Options| subjects(Situation::find(name).unwrap(), options);
        assert_eq!(on("sleeps/timer/2", &take("")), [SUBJECT, RIVAL]);
        assert_eq!(on("sleeps/timer/1", &take("")), [SUBJECT]);
        assert_eq!(on("sleeps/timer/2", &take("--tokio-stalls 0")), [SUBJECT]);
    }
}
