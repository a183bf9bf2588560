//! The tables: a row for each figure of each case, a column for each subject.

use super::results::{Case, Results};
use super::sections::{Asked, Figure, Section};
use crate::report::align;
use crate::runtimes::SUBJECT;

const NONE: &str = "–";

/// Writes one section as Markdown.
pub(super) fn markdown(section: &Section, cases: &[Case], subjects: &[&'static str], results: &Results) -> String {
    let mut rows = vec![headings(subjects)];
    for case in cases {
        rows.extend(section.figures.iter().map(|figure| row(case, figure, subjects, results)));
    }
    format!("## {}\n\n{}\n\n{}\n", section.title, section.about, align(&rows))
}

fn headings(subjects: &[&str]) -> Vec<String> {
    let ends = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    [ends(&["case", "figure"]), ends(subjects), ends(&["asked", "kept"])].concat()
}

fn row(case: &Case, figure: &Figure, subjects: &[&'static str], results: &Results) -> Vec<String> {
    let processors = case.processors;
    let label = format!("{}, {processors} processor{}", case.name, if processors == 1 { "" } else { "s" });
    let mut row = vec![label, figure.name.to_owned()];
    row.extend(subjects.iter().map(|subject| cell(case, figure, subject, results)));
    let asked = (figure.asked)(case.name);
    row.push(show_asked(asked));
    row.push(show_kept(asked, case, figure, results));
    row
}

/// The median, and the quartiles in brackets.
fn cell(case: &Case, figure: &Figure, subject: &'static str, results: &Results) -> String {
    if results.has_failed(case, subject) {
        return "**FAILED**".to_owned();
    }
    let Some(summary) = results.summary(case, figure, subject) else { return NONE.to_owned() };
    let digits = figure.digits;
    format!("{:.digits$} ({:.digits$}–{:.digits$})", summary.median, summary.low_quartile, summary.high_quartile)
}

fn show_asked(asked: Asked) -> String {
    match asked {
        Asked::Nothing => NONE.to_owned(),
        Asked::AtLeast(least) => format!("≥ {least}"),
        Asked::AtMost(most) => format!("≤ {most}"),
        Asked::AtMostThatOf(rival) => format!("≤ {rival}"),
    }
}

fn show_kept(asked: Asked, case: &Case, figure: &Figure, results: &Results) -> String {
    let median = |subject| results.summary(case, figure, subject).map(|summary| summary.median);
    let ours = if results.has_failed(case, SUBJECT) { None } else { median(SUBJECT) };
    let is_kept = ours.and_then(|ours| match asked {
        Asked::Nothing => None,
        Asked::AtLeast(least) => Some(ours >= least),
        Asked::AtMost(most) => Some(ours <= most),
        Asked::AtMostThatOf(rival) => median(rival).map(|theirs| ours <= theirs),
    });
    match is_kept {
        Some(true) => "yes".to_owned(),
        Some(false) => "**no**".to_owned(),
        None => NONE.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallel::sections;
    use crate::parallel::series::Series;

    const CASE: Case = Case { section: "loops", name: "zipf_512", processors: 2 };

    fn results(ours: &[f64], theirs: &[f64]) -> Results {
        let mut results = Results::default();
        for (subject, times) in [("wsrt", ours), ("rayon", theirs)] {
            for &time in times {
                let mut series = Series::default();
                series.add("serial", [2000.0]);
                series.add("parallel", [time]);
                results.add(sections::find("loops").unwrap(), &CASE, subject, &series);
            }
        }
        results
    }

    fn first_row(results: &Results) -> Vec<String> {
        let text = markdown(sections::find("loops").unwrap(), &[CASE], &["wsrt", "rayon", "serial"], results);
        let line = text.lines().find(|line| line.starts_with("| zipf_512")).unwrap();
        line.split('|').map(|cell| cell.trim().to_owned()).filter(|cell| !cell.is_empty()).collect()
    }

    #[test]
    fn a_row_has_medians_quartiles_and_whether_the_demand_is_kept() {
        let row = first_row(&results(&[1000.0, 1000.0, 1250.0], &[2000.0]));
        assert_eq!(
            row,
            [
                "zipf_512, 2 processors",
                "efficiency",
                "1.000 (0.900–1.000)",
                "0.500 (0.500–0.500)",
                NONE,
                "≥ 0.96",
                "yes"
            ]
        );
    }

    #[test]
    fn a_demand_that_is_missed_shows() {
        assert_eq!(first_row(&results(&[1100.0], &[1000.0]))[6], "**no**");
    }

    #[test]
    fn what_has_failed_keeps_nothing() {
        let mut results = results(&[1000.0], &[1000.0]);
        results.fail(&CASE, "wsrt", "it hung");
        assert!(results.complaints().contains("loops zipf_512 on wsrt: it hung"));
        let row = first_row(&results);
        assert_eq!((&*row[2], &*row[6]), ("**FAILED**", NONE));
    }
}
