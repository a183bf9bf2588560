//! The head of each file, and the width of its comments.

use crate::ledger::Finding;
use crate::lexer::Source;
use crate::tree::Document;

/// The last column of a comment, and of a document.
const WIDTH: usize = 100;

/// The files whose first line is not `//!`.
pub(crate) fn without_head(sources: &[Source]) -> Vec<Finding> {
    let without =
        sources.iter().filter(|source| !source.lines.first().is_some_and(|line| line.raw.starts_with("//! ")));
    without
        .map(|source| {
            Finding::new(&source.path, source.place(0), "say in a first line `//! ...` what the file is about")
        })
        .collect()
}

/// Comment lines that go beyond the last column. One that is a single word, a link for one, may,
/// and so may the rows of tables and the code of examples, which cannot be broken there.
pub(crate) fn too_wide(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources {
        let mut is_example = false;
        for (index, line) in source.lines.iter().enumerate() {
            let doc = line.comment.trim_start_matches(['/', '!']).trim();
            is_example = !line.comment.is_empty() && is_example ^ doc.starts_with("```");
            let is_prose = !is_example && !doc.starts_with('|') && doc.split_whitespace().count() > 1;
            let width = line.raw.trim_end().chars().count();
            if width > WIDTH && is_prose && line.raw.trim_start().starts_with("//") {
                let advice = format!("the comment is {width} columns wide: break it at {WIDTH}");
                findings.push(Finding::new(&source.path, source.place(index), advice));
            }
        }
    }
    findings
}

/// Lines of documents that go beyond the last column, but for the kinds that [`too_wide`] excepts.
pub(crate) fn wide_documents(documents: &[Document]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for document in documents {
        let mut is_code = false;
        for (index, line) in document.text.lines().enumerate() {
            is_code ^= line.trim_start().starts_with("```");
            let is_definition = line.starts_with('[') && line.split_whitespace().count() == 2 && line.contains("]: ");
            let is_prose = !is_code && !is_definition && !line.starts_with('|') && line.split_whitespace().count() > 1;
            let width = line.trim_end().chars().count();
            if width > WIDTH && is_prose {
                let advice = format!("the line is {width} columns wide: break it at {WIDTH}");
                findings.push(Finding::new(&document.path, format!("{}:{}", document.path, index + 1), advice));
            }
        }
    }
    findings
}

#[test]
fn a_wide_line_of_a_document_is_found_unlike_tables() {
    let wide = "a ".repeat(51);
    let text = format!("{wide}\n```sh\n{wide}b\n```\n| {wide}|\n{wide}b\n[a]: {}\n", "b".repeat(101));
    let found = wide_documents(&[Document { path: "a.md".to_owned(), text }]);
    let places: Vec<String> = found.into_iter().map(|finding| finding.place).collect();
    assert_eq!(places, ["a.md:1", "a.md:6"]);
}

#[test]
fn a_file_without_a_head_is_found() {
    let sources = [Source::new("a.rs", "use b;\n"), Source::new("c.rs", "//! C.\n"), Source::new("d.rs", "")];
    let places: Vec<String> = without_head(&sources).into_iter().map(|finding| finding.place).collect();
    assert_eq!(places, ["a.rs:1", "d.rs:1"]);
}

#[test]
fn a_wide_comment_is_found_unlike_code_and_tables() {
    let wide = "a ".repeat(49);
    let text = format!(
        "// {wide}bc\n/// | {wide}|\n/// ```\n/// {wide}{wide}\n/// ```\n// {wide}\n    let wide = \"{wide}{wide}\";\n/// <https://{}>\n",
        "a".repeat(100)
    );
    let places: Vec<String> =
        too_wide(&[Source::new("a.rs", &text)]).into_iter().map(|finding| finding.place).collect();
    assert_eq!(places, ["a.rs:1"]);
}
