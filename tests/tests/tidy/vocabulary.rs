//! Words that the house no longer uses. `docs/GLOSSARY.md` has those that it uses instead.

use crate::ledger::Finding;
use crate::lexer::Source;
use crate::tree::Document;

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

/// Words of comments and documents that hide the actor.
const PRONOUNS: [&str; 10] =
    ["who", "whom", "whoever", "somebody", "nobody", "everybody", "someone", "anyone", "everyone", "anybody"];

/// The runtime's own folders. A program beside it may have a crew, or a board.
const RUNTIME: [&str; 6] = ["executor/", "reactor/", "trace/", "world/", "macros/", "tests/"];

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

/// The sentences of comments that hide the actor, or need the item before them.
pub(crate) fn in_comments(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources {
        let comment = |index: usize| source.lines.get(index).map_or("", |line| line.comment.trim());
        for index in 0..source.lines.len() {
            let before = index.checked_sub(1).map_or("", comment);
            let faults = faults(comment(index), comment(index + 1)).into_iter();
            let faults = faults.chain(needs_the_item_before(comment(index), before));
            findings.extend(faults.map(|fault| Finding::new(folder(&source.path), source.place(index), fault)));
        }
    }
    findings
}

/// The sentences of documents that hide the actor, those in blocks of code left out.
pub(crate) fn in_documents(documents: &[Document]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for document in documents {
        let lines: Vec<&str> = document.text.lines().collect();
        let mut is_code = false;
        for (index, line) in lines.iter().enumerate() {
            is_code ^= line.trim_start().starts_with("```");
            let next = lines.get(index + 1).copied().unwrap_or("");
            for fault in faults(line, next).into_iter().filter(|_| !is_code) {
                findings.push(Finding::new(&document.path, format!("{}:{}", document.path, index + 1), fault));
            }
        }
    }
    findings
}

/// The faults of a line of prose that the line `next` follows.
fn faults(line: &str, next: &str) -> Vec<String> {
    let pronouns = words(line).filter(|word| PRONOUNS.contains(&word.to_lowercase().as_str()));
    let mut faults: Vec<String> = pronouns
        .map(|word| format!("\"{word}\": name the actor, as in the waker, the thief, the owner, the caller"))
        .collect();
    if is_named_by_a_clause(line, next) {
        faults.push("\"What ...\" as a subject: say \"A write error is ignored\", with a noun".to_owned());
    }
    if line.trim_start_matches(['/', '!']).trim().starts_with("The system's.") {
        faults.push("\"The system's.\": say \"Returns the OS error.\"".to_owned());
    }
    faults
}

/// Whether a sentence that begins in `line` has "What ..." as its subject. Questions may, and words
/// between quotation marks.
fn is_named_by_a_clause(line: &str, next: &str) -> bool {
    line.match_indices("What ").any(|(at, _)| {
        let is_word = !line[..at].ends_with(|letter: char| letter.is_alphanumeric() || "\"_".contains(letter));
        let rest = format!("{} {next}", &line[at..]);
        let sentence = rest.split_once(". ").map_or(rest.as_str(), |(sentence, _)| sentence);
        is_word && !sentence.contains('?')
    })
}

/// The fault of a doc comment's first line, behind the line `before`, that cannot be read alone.
fn needs_the_item_before(comment: &str, before: &str) -> Option<String> {
    let doc = comment.strip_prefix("///").filter(|_| !before.starts_with("///"))?.trim();
    (doc.starts_with("The same") || doc.starts_with("As "))
        .then(|| "a doc comment stands alone in rustdoc: begin with a verb, not with \"The same\" or \"As\"".to_owned())
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
    use super::{Document, Finding, Source, in_comments, in_documents, in_identifiers};

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
    fn a_clause_as_a_subject_is_found_unlike_a_question() {
        let text = "// What is lost is lost. What?\n/// It ends. What waits is woken,\n/// in order.\n\
                    // What waits for what,\n// and why? Not \"What is\".\nlet what = \"What is it\";\n";
        assert_eq!(
            places(in_comments(&[Source::new("trace/src/a.rs", text)])),
            ["trace/src/a.rs:1 trace/src", "trace/src/a.rs:2 trace/src"]
        );
    }

    #[test]
    fn prose_of_documents_is_checked_unlike_their_code() {
        let text = "Nobody waits, see `nobody_waits`.\n```text\nWhat is a task\n```\nWhat is: a task.\n";
        let document = Document { path: "docs/A.md".to_owned(), text: text.to_owned() };
        assert_eq!(places(in_documents(&[document])), ["docs/A.md:1 docs/A.md", "docs/A.md:5 docs/A.md"]);
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
