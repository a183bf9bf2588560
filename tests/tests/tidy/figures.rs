//! The README's figures: each number in a row that tells a measurement is in a table of BENCHMARKS.

use std::collections::HashSet;

use crate::ledger::Finding;
use crate::tree::Document;

/// The numbers in the README's rows of measurements that `benchmarks` does not have.
pub(crate) fn unfounded(readme: &Document, benchmarks: &Document) -> Vec<Finding> {
    let known: HashSet<&str> = rows(&benchmarks.text).flat_map(|(_, row)| numbers(row)).collect();
    let measured = rows(&readme.text).filter(|(heading, _)| matches!(*heading, "wsrt" | "Measured"));
    let missing = measured.flat_map(|(_, row)| numbers(row)).filter(|number| !known.contains(number));
    missing
        .map(|number| {
            let advice = format!("README has the figure {number}, which no table of {} has", benchmarks.path);
            Finding::new(format!("README.md {number}"), "README.md".to_owned(), advice)
        })
        .collect()
}

/// The rows of all tables, each with the heading that it stands under, without the last column of a
/// table whose last column is a command.
fn rows(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut heading = "";
    text.lines().filter_map(move |line| {
        if let Some(title) = line.strip_prefix('#') {
            heading = title.trim_start_matches('#').trim();
        }
        let row = line.strip_prefix('|')?;
        Some((heading, row.rsplit_once("| `").map_or(row, |(figures, _)| figures)))
    })
}

/// The numbers of two and more digits.
fn numbers(row: &str) -> impl Iterator<Item = &str> {
    let is_part = |letter: char| letter.is_ascii_digit() || matches!(letter, '.' | ',');
    let words = row.split(move |letter| !is_part(letter)).map(|word| word.trim_matches(['.', ',']));
    words.filter(|word| word.chars().filter(char::is_ascii_digit).count() >= 2)
}

#[test]
fn a_figure_of_no_table_is_found() {
    let document = |path: &str, text: &str| Document { path: path.to_owned(), text: text.to_owned() };
    let benchmarks = document("B.md", "# B\n| row | 1.09 | 3,888 |\nnot in a table: 4711\n");
    let found = |text| unfounded(&document("README.md", text), &benchmarks);
    assert!(
        found("# wsrt\n| a | 1.09 |\n## Measured\n| b | 3,888 | `run 77` |\n## Compared\n| c | 12 ms |\n").is_empty()
    );
    assert_eq!(found("# wsrt\n| a | 1.10 ms |\n## Measured\n| b | 4711 |\n").len(), 2);
}
