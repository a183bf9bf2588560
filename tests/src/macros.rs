//! Macros that make public items, expanded as text.
//!
//! Enough for the macros of the tree: they have one arm, whose parameters are words with commas
//! between them, and are called at the beginning of a line.

use std::collections::HashMap;

/// The macros of some sources.
#[derive(Debug, Default)]
pub(crate) struct Macros(HashMap<String, Arm>);

#[derive(Debug)]
struct Arm {
    parameters: Vec<String>,
    body: Vec<String>,
}

impl Macros {
    /// Adds the macros of a source.
    pub(crate) fn collect(&mut self, text: &str) {
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let Some(name) = line.strip_prefix("macro_rules! ") else { continue };
            let rules: Vec<&str> = lines.by_ref().take_while(|line| *line != "}").collect();
            if let Some(arm) = Arm::parse(&rules) {
                self.0.insert(name.trim_end_matches(" {").to_owned(), arm);
            }
        }
    }

    /// The text with what its calls of macros make in their places, and without those macros.
    pub(crate) fn expand(&self, text: &str) -> String {
        let mut expanded = String::new();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if line.strip_prefix("macro_rules! ").is_some_and(|name| self.0.contains_key(name.trim_end_matches(" {"))) {
                lines.by_ref().take_while(|line| *line != "}").for_each(drop);
            } else if let Some((arm, first)) = self.called(line) {
                let mut call = first.to_owned();
                while !call.ends_with(");") {
                    call.push_str(lines.next().expect("a call ends").trim());
                }
                expanded.push_str(&self.expand(&arm.with(call.trim_end_matches(");"))));
            } else {
                expanded.push_str(line);
                expanded.push('\n');
            }
        }
        expanded
    }

    /// The macro that a line calls, and the words behind the parenthesis.
    fn called<'a>(&self, line: &'a str) -> Option<(&Arm, &'a str)> {
        let (path, words) = line.split_once("!(")?;
        Some((self.0.get(path.rsplit("::").next()?)?, words))
    }
}

impl Arm {
    fn parse(rules: &[&str]) -> Option<Self> {
        let begin = rules.iter().position(|line| line.ends_with(") => {"))?;
        let head = rules[..=begin].concat();
        let is_alone = rules.last() == Some(&"    };") && !rules[begin + 1..].iter().any(|line| line.ends_with("=> {"));
        if !is_alone || head.contains("$(") || rules.iter().any(|line| line.contains("$(")) {
            return None;
        }
        let word = |part: &str| Some(part.trim().trim_start_matches(['(', ' ']).split_once(':')?.0.to_owned());
        let parameters = head.split(", ").flat_map(|part| part.split(',')).filter_map(word).collect();
        let body = rules[begin + 1..rules.len() - 1].iter();
        let dedent = |line: &&str| line.strip_prefix("        ").unwrap_or(line).to_owned();
        Some(Self { parameters, body: body.map(dedent).collect() })
    }

    fn with(&self, words: &str) -> String {
        let words = words.split(',').map(str::trim);
        // The longest first: one name may be the beginning of another.
        let mut pairs: Vec<(&str, &str)> = self.parameters.iter().map(String::as_str).zip(words).collect();
        pairs.sort_by_key(|(name, _)| usize::MAX - name.len());
        let replaced = |line: &String| pairs.iter().fold(line.clone(), |line, (name, word)| line.replace(name, word));
        self.body.iter().map(|line| replaced(line) + "\n").collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_stands_for_the_items_that_it_makes() {
        let text = "\
macro_rules! halves {
    ($kind:ident, $of:literal) => {
        pub struct $kind;
        crate::methods!($kind, $of);
    };
}
macro_rules! methods {
    (
        $kind:ident, $of:literal
    ) => {
        impl $kind {
            #[doc = example!($of)]
            pub fn of(&self) {}
        }
    };
}
halves!(
    Half,
    \"one\"
);
";
        let mut macros = Macros::default();
        macros.collect(text);
        let expected = "pub struct Half;\nimpl Half {\n    #[doc = example!(\"one\")]\n    pub fn of(&self) {}\n}\n";
        assert_eq!(macros.expand(text), expected);
    }
}
