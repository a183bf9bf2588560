//! The table for readers and the samples for programs.

use crate::child::BARE;
use crate::measure::Summary;
use crate::metric::{Measurement, Metric};
use crate::runtimes::SUBJECT;

/// One figure and where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The case's label.
    pub case: String,
    /// The runtime's name, or [`BARE`].
    pub runtime: String,
    /// In which repeat, from 0.
    pub repeat: u32,
    /// The figure.
    pub measurement: Measurement,
}

/// A case as the report knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The case's label.
    pub label: String,
    /// What its workload does.
    pub summary: &'static str,
    /// The worker threads of each runtime.
    pub workers: usize,
}

/// All figures of a comparison.
#[derive(Clone, Debug)]
pub struct Report {
    runtimes: Vec<String>,
    /// The cases, in the table's order.
    cases: Vec<Line>,
    samples: Vec<Sample>,
    failed: Vec<Failed>,
}

#[derive(Clone, Debug)]
struct Failed {
    case: String,
    runtime: String,
    why: String,
}

/// What stands where there is no figure.
const NONE: &str = "–";

impl Report {
    /// Makes an empty report on `cases`, with a column for each of `runtimes`.
    pub fn new(runtimes: Vec<String>, cases: Vec<Line>) -> Self {
        Self { runtimes, cases, samples: Vec::new(), failed: Vec::new() }
    }

    /// Takes the figures of one run.
    pub fn add(&mut self, samples: Vec<Sample>) {
        self.samples.extend(samples);
    }

    /// Notes that `case` cannot be measured on `runtime`.
    pub fn fail(&mut self, case: &str, runtime: &str, why: &str) {
        self.failed.push(Failed { case: case.to_owned(), runtime: runtime.to_owned(), why: why.to_owned() });
    }

    /// Answers whether [`fail`](Self::fail) was called for these.
    pub fn has_failed(&self, case: &str, runtime: &str) -> bool {
        self.failed.iter().any(|failed| failed.case == case && failed.runtime == runtime)
    }

    /// Answers how many pairs of case and runtime failed.
    pub fn failures(&self) -> usize {
        self.failed.len()
    }

    /// Writes the samples, one a line, under a line with the names of the columns.
    pub fn csv(&self) -> String {
        let mut text = String::from("workload,metric,runtime,workers,repeat,value\n");
        for sample in &self.samples {
            let Measurement { metric, value } = sample.measurement;
            let case = self.cases.iter().find(|case| case.label == sample.case);
            let workers = case.expect("samples are of the report's cases").workers;
            let line =
                format!("{},{},{},{workers},{},{value}\n", sample.case, metric.key(), sample.runtime, sample.repeat);
            text.push_str(&line);
        }
        text
    }

    /// Writes the table, with `facts` above it and what its rows mean below.
    pub fn markdown(&self, facts: &[String]) -> String {
        let mut text = String::from("# wsrt and its rivals\n\n");
        text.extend(facts.iter().map(|fact| format!("- {fact}\n")));
        text.push('\n');
        text.push_str(&align(&self.rows()));
        text.push_str(NOTES);
        for case in &self.cases {
            text.push_str(&format!("- `{}`: {}\n", case.label, case.summary));
        }
        for failed in &self.failed {
            text.push_str(&format!("\n**FAILED**: {} on {}: {}\n", failed.case, failed.runtime, failed.why));
        }
        text
    }

    /// The table's rows, headings first.
    fn rows(&self) -> Vec<Vec<String>> {
        let mut headings = vec!["workload".to_owned(), "unit".to_owned()];
        headings.extend(self.runtimes.iter().cloned());
        headings.extend([format!("{SUBJECT} : best"), format!("{SUBJECT} : tokio"), BARE.to_owned()]);

        let mut rows = vec![headings];
        rows.extend(self.lines().iter().map(|(case, metric)| self.row(case, *metric)));
        rows
    }

    /// Answers the case and the metric of each row, in the table's order.
    pub(crate) fn lines(&self) -> Vec<(String, Metric)> {
        let of_case = |case: &Line| {
            let label = case.label.clone();
            self.metrics(&case.label).into_iter().map(move |metric| (label.clone(), metric))
        };
        self.cases.iter().flat_map(of_case).collect()
    }

    /// Answers the runtimes, in the table's order.
    pub(crate) fn runtimes(&self) -> &[String] {
        &self.runtimes
    }

    /// The metrics of a case, in the order of their declaration; where everything failed the row says so in the first.
    pub(crate) fn metrics(&self, case: &str) -> Vec<Metric> {
        let samples = self.samples.iter().filter(|sample| sample.case == case);
        let mut metrics: Vec<_> = samples.map(|sample| sample.measurement.metric).collect();
        metrics.sort_unstable();
        metrics.dedup();
        if metrics.is_empty() {
            metrics.push(Metric::NanosecondsPerOperation);
        }
        metrics
    }

    fn row(&self, case: &str, metric: Metric) -> Vec<String> {
        let mut row = vec![case.to_owned(), metric.unit().to_owned()];
        row.extend(self.runtimes.iter().map(|runtime| self.cell(case, metric, runtime)));
        row.push(ratio(self.ratio_to_best(case, metric)));
        row.push(ratio(self.ratio_to(case, metric, "tokio")));
        row.push(self.cell(case, metric, BARE));
        row
    }

    fn cell(&self, case: &str, metric: Metric, runtime: &str) -> String {
        if self.has_failed(case, runtime) {
            return "**FAILED**".to_owned();
        }
        match self.summary(case, metric, runtime) {
            None => NONE.to_owned(),
            Some(summary) => format!(
                "{} ({}–{})",
                figure(summary.median),
                figure(summary.low_quartile),
                figure(summary.high_quartile)
            ),
        }
    }

    /// Answers what remains of the figures of `case` on `runtime`; `None` if there are none.
    pub(crate) fn summary(&self, case: &str, metric: Metric, runtime: &str) -> Option<Summary> {
        let of_these =
            |sample: &&Sample| sample.case == case && sample.runtime == runtime && sample.measurement.metric == metric;
        let samples = self.samples.iter().filter(of_these);
        let figures: Vec<_> = samples.map(|sample| sample.measurement.value).collect();
        Summary::of(&figures)
    }

    /// How dear wsrt is beside `rival`, by their medians. None if either failed: half a run is no figure.
    fn ratio_to(&self, case: &str, metric: Metric, rival: &str) -> Option<f64> {
        if self.has_failed(case, SUBJECT) || self.has_failed(case, rival) {
            return None;
        }
        let ours = self.summary(case, metric, SUBJECT)?;
        let theirs = self.summary(case, metric, rival)?;
        metric.cost_ratio(ours.median, theirs.median)
    }

    /// Answers the median of the best of the others.
    pub(crate) fn best_rival(&self, case: &str, metric: Metric) -> Option<f64> {
        let rivals = self.runtimes.iter().filter(|runtime| *runtime != SUBJECT && !self.has_failed(case, runtime));
        let medians = rivals.filter_map(|rival| self.summary(case, metric, rival).map(|summary| summary.median));
        medians.reduce(|best, other| match metric.cost_ratio(other, best) {
            Some(ratio) if ratio < 1.0 => other,
            _ => best,
        })
    }

    /// How dear wsrt is beside the best of the others: the greatest ratio to any of them.
    fn ratio_to_best(&self, case: &str, metric: Metric) -> Option<f64> {
        let rivals = self.runtimes.iter().filter(|runtime| *runtime != SUBJECT);
        rivals.filter_map(|rival| self.ratio_to(case, metric, rival)).max_by(f64::total_cmp)
    }
}

const NOTES: &str = "
Medians, and in brackets the quartiles, over the repeats. Lower is better but for ↑. The ratios compare cost by the medians:
below 1.00 wsrt is better, also where higher figures are better. `bare` is the same without a runtime, as far as there is such a
thing: futures polled by turns on one thread with wakers that do nothing, or an epoll loop on each of as many threads.

";

fn ratio(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| NONE.to_owned(), |ratio| format!("{ratio:.2}"))
}

/// Writes a figure with about three digits that matter.
pub(crate) fn figure(value: f64) -> String {
    match value.abs() {
        small if small < 10.0 => format!("{value:.2}"),
        medium if medium < 100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// Writes rows as a Markdown table whose columns also line up in a terminal: names to the left, figures to the right.
pub(crate) fn align(rows: &[Vec<String>]) -> String {
    const NAMES: usize = 2;
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<_> = (0..columns).map(width).collect();

    let mut text = String::new();
    for (number, row) in rows.iter().enumerate() {
        for (column, cell) in row.iter().enumerate() {
            let width = widths[column];
            let padded = if column < NAMES { format!("| {cell:<width$} ") } else { format!("| {cell:>width$} ") };
            text.push_str(&padded);
        }
        text.push_str("|\n");
        if number == 0 {
            text.push_str(&rule(&widths, NAMES));
        }
    }
    text
}

fn rule(widths: &[usize], names: usize) -> String {
    let dashes = |(column, width): (usize, &usize)| {
        let dashes = "-".repeat(width + 1);
        if column < names { format!("|{dashes}-") } else { format!("|{dashes}:") }
    };
    let mut rule: String = widths.iter().enumerate().map(dashes).collect();
    rule.push_str("|\n");
    rule
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(case: &str, runtime: &str, metric: Metric, values: &[f64]) -> Vec<Sample> {
        let sample = |(repeat, &value): (usize, &f64)| Sample {
            case: case.to_owned(),
            runtime: runtime.to_owned(),
            repeat: repeat as u32,
            measurement: Measurement { metric, value },
        };
        values.iter().enumerate().map(sample).collect()
    }

    fn report() -> Report {
        let runtimes = ["wsrt", "tokio", "smol"].map(str::to_owned).to_vec();
        let line = |label: &str, summary| Line { label: label.to_owned(), summary, workers: 2 };
        let cases = vec![line("yield", "yields"), line("echo_tcp/1", "echoes")];
        let mut report = Report::new(runtimes, cases);
        let ns = Metric::NanosecondsPerOperation;
        report.add(samples("yield", "wsrt", ns, &[40.0, 50.0, 60.0]));
        report.add(samples("yield", "tokio", ns, &[100.0, 100.0, 100.0]));
        report.add(samples("yield", "smol", ns, &[80.0, 80.0, 9000.0]));
        let rate = Metric::RequestsPerSecond;
        report.add(samples("echo_tcp/1", "wsrt", rate, &[200_000.0]));
        report.add(samples("echo_tcp/1", "tokio", rate, &[100_000.0]));
        report
    }

    fn row<'a>(text: &'a str, label: &str) -> Vec<&'a str> {
        let line = text.lines().find(|line| line.starts_with(&format!("| {label}"))).unwrap();
        line.split('|').map(str::trim).filter(|cell| !cell.is_empty()).collect()
    }

    #[test]
    fn a_row_has_medians_quartiles_and_the_ratios_to_the_best_rival_and_to_tokio() {
        let text = report().markdown(&[]);
        assert_eq!(
            row(&text, "yield"),
            ["yield", "ns", "50.0 (45.0–55.0)", "100 (100–100)", "80.0 (80.0–4540)", "0.62", "0.50", NONE]
        );
    }

    #[test]
    fn a_rate_twice_as_high_is_half_the_cost() {
        let text = report().markdown(&[]);
        let row = row(&text, "echo_tcp/1");
        assert_eq!((row[5], row[6]), ("0.50", "0.50"));
        assert_eq!(row[4], NONE);
    }

    #[test]
    fn the_best_rival_is_the_one_that_costs_least() {
        let report = report();
        assert_eq!(report.best_rival("yield", Metric::NanosecondsPerOperation), Some(80.0));
        assert_eq!(report.best_rival("echo_tcp/1", Metric::RequestsPerSecond), Some(100_000.0));
        assert_eq!(report.best_rival("chain", Metric::NanosecondsPerOperation), None);
    }

    #[test]
    fn a_failure_shows_in_the_table_and_is_compared_with_nothing() {
        let mut report = report();
        report.fail("yield", "wsrt", "lost a task");
        assert_eq!(report.failures(), 1);
        assert!(report.has_failed("yield", "wsrt") && !report.has_failed("yield", "tokio"));
        let text = report.markdown(&[]);
        let row = row(&text, "yield");
        assert_eq!((row[2], row[5], row[6]), ("**FAILED**", NONE, NONE));
        assert!(text.contains("lost a task"));
    }

    #[test]
    fn the_columns_line_up() {
        let text = report().markdown(&[]);
        let mut widths = text.lines().filter(|line| line.starts_with('|')).map(|line| line.chars().count());
        let first = widths.next().unwrap();
        assert!(widths.all(|width| width == first));
    }

    #[test]
    fn the_samples_are_all_in_the_csv() {
        let csv = report().csv();
        assert_eq!(csv.lines().count(), 1 + 11);
        assert!(csv.contains("yield,ns_per_operation,smol,2,2,9000\n"), "{csv}");
    }
}
