//! The paths that a source names: those it imports, and those below `crate`, `self` and `super`.

use crate::lexer::Source;

/// A path that a source names.
#[derive(Debug)]
pub(crate) struct Named {
    /// Counted from 0.
    pub(crate) line: usize,
    /// The segments, a group taken apart: `crate`, `task`, `Runnable`.
    pub(crate) path: Vec<String>,
    /// Whether it is in a `pub use`.
    pub(crate) is_exported: bool,
}

/// A word or a mark, with its line.
type Token = (usize, String);

/// The paths that `source` names outside tests.
pub(crate) fn named(source: &Source) -> Vec<Named> {
    let tokens = tokens(source);
    let mut named = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let before = at.checked_sub(1).map_or("", |before| tokens[before].1.as_str());
        let is_path = tokens.get(at + 1).is_some_and(|next| next.1 == "::");
        match tokens[at].1.as_str() {
            "use" if is_path_start(tokens.get(at + 1)) => {
                let mut paths = Vec::new();
                at = tree(&tokens, at + 1, &[], &mut paths);
                let is_exported = before == "pub";
                named.extend(paths.into_iter().map(|(line, path)| Named { line, path, is_exported }));
            }
            "crate" | "self" | "super" if is_path && before != "in" => {
                let line = tokens[at].0;
                let mut path = vec![tokens[at].1.clone()];
                while tokens.get(at + 1).is_some_and(|next| next.1 == "::") && is_word(tokens.get(at + 2)) {
                    path.push(tokens[at + 2].1.clone());
                    at += 2;
                }
                named.push(Named { line, path, is_exported: false });
            }
            _ => {}
        }
        at += 1;
    }
    named
}

/// Takes a tree of an import from `at`, appends its paths below `prefix`, and returns the index of
/// the token behind it.
fn tree(tokens: &[Token], mut at: usize, prefix: &[String], paths: &mut Vec<(usize, Vec<String>)>) -> usize {
    let mut path = prefix.to_vec();
    while let Some((line, token)) = tokens.get(at) {
        match token.as_str() {
            "{" => return group(tokens, at + 1, &path, paths),
            "," | "}" | ";" => {
                paths.push((*line, path));
                return at;
            }
            "::" => at += 1,
            "as" => at += 2,
            _ => {
                path.push(token.clone());
                at += 1;
            }
        }
    }
    at
}

/// Takes the trees between braces, the first of which was taken, and the closing one.
fn group(tokens: &[Token], mut at: usize, prefix: &[String], paths: &mut Vec<(usize, Vec<String>)>) -> usize {
    while let Some((_, token)) = tokens.get(at) {
        match token.as_str() {
            "}" => return at + 1,
            "," => at += 1,
            _ => at = tree(tokens, at, prefix, paths),
        }
    }
    at
}

fn is_word(token: Option<&Token>) -> bool {
    token.is_some_and(|(_, token)| token.starts_with(|first: char| first.is_alphabetic() || first == '_'))
}

/// Whether a `use` in front of it is an import, and not a list of captured lifetimes.
fn is_path_start(token: Option<&Token>) -> bool {
    is_word(token) || token.is_some_and(|(_, token)| token == "::" || token == "{")
}

fn tokens(source: &Source) -> Vec<Token> {
    let mut tokens = Vec::new();
    for (index, line) in source.lines.iter().enumerate().filter(|(_, line)| !line.is_test) {
        let mut rest = line.code.trim_start();
        while !rest.is_empty() {
            let word = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
            let mark = rest.chars().next().map_or(1, char::len_utf8);
            let length = if word > 0 {
                word
            } else if rest.starts_with("::") {
                2
            } else {
                mark
            };
            tokens.push((index, rest[..length].to_owned()));
            rest = rest[length..].trim_start();
        }
    }
    tokens
}

#[test]
fn groups_are_taken_apart() {
    let text = "pub use crate::a::{B, c::{self, D as E}};\nuse f::*;\nfn g() -> crate::h::I { super::super::j() }\n";
    let named = named(&Source::new("a.rs", text));
    let paths: Vec<String> = named.iter().map(|named| named.path.join("::")).collect();
    assert_eq!(paths, ["crate::a::B", "crate::a::c::self", "crate::a::c::D", "f::*", "crate::h::I", "super::super::j"]);
    assert_eq!(named.iter().filter(|named| named.is_exported).count(), 3);
    assert_eq!(named[4].line, 2);
}

#[test]
fn visibilities_and_captures_name_nothing() {
    let text = "pub(in crate::a) fn b(&self) -> impl C + use<'_> {}\n#[cfg(test)]\nuse crate::d;\n";
    assert!(named(&Source::new("a.rs", text)).is_empty());
}
