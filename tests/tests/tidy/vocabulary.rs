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

/// Words of comments that hide the actor.
const PRONOUNS: [&str; 6] = ["who", "whom", "whoever", "somebody", "nobody", "everybody"];

/// The runtime's own folders. A program beside it may have a crew, or a board.
const RUNTIME: [&str; 5] = ["executor/", "reactor/", "trace/", "macros/", "tests/"];

/// The retired words in the runtime's identifiers, those in strings left out.
pub(crate) fn in_identifiers(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources.iter().filter(|source| RUNTIME.iter().any(|folder| source.path.starts_with(folder))) {
        for (index, line) in source.lines.iter().enumerate() {
            // A semaphore's permits are called so everywhere.
            for identifier in words(&line.code).filter(|word| !word.ends_with("SemaphorePermit")) {
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

/// The sentences of comments that hide the actor, or need the item before them.
pub(crate) fn in_comments(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources {
        let mut before = "";
        for (index, line) in source.lines.iter().enumerate() {
            let comment = line.comment.trim();
            for fault in faults(comment, before) {
                findings.push(Finding::new(folder(&source.path), source.place(index), fault));
            }
            before = comment;
        }
    }
    findings
}

/// The faults of a line of comment that follows the line `before`.
fn faults(comment: &str, before: &str) -> Vec<String> {
    let pronouns = words(comment).filter(|word| PRONOUNS.contains(&word.to_lowercase().as_str()));
    let mut faults: Vec<String> = pronouns
        .map(|word| format!("\"{word}\": name the actor, as in the waker, the thief, the owner, the caller"))
        .collect();
    let doc = comment.trim_start_matches(['/', '!']).trim();
    if doc.starts_with("The system's.") {
        faults.push("\"The system's.\": say \"Returns the OS error.\"".to_owned());
    }
    if comment.starts_with("///")
        && !before.starts_with("///")
        && (doc.starts_with("The same") || doc.starts_with("As "))
    {
        faults.push(
            "a doc comment stands alone in rustdoc: begin with a verb, not with \"The same\" or \"As\"".to_owned(),
        );
    }
    faults
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
    fn pronouns_are_found_in_comments_only() {
        let text = "// Whoever wakes it.\nlet nobody = \"who\"; // somebody\n/// Whole.\n";
        assert_eq!(
            places(in_comments(&[Source::new("tests/tests/a.rs", text)])),
            ["tests/tests/a.rs:1 tests/tests", "tests/tests/a.rs:2 tests/tests"]
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
