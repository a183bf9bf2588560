//! Words that the house no longer uses. `docs/GLOSSARY.md` has those that it uses instead.

use crate::ledger::Finding;
use crate::lexer::Source;

/// Parts of identifiers, and their replacements. Each stands for its plural, too.
const RETIRED: [(&str, &str); 25] = [
    ("board", "open regions"),
    ("book", "task stats"),
    ("bury", "remove"),
    ("crew", "participants"),
    ("debt", "requested retirements"),
    ("dormant", "parked"),
    ("exhume", "insert again"),
    ("gathering", "wake batch"),
    ("keeper", "poll owner"),
    ("lingering", "spinning"),
    ("mood", "cadence"),
    ("notice", "epoch, or call"),
    ("owed", "requested"),
    ("patience", "spin time, or time limit"),
    ("permit", "runnable"),
    ("seat", "slot, or poll lock"),
    ("seated", "participant"),
    ("sight", "observed, or snapshot"),
    ("sighting", "snapshot"),
    ("staff", "role"),
    ("story", "encoder"),
    ("stranger", "injected task"),
    ("tenant", "entry"),
    ("visitor", "external thread"),
    ("whereabouts", "machine status"),
];

/// Begins of doc comments that cannot be read without the item, or the item before it.
const OPENERS: [&str; 8] =
    ["As ", "Does the same", "Has ", "Tells whether", "That of ", "The same", "Those ", "Whether "];

/// The folders whose doc comments are read in rustdoc.
const READ: [&str; 12] = [
    "executor/src/",
    "hyper/src/",
    "macros/src/",
    "metrics/src/",
    "reactor/src/",
    "report/src/",
    "simulate/src/",
    "stack/src/",
    "sync/src/",
    "tokio/src/",
    "trace/src/",
    "world/src/",
];

/// The runtime's own folders. A program beside it may have a crew, or a board.
const RUNTIME: [&str; 7] = ["executor/", "reactor/", "stack/", "trace/", "world/", "macros/", "tests/"];

/// The retired words in the runtime's identifiers, those in strings left out.
pub(crate) fn in_identifiers(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources.iter().filter(|source| RUNTIME.iter().any(|folder| source.path.starts_with(folder))) {
        for (index, line) in source.lines.iter().enumerate() {
            // A semaphore's permits are called so everywhere.
            for identifier in
                words(&line.code).filter(|word| !word.ends_with("SemaphorePermit") && !word.ends_with("_permits"))
            {
                let parts = parts(identifier);
                let retired = RETIRED.iter().find(|(word, _)| parts.iter().any(|part| is_form_of(part, word)));
                let Some((word, instead)) = retired else { continue };
                let advice = format!("`{identifier}` uses the retired word \"{word}\": say {instead}");
                findings.push(Finding::new(format!("{} {word}", folder(&source.path)), source.place(index), advice));
            }
        }
    }
    findings
}

/// The doc comments that do not stand alone.
pub(crate) fn in_comments(sources: &[Source]) -> Vec<Finding> {
    let is_read = |path: &str| READ.iter().any(|folder| path.starts_with(folder));
    let mut findings = Vec::new();
    for source in sources.iter().filter(|source| is_read(&source.path)) {
        let comment = |index: usize| source.lines.get(index).map_or("", |line| line.comment.trim());
        for index in 0..source.lines.len() {
            let before = index.checked_sub(1).map_or("", comment);
            let fault = fault(comment(index), before);
            findings.extend(fault.map(|fault| Finding::new(folder(&source.path), source.place(index), fault)));
        }
    }
    findings
}

/// The fault of a doc comment's first line, behind the line `before`; or of the first line of a
/// section, which has to be a sentence.
fn fault(comment: &str, before: &str) -> Option<String> {
    let doc = comment.strip_prefix("///")?.trim();
    if doc.starts_with("The system's.") {
        return Some("\"The system's.\": say \"Returns the OS error.\"".to_owned());
    }
    let opener = OPENERS.iter().find(|opener| doc.starts_with(*opener) && !before.starts_with("///"))?;
    Some(format!(
        "a doc comment stands alone in rustdoc: begin with a verb (Returns, Creates) or a noun, not with {opener:?}"
    ))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty())
}

/// The parts of an identifier, in small letters.
fn parts(identifier: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for letter in identifier.chars() {
        if letter == '_' || letter.is_uppercase() {
            parts.push(String::new());
        }
        if letter != '_' {
            parts.last_mut().expect("it is never empty").extend(letter.to_lowercase());
        }
    }
    parts
}

fn is_form_of(part: &str, word: &str) -> bool {
    part == word || part.strip_suffix('s') == Some(word)
}

/// The key of a count: a crate's folder, or one of the executor's rooms.
fn folder(path: &str) -> String {
    let parts: Vec<&str> = path.split('/').collect();
    let depth = if path.starts_with("executor/src/") { 3 } else { 2 };
    parts[..depth.min(parts.len() - 1)].join("/")
}

#[cfg(test)]
mod tests {
    use super::{Finding, Source, in_comments, in_identifiers};

    fn places(findings: Vec<Finding>) -> Vec<String> {
        findings.into_iter().map(|finding| format!("{} {}", finding.place, finding.key)).collect()
    }

    #[test]
    fn retired_words_are_found_in_parts_of_identifiers() {
        let text = "struct PollKeeper;\nfn at_the_seats() {}\nlet keyboard = \"keeper\"; // keeper\n";
        let found = places(in_identifiers(&[Source::new("executor/src/time/a.rs", text)]));
        assert_eq!(
            found,
            ["executor/src/time/a.rs:1 executor/src/time keeper", "executor/src/time/a.rs:2 executor/src/time seat"]
        );
    }

    #[test]
    fn docs_that_do_not_stand_alone_are_found() {
        let text = "/// The same for writing.\n///\n/// # Errors\n///\n/// The system's.\nfn a() {}\n\
                    /// Waits.\n/// As long as it takes.\n";
        assert_eq!(
            places(in_comments(&[Source::new("reactor/src/a.rs", text)])),
            ["reactor/src/a.rs:1 reactor/src", "reactor/src/a.rs:5 reactor/src"]
        );
    }
}
