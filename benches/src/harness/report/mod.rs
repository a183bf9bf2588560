//! The report of a comparison: tables for readers, samples for programs, bars for charts.

mod align;

pub(crate) use align::align;

use super::TooLong;
use crate::Failure;
use crate::child::BARE;
use crate::measure::Summary;
use crate::metric::{Measurement, Metric};
use crate::picture::bars::{Bar, Panel};
use crate::runtimes::SUBJECT;

/// Stands where there is no figure.
const NONE: &str = "–";

/// The rows of one case.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// The name in samples and messages.
    pub(crate) name: String,
    /// The name in the table.
    pub(crate) label: String,
    /// The processors of each subject.
    pub(crate) workers: usize,
    /// The rows; those of the metrics that were measured if empty.
    pub(crate) rows: Vec<Row>,
}

impl Line {
    /// Makes a line whose rows are the metrics that will be measured.
    pub(crate) fn new(name: &str, workers: usize) -> Self {
        Self { name: name.to_owned(), label: name.to_owned(), workers, rows: Vec::new() }
    }

    fn is(&self, other: &Self) -> bool {
        self.name == other.name && self.workers == other.workers
    }
}

/// One row: a metric, and the demand on wsrt's median.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) metric: Metric,
    pub(crate) asked: Asked,
}

/// A demand on wsrt's median.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Asked {
    Nothing,
    AtLeast(f64),
    AtMost(f64),
    AtMostThatOf(&'static str),
}

/// A column after those of the subjects: its heading, and the text of a row's cell.
type Column = (&'static str, fn(&Report, &Line, Row) -> String);

/// The columns of a comparison with rivals.
const RATIOS: &[Column] = &[
    ("wsrt : best", |report, line, row| ratio(report.ratio_to_best(line, row.metric))),
    ("wsrt : tokio", |report, line, row| ratio(report.ratio_to(line, row.metric, "tokio"))),
    (BARE, |report, line, row| report.cell(line, row.metric, BARE)),
];

/// The columns of a comparison with demands.
pub(crate) const DEMANDS: &[Column] = &[
    ("asked", |_, _, row| match row.asked {
        Asked::Nothing => NONE.to_owned(),
        Asked::AtLeast(least) => format!("≥ {least}"),
        Asked::AtMost(most) => format!("≤ {most}"),
        Asked::AtMostThatOf(rival) => format!("≤ {rival}"),
    }),
    ("kept", |report, line, row| match report.is_kept(line, row) {
        Some(true) => "yes".to_owned(),
        Some(false) => "**no**".to_owned(),
        None => NONE.to_owned(),
    }),
];

/// The first line of the samples.
const COLUMNS: &str = "workload,metric,runtime,workers,repeat,value";

/// Explains [`RATIOS`].
const NOTES: &str = "
Medians, and in brackets the quartiles, over the repeats. Lower is better but for ↑. The ratios compare cost by the medians:
below 1.00 wsrt is better, also where higher figures are better. `bare` is the same work without a runtime, as far as that
can be: futures polled by turns on one thread with wakers that do nothing, or an epoll loop on each of as many threads.

";

/// A table with a column for each subject.
#[derive(Debug)]
pub(crate) struct Table {
    /// The text above it.
    pub(crate) head: String,
    /// The headings of the first two columns.
    pub(crate) names: [&'static str; 2],
    pub(crate) subjects: Vec<String>,
    pub(crate) columns: &'static [Column],
    pub(crate) lines: Vec<Line>,
}

/// One figure and where it comes from.
#[derive(Debug)]
struct Sample {
    line: Line,
    subject: String,
    /// In which repeat, from 0.
    repeat: usize,
    measurement: Measurement,
}

#[derive(Debug)]
struct Failed {
    line: Line,
    subject: String,
    /// Stands in the table in place of a figure.
    cell: String,
    why: String,
}

/// All figures of a comparison.
#[derive(Debug)]
pub(crate) struct Report {
    title: &'static str,
    /// Where and how the figures were taken.
    pub(crate) facts: Vec<String>,
    tables: Vec<Table>,
    /// The text below the tables.
    pub(crate) notes: String,
    samples: Vec<Sample>,
    failed: Vec<Failed>,
}

impl Report {
    pub(crate) fn new(title: &'static str, tables: Vec<Table>) -> Self {
        let (facts, samples, failed) = (Vec::new(), Vec::new(), Vec::new());
        Self { title, facts, tables, notes: String::new(), samples, failed }
    }

    /// Makes a report of one table in which wsrt stands beside its rivals. Each line comes with a
    /// summary of its workload.
    pub(crate) fn on_rivals(subjects: Vec<String>, lines: Vec<(Line, &'static str)>) -> Self {
        let summary = |(line, summary): &(Line, &str)| format!("- `{}`: {summary}\n", line.label);
        let notes = NOTES.to_owned() + &lines.iter().map(summary).collect::<String>();
        let lines = lines.into_iter().map(|(line, _)| line).collect();
        let table = Table { head: String::new(), names: ["workload", "unit"], subjects, columns: RATIOS, lines };
        Self { notes, ..Self::new("wsrt and its rivals", vec![table]) }
    }

    /// Takes the figures of one measurement.
    pub(crate) fn add(&mut self, line: &Line, subject: &str, repeat: usize, measurements: &[Measurement]) {
        self.samples.extend(measurements.iter().map(|&measurement| Sample {
            line: line.clone(),
            subject: subject.to_owned(),
            repeat,
            measurement,
        }));
    }

    /// Takes the samples that [`csv`](Self::csv) has written of lines of the first table.
    ///
    /// # Errors
    ///
    /// Returns an error that has the line in it which is none of such a file.
    pub(crate) fn add_csv(&mut self, text: &str) -> Result<(), Failure> {
        for row in text.lines().filter(|row| *row != COLUMNS) {
            let wrong = || format!("no sample: {row:?}");
            let [name, metric, subject, workers, repeat, value] =
                row.split(',').collect::<Vec<_>>().try_into().map_err(|_| wrong())?;
            let metric = Metric::find(metric).ok_or_else(wrong)?;
            let (workers, repeat): (usize, usize) =
                (workers.parse().map_err(|_| wrong())?, repeat.parse().map_err(|_| wrong())?);
            let value = value.parse().map_err(|_| wrong())?;
            if let Some(line) = self.line(name).filter(|line| line.workers == workers).cloned() {
                self.add(&line, subject, repeat, &[metric.of(value)]);
            }
        }
        Ok(())
    }

    /// Notes that a case cannot be measured on `subject`.
    pub(crate) fn fail(&mut self, line: &Line, subject: &str, why: &Failure) {
        let cell = match why.downcast_ref::<TooLong>() {
            Some(TooLong { limit, .. }) => format!("**no end in {limit:?}**"),
            None => "**FAILED**".to_owned(),
        };
        self.failed.push(Failed { line: line.clone(), subject: subject.to_owned(), cell, why: why.to_string() });
    }

    /// Says whether [`fail`](Self::fail) was called for these.
    pub(crate) fn has_failed(&self, line: &Line, subject: &str) -> bool {
        self.failure(line, subject).is_some()
    }

    fn failure(&self, line: &Line, subject: &str) -> Option<&Failed> {
        self.failed.iter().find(|failed| failed.line.is(line) && failed.subject == subject)
    }

    /// Returns how many pairs of case and subject failed.
    pub(crate) fn failures(&self) -> usize {
        self.failed.len()
    }

    /// Writes the samples, one a line, under a line with the names of the columns.
    pub(crate) fn csv(&self) -> String {
        let mut text = format!("{COLUMNS}\n");
        for Sample { line, subject, repeat, measurement } in &self.samples {
            let (name, metric) = (field(&line.name), field(measurement.metric.key()));
            text.push_str(&format!("{name},{metric},{subject},{},{repeat},{}\n", line.workers, measurement.value));
        }
        text
    }

    /// Writes the facts, the tables, the notes and the failures.
    pub(crate) fn markdown(&self) -> String {
        let mut text = format!("# {}\n\n", self.title);
        text.extend(self.facts.iter().map(|fact| format!("- {fact}\n")));
        for table in &self.tables {
            text.push('\n');
            text.push_str(&table.head);
            text.push_str(&align(&self.rows(table)));
        }
        text.push_str(&self.notes);
        for Failed { line, subject, why, .. } in &self.failed {
            text.push_str(&format!("\n**FAILED**: {} on {subject}: {why}\n", line.name));
        }
        text
    }

    /// Returns the subjects of the first table.
    pub(crate) fn subjects(&self) -> &[String] {
        self.tables.first().map_or(&[], |table| &table.subjects)
    }

    /// Returns the lines of the first table, each with its metrics.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (&Line, Metric)> {
        let lines = self.tables.first().into_iter().flat_map(|table| &table.lines);
        lines.flat_map(|line| self.rows_of(line).into_iter().map(move |row| (line, row.metric)))
    }

    /// Finds a line of the first table by its name.
    pub(crate) fn line(&self, name: &str) -> Option<&Line> {
        self.tables.first()?.lines.iter().find(|line| line.name == name)
    }

    /// Returns the rows of a line; one if none of its metrics was measured.
    pub(crate) fn rows_of(&self, line: &Line) -> Vec<Row> {
        if !line.rows.is_empty() {
            return line.rows.clone();
        }
        let mut metrics = Vec::new();
        for sample in self.samples.iter().filter(|sample| sample.line.is(line)) {
            if !metrics.contains(&sample.measurement.metric) {
                metrics.push(sample.measurement.metric);
            }
        }
        if metrics.is_empty() {
            metrics.push(Metric::NANOSECONDS_PER_OPERATION);
        }
        metrics.into_iter().map(|metric| Row { metric, asked: Asked::Nothing }).collect()
    }

    /// Returns the table's rows, headings first.
    fn rows(&self, table: &Table) -> Vec<Vec<String>> {
        let mut headings = table.names.map(str::to_owned).to_vec();
        headings.extend(table.subjects.iter().cloned());
        headings.extend(table.columns.iter().map(|(heading, _)| (*heading).to_owned()));
        let mut rows = vec![headings];
        for line in &table.lines {
            for row in self.rows_of(line) {
                let mut cells = vec![line.label.clone(), row.metric.unit().to_owned()];
                cells.extend(table.subjects.iter().map(|subject| self.cell(line, row.metric, subject)));
                cells.extend(table.columns.iter().map(|(_, cell)| cell(self, line, row)));
                rows.push(cells);
            }
        }
        rows
    }

    /// Writes the median, and the quartiles in brackets.
    fn cell(&self, line: &Line, metric: Metric, subject: &str) -> String {
        if let Some(failed) = self.failure(line, subject) {
            return failed.cell.clone();
        }
        let Some(summary) = self.summary(line, metric, subject) else { return NONE.to_owned() };
        let [median, low, high] =
            [summary.median, summary.low_quartile, summary.high_quartile].map(|value| metric.show(value));
        format!("{median} ({low}–{high})")
    }

    /// Sums up the repeats; `None` if `subject` has failed or has no figures: half a run is no
    /// figure.
    pub(crate) fn summary(&self, line: &Line, metric: Metric, subject: &str) -> Option<Summary> {
        if self.has_failed(line, subject) {
            return None;
        }
        Summary::of(&self.figures(line, metric, subject))
    }

    /// Returns the figures of all repeats, in the order in which they came.
    pub(crate) fn figures(&self, line: &Line, metric: Metric, subject: &str) -> Vec<f64> {
        let is_of_these =
            |sample: &&Sample| sample.line.is(line) && sample.subject == subject && sample.measurement.metric == metric;
        self.samples.iter().filter(is_of_these).map(|sample| sample.measurement.value).collect()
    }

    /// Makes a panel of a bar for each of `subjects`, as long as `length` makes of its figures.
    pub(crate) fn panel(
        &self,
        title: String,
        subjects: &[String],
        (line, metric): (&Line, Metric),
        length: impl Fn(Summary) -> Option<Summary>,
        dashed: Option<f64>,
    ) -> Panel {
        let bar = |subject: &String| {
            let summary = self.summary(line, metric, subject);
            let figure = summary.and_then(|summary| Some((length(summary)?, metric.show(summary.median))));
            Bar { name: subject.clone(), ours: subject == SUBJECT, figure }
        };
        Panel { title, bars: subjects.iter().map(bar).collect(), dashed }
    }

    /// Returns how many times `rival`'s cost wsrt's is, by their medians.
    fn ratio_to(&self, line: &Line, metric: Metric, rival: &str) -> Option<f64> {
        let median = |subject| self.summary(line, metric, subject).map(|summary| summary.median);
        metric.cost_ratio(median(SUBJECT)?, median(rival)?)
    }

    fn rivals(&self) -> impl Iterator<Item = &String> {
        self.subjects().iter().filter(|subject| *subject != SUBJECT)
    }

    /// Returns the median of the best rival.
    pub(crate) fn best_rival(&self, line: &Line, metric: Metric) -> Option<f64> {
        let medians = self.rivals().filter_map(|rival| Some(self.summary(line, metric, rival)?.median));
        medians.reduce(|best, other| match metric.cost_ratio(other, best) {
            Some(ratio) if ratio < 1.0 => other,
            _ => best,
        })
    }

    /// Returns the greatest of wsrt's ratios to its rivals.
    fn ratio_to_best(&self, line: &Line, metric: Metric) -> Option<f64> {
        self.rivals().filter_map(|rival| self.ratio_to(line, metric, rival)).max_by(f64::total_cmp)
    }

    /// Says whether wsrt meets the demand; `None` without a demand or a figure.
    fn is_kept(&self, line: &Line, Row { metric, asked }: Row) -> Option<bool> {
        let median = |subject| self.summary(line, metric, subject).map(|summary| summary.median);
        let ours = median(SUBJECT)?;
        match asked {
            Asked::Nothing => None,
            Asked::AtLeast(least) => Some(ours >= least),
            Asked::AtMost(most) => Some(ours <= most),
            Asked::AtMostThatOf(rival) => Some(ours <= median(rival)?),
        }
    }
}

fn ratio(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| NONE.to_owned(), |ratio| format!("{ratio:.2}"))
}

/// Quotes a field of a sample where it has a comma.
fn field(text: &str) -> String {
    if text.contains(',') { format!("\"{text}\"") } else { text.to_owned() }
}

#[cfg(test)]
mod tests;
