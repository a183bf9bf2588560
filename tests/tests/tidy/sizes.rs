//! How long files and functions are.

use crate::ledger::Finding;
use crate::lexer::{Source, item_end};

const LONGEST_FILE: usize = 450;
const LONGEST_FUNCTION: usize = 60;

/// The files that have too many lines. An exception counts their lines.
pub(crate) fn long_files(sources: &[Source]) -> Vec<Finding> {
    let long = sources.iter().filter(|source| source.lines.len() > LONGEST_FILE);
    long.map(|source| {
        let lines = source.lines.len();
        let advice = format!("{lines} lines, and {LONGEST_FILE} are the limit: split the file by its ideas");
        Finding { weight: lines, ..Finding::new(&source.path, source.place(LONGEST_FILE), advice) }
    })
    .collect()
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
fn a_long_file_is_found_with_its_lines() {
    let findings = long_files(&[Source::new("a.rs", &"\n".repeat(451)), Source::new("b.rs", &"\n".repeat(450))]);
    assert_eq!((findings.len(), findings[0].weight, findings[0].key.as_str()), (1, 451, "a.rs"));
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
