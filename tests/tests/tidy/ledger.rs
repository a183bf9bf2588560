//! Findings, and the counted exceptions that `exceptions.txt` still allows.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Mutex;

/// A place that is against a rule.
#[derive(Debug, PartialEq)]
pub(crate) struct Finding {
    /// The exceptions are counted by it: a file, an arrow, a folder.
    pub(crate) key: String,
    /// `file:line`.
    pub(crate) place: String,
    /// The fault, and the remedy.
    pub(crate) advice: String,
    /// How much it counts: 1, but for sizes.
    pub(crate) weight: usize,
}

impl Finding {
    pub(crate) fn new(key: impl Into<String>, place: impl Into<String>, advice: impl Into<String>) -> Finding {
        Finding { key: key.into(), place: place.into(), advice: advice.into(), weight: 1 }
    }
}

/// Counts by rule and key.
type Counts = BTreeMap<(String, String), usize>;

/// The test threads write the file one at a time.
static WRITING: Mutex<()> = Mutex::new(());

/// How many findings of one key a message lists.
const LISTED: usize = 30;

/// Panics with all findings of `rule` that `exceptions.txt` does not allow, and with its entries
/// that are no longer needed.
pub(crate) fn check(rule: &str, findings: Vec<Finding>) {
    if std::env::var_os("WSRT_TIDY").is_some_and(|value| value == "lower") {
        lower(rule, &findings);
    }
    let problems = compare(rule, &findings, &read());
    assert!(problems.is_empty(), "\n{problems}");
}

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/tidy/exceptions.txt")
}

fn read() -> Counts {
    parse(&std::fs::read_to_string(path()).expect("exceptions.txt is there"))
}

/// Reads lines of the form `rule count key`. Empty lines and `#` comments are passed over.
fn parse(text: &str) -> Counts {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let mut parts = line.splitn(3, ' ');
            let mut next = || parts.next().unwrap_or_else(|| panic!("`{line}` is not `rule count key`"));
            let (rule, count, key) = (next(), next(), next());
            ((rule.to_owned(), key.to_owned()), count.parse().expect("the second word is a number"))
        })
        .collect()
}

fn sums(rule: &str, findings: &[Finding]) -> Counts {
    let mut sums = Counts::new();
    for finding in findings {
        *sums.entry((rule.to_owned(), finding.key.clone())).or_default() += finding.weight;
    }
    sums
}

fn compare(rule: &str, findings: &[Finding], allowed: &Counts) -> String {
    let sums = sums(rule, findings);
    let mut problems = String::new();
    for (entry, &count) in &sums {
        let limit = allowed.get(entry).copied().unwrap_or(0);
        if count > limit {
            list(&mut problems, entry, findings);
            writeln!(problems, "now `{rule} {count} {}`, and exceptions.txt allows {limit}\n", entry.1)
                .expect("a string takes it");
        }
    }
    for (entry, &limit) in allowed.iter().filter(|(entry, _)| entry.0 == rule) {
        let count = sums.get(entry).copied().unwrap_or(0);
        if count < limit {
            writeln!(
                problems,
                "tests/tests/tidy/exceptions.txt: `{rule} {limit} {}` allows more than there is: lower it to {count}, \
                 or run the test with WSRT_TIDY=lower",
                entry.1
            )
            .expect("a string takes it");
        }
    }
    problems
}

fn list(problems: &mut String, (_, key): &(String, String), findings: &[Finding]) {
    let of_key = || findings.iter().filter(|finding| finding.key == *key);
    for finding in of_key().take(LISTED) {
        writeln!(problems, "{}: {}", finding.place, finding.advice).expect("a string takes it");
    }
    let more = of_key().count().saturating_sub(LISTED);
    if more > 0 {
        writeln!(problems, "... and {more} more").expect("a string takes it");
    }
}

/// Lowers the entries of `rule` to the present counts, and removes those that nothing needs.
fn lower(rule: &str, findings: &[Finding]) {
    let _writing = WRITING.lock().expect("no test panics while it writes");
    let sums = sums(rule, findings);
    let text = std::fs::read_to_string(path()).expect("exceptions.txt is there");
    std::fs::write(path(), lowered(&text, rule, &sums)).expect("exceptions.txt can be written");
}

fn lowered(text: &str, rule: &str, sums: &Counts) -> String {
    let mut kept = String::new();
    for line in text.lines() {
        let Some((entry, limit)) = parse(line).pop_first().filter(|(entry, _)| entry.0 == rule) else {
            kept.push_str(line);
            kept.push('\n');
            continue;
        };
        let count = sums.get(&entry).copied().unwrap_or(0).min(limit);
        if count > 0 {
            writeln!(kept, "{rule} {count} {}", entry.1).expect("a string takes it");
        }
    }
    kept
}

#[test]
fn a_finding_without_an_exception_is_listed() {
    let problems = compare("head", &[Finding::new("a.rs", "a.rs:1", "add a head")], &Counts::new());
    assert!(problems.starts_with("a.rs:1: add a head\nnow `head 1 a.rs`, and exceptions.txt allows 0\n"), "{problems}");
}

#[test]
fn an_exception_allows_its_count_and_no_more() {
    let allowed = parse("# why\n\nhead 1 a.rs\n");
    let finding = || Finding::new("a.rs", "a.rs:1", "add a head");
    assert_eq!(compare("head", &[finding()], &allowed), "");
    assert!(
        compare("head", &[finding(), finding()], &allowed).contains("now `head 2 a.rs`, and exceptions.txt allows 1")
    );
}

#[test]
fn an_exception_that_nothing_needs_is_a_problem() {
    let allowed = parse("head 2 a.rs\n");
    assert!(compare("head", &[], &allowed).contains("lower it to 0"));
    assert_eq!(compare("width", &[], &allowed), "", "another rule's entries are not its own");
}

#[test]
fn lowering_keeps_comments_and_never_raises() {
    let text = "# why\nhead 2 a.rs\nhead 1 b.rs\nwidth 5 a.rs\n";
    let finding = || Finding::new("b.rs", "b.rs:1", "");
    let sums = sums("head", &[finding(), finding()]);
    assert_eq!(lowered(text, "head", &sums), "# why\nhead 1 b.rs\nwidth 5 a.rs\n");
}
