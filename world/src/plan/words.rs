//! The words of a plan: bare words, and quoted words for names that contain special characters.

use std::fmt;

use super::parse::FaultPlanError;

/// The keywords that may appear where a name is expected.
const TAKEN: [&str; 2] = ["for", "by"];

/// The name of a host or fault point, which is printed with quotes if necessary.
pub(super) struct QuotedName<'a>(pub(super) &'a str);

impl fmt::Display for QuotedName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_bare = |letter: char| letter.is_alphanumeric() || "._-:/".contains(letter);
        if !self.0.is_empty() && self.0.chars().all(is_bare) && !TAKEN.contains(&self.0) {
            return f.write_str(self.0);
        }
        let quoted = self.0.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\r', "\\r");
        write!(f, "\"{quoted}\"")
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PlanWord {
    Bare(String),
    Quoted(String),
}

/// The words between two line ends or semicolons, and the line number.
#[derive(Debug)]
pub(super) struct Statement {
    pub(super) line: usize,
    pub(super) words: Vec<PlanWord>,
}

/// Splits a text into statements. Comments and empty statements are left out.
pub(super) fn statements(text: &str) -> Result<Vec<Statement>, FaultPlanError> {
    let mut statements = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let (line_number, mut words, mut rest) = (index + 1, Vec::new(), line.trim_start());
        while let Some(first) = rest.chars().next() {
            match first {
                '#' => break,
                ';' => {
                    statements.push(Statement { line: line_number, words: std::mem::take(&mut words) });
                    rest = &rest[1..];
                }
                '"' => {
                    let why = "a name begins with a quotation mark, and does not end with one";
                    let (name, after) =
                        quoted(&rest[1..]).ok_or_else(|| FaultPlanError::new(line_number, line, why))?;
                    words.push(PlanWord::Quoted(name));
                    rest = after;
                }
                _ => {
                    let end = rest.find(|letter: char| letter.is_whitespace() || letter == ';' || letter == '"');
                    let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
                    words.push(PlanWord::Bare(word.to_owned()));
                    rest = after;
                }
            }
            rest = rest.trim_start();
        }
        statements.push(Statement { line: line_number, words });
    }
    statements.retain(|statement| !statement.words.is_empty());
    Ok(statements)
}

/// Parses a quoted name, and returns the name and the text after the closing quote.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Some((name, &text[at + 1..])),
            '\\' => name.push(match letters.next()?.1 {
                'n' => '\n',
                'r' => '\r',
                other => other,
            }),
            _ => name.push(letter),
        }
    }
    None
}

impl fmt::Display for PlanWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bare(word) => f.write_str(word),
            Self::Quoted(name) => write!(f, "\"{name}\""),
        }
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<String> = self.words.iter().map(PlanWord::to_string).collect();
        f.write_str(&words.join(" "))
    }
}
