//! How long files and functions are.

use crate::ledger::Finding;
use crate::lexer::{Source, item_end};

/// Lines of code, tests aside.
const MOST_CODE: usize = 450;
/// Lines of all kinds.
const LONGEST_FILE: usize = 900;
const LONGEST_FUNCTION: usize = 60;

/// The files that have too many lines of code, or of all kinds. An exception counts the code.
pub(crate) fn long_files(sources: &[Source]) -> Vec<Finding> {
    let long = sources.iter().filter(|source| code_lines(source) > MOST_CODE || source.lines.len() > LONGEST_FILE);
    long.map(|source| {
        let (code, all) = (code_lines(source), source.lines.len());
        let advice = format!(
            "{code} lines of code and {all} in all: {MOST_CODE} and {LONGEST_FILE} are the limits, split it by its ideas"
        );
        Finding { weight: code, ..Finding::new(&source.path, source.place(0), advice) }
    })
    .collect()
}

/// The lines of a file that are code: no comments, no empty lines, and no tests beside the code.
pub(crate) fn code_lines(source: &Source) -> usize {
    let is_of_tests = source.path.contains("/tests");
    source.lines.iter().filter(|line| !line.code.trim().is_empty() && (is_of_tests || !line.is_test)).count()
}

/// The functions with too many lines, from `fn` to the closing brace. An exception counts them.
pub(crate) fn long_functions(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources {
        for (index, line) in source.lines.iter().enumerate() {
            let Some(name) = function(&line.code) else { continue };
            let lines = item_end(&source.lines, index) - index + 1;
            if lines > LONGEST_FUNCTION {
                let advice =
                    format!("`{name}` has {lines} lines, and {LONGEST_FUNCTION} are the limit: split it by its steps");
                let key = format!("{} {name}", source.path);
                findings.push(Finding { weight: lines, ..Finding::new(key, source.place(index), advice) });
            }
        }
    }
    findings
}

/// The name of the function that begins in a line of code.
pub(crate) fn function(code: &str) -> Option<&str> {
    let words = code.trim_start().split_once("fn ")?;
    let qualifiers = ["pub", "const", "async", "unsafe", "extern", "\"\"", "default"];
    let is_head = words.0.split_whitespace().all(|word| qualifiers.contains(&word) || word.starts_with("pub("));
    let is_head = is_head || words.0.trim_start().starts_with("pub(in ");
    let name = words.1.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()?;
    (is_head && !name.is_empty()).then_some(name)
}

#[test]
fn a_long_file_is_found() {
    let code = |lines: usize| "a();\n".repeat(lines);
    let tests = format!("{}#[cfg(test)]\nmod tests {{\n{}}}\n", code(450), code(100));
    let sources = [
        Source::new("code.rs", &code(451)),
        Source::new("tests_beside.rs", &tests),
        Source::new("comments.rs", &(code(450) + &"// A.\n".repeat(450))),
        Source::new("long.rs", &"// A.\n".repeat(901)),
    ];
    let found: Vec<(String, usize)> = long_files(&sources).into_iter().map(|it| (it.key, it.weight)).collect();
    assert_eq!(found, [("code.rs".to_owned(), 451), ("long.rs".to_owned(), 0)]);
}

#[test]
fn a_long_function_is_found_with_its_lines() {
    let short = format!("pub(crate) async fn a(b: [u8; 2]) -> u8 {{\n{}}}\n", "    b();\n".repeat(58));
    let long = format!("    fn c(\n    ) {{\n{}    }}\n", "        \"}\";\n".repeat(58));
    let findings = long_functions(&[Source::new("a.rs", &(short + &long))]);
    assert_eq!(findings.len(), 1);
    assert_eq!((findings[0].place.as_str(), findings[0].weight, findings[0].key.as_str()), ("a.rs:61", 61, "a.rs c"));
}

#[test]
fn a_function_is_known_by_its_first_line() {
    assert_eq!(function("    pub(crate) const unsafe fn a<'b>(&self) {"), Some("a"));
    assert_eq!(function("pub(in crate::a) extern \"\" fn b();"), Some("b"));
    assert_eq!(function("let c: fn (u8) = d;"), None);
    assert_eq!(function("type A = unsafe fn (u8);"), None);
}
