//! Splits a Rust source into code, strings and comments, line by line.

/// A line of a source, in three views of it.
#[derive(Debug, Default)]
pub(crate) struct Line {
    /// All of it.
    pub(crate) raw: String,
    /// Without comments, and with empty strings.
    pub(crate) code: String,
    /// Without comments.
    pub(crate) text: String,
    /// The comment, `//` included.
    pub(crate) comment: String,
    /// Whether it is compiled for tests only.
    pub(crate) is_test: bool,
}

/// A Rust source.
#[derive(Debug)]
pub(crate) struct Source {
    /// Below the root of the workspace, with `/`.
    pub(crate) path: String,
    pub(crate) lines: Vec<Line>,
}

impl Source {
    pub(crate) fn new(path: &str, text: &str) -> Source {
        let mut lines = split(text);
        mark_tests(&mut lines);
        Source { path: path.to_owned(), lines }
    }

    /// Whether the file holds tests or models only.
    pub(crate) fn is_of_tests(&self) -> bool {
        ["/tests/", "/tests.rs", "/loom_models"].iter().any(|part| self.path.contains(part))
    }

    /// `file:line`, where `index` counts from 0.
    pub(crate) fn place(&self, index: usize) -> String {
        format!("{}:{}", self.path, index + 1)
    }
}

/// Where the lexer is.
enum State {
    Code,
    LineComment,
    /// How deep block comments are nested.
    BlockComment(usize),
    String,
    /// How many `#` close it.
    RawString(usize),
}

fn split(text: &str) -> Vec<Line> {
    let mut state = State::Code;
    let mut lines = Vec::new();
    for raw in text.lines() {
        let mut line = Line { raw: raw.to_owned(), ..Line::default() };
        let chars: Vec<char> = raw.chars().collect();
        let mut at = 0;
        while at < chars.len() {
            at += step(&mut state, &chars[at..], &mut line);
        }
        if matches!(state, State::LineComment) {
            state = State::Code;
        }
        lines.push(line);
    }
    lines
}

/// Takes one piece from the front of `rest`, and returns its length.
fn step(state: &mut State, rest: &[char], line: &mut Line) -> usize {
    match state {
        State::Code => code(state, rest, line),
        State::LineComment => {
            line.comment.extend(rest);
            rest.len()
        }
        State::BlockComment(depth) => {
            let (length, depth) = match rest {
                ['/', '*', ..] => (2, *depth + 1),
                ['*', '/', ..] => (2, *depth - 1),
                _ => (1, *depth),
            };
            *state = if depth == 0 { State::Code } else { State::BlockComment(depth) };
            line.comment.extend(&rest[..length]);
            length
        }
        State::String => {
            let length = if rest[0] == '\\' { rest.len().min(2) } else { 1 };
            if rest[0] == '"' {
                *state = State::Code;
                line.code.push('"');
            }
            line.text.extend(&rest[..length]);
            length
        }
        State::RawString(hashes) => {
            let closes = rest[0] == '"' && rest.len() > *hashes && rest[1..=*hashes].iter().all(|&hash| hash == '#');
            let length = if closes { *hashes + 1 } else { 1 };
            if closes {
                *state = State::Code;
                line.code.push('"');
            }
            line.text.extend(&rest[..length]);
            length
        }
    }
}

fn code(state: &mut State, rest: &[char], line: &mut Line) -> usize {
    let in_a_word = line.code.chars().next_back().is_some_and(|last| last.is_alphanumeric() || last == '_');
    let length = match rest {
        ['/', '/', ..] => {
            *state = State::LineComment;
            return 0;
        }
        ['/', '*', ..] => {
            *state = State::BlockComment(1);
            line.comment.push_str("/*");
            return 2;
        }
        ['"', ..] => {
            *state = State::String;
            1
        }
        ['r', '"' | '#', ..] | ['b' | 'c', 'r', '"' | '#', ..] if !in_a_word => raw_string(state, rest),
        ['\'', '\\', _, after @ ..] => 3 + after.iter().position(|&quote| quote == '\'').map_or(0, |end| end + 1),
        ['\'', _, '\'', ..] => 3,
        _ => 1,
    };
    let is_char = rest[0] == '\'' && length > 1;
    line.code.extend(if is_char { &['\'', '\''] } else { &rest[..length] });
    line.text.extend(&rest[..length]);
    length
}

/// The length of a raw string's opening, or that of an identifier's first letter, as in `r#type`.
fn raw_string(state: &mut State, rest: &[char]) -> usize {
    let letters = rest.iter().take_while(|letter| letter.is_alphabetic()).count();
    let hashes = rest[letters..].iter().take_while(|&&hash| hash == '#').count();
    if rest.get(letters + hashes) != Some(&'"') {
        return 1;
    }
    *state = State::RawString(hashes);
    letters + hashes + 1
}

/// Marks the items behind `#[cfg(test)]`, `#[cfg(all(test, ...))]` and `#[test]`.
fn mark_tests(lines: &mut [Line]) {
    let mut at = 0;
    while at < lines.len() {
        let code = lines[at].code.trim();
        let opens = ["#[cfg(test", "#[cfg(all(test", "#[test]"].iter().any(|start| code.starts_with(start));
        let end = if opens { item_end(lines, at) } else { at };
        if opens {
            lines[at..=end].iter_mut().for_each(|line| line.is_test = true);
        }
        at = end + 1;
    }
}

/// The last line of the item that begins at `start`: where its braces close, or its `;`.
pub(crate) fn item_end(lines: &[Line], start: usize) -> usize {
    let (mut braces, mut brackets) = (0usize, 0usize);
    for (index, line) in lines.iter().enumerate().skip(start) {
        for letter in line.code.chars() {
            match letter {
                '(' | '[' => brackets += 1,
                ')' | ']' => brackets = brackets.saturating_sub(1),
                '{' => braces += 1,
                '}' => {
                    braces = braces.saturating_sub(1);
                    if braces == 0 && brackets == 0 {
                        return index;
                    }
                }
                ';' if braces == 0 && brackets == 0 => return index,
                _ => {}
            }
        }
    }
    lines.len() - 1
}

#[cfg(test)]
mod tests {
    use super::Source;

    fn one(text: &str) -> super::Line {
        Source::new("a.rs", text).lines.remove(0)
    }

    #[test]
    fn strings_and_comments_are_no_code() {
        let line = one(r#"let a = "crate::b // no"; // whoever"#);
        assert_eq!((line.code.as_str(), line.comment.as_str()), (r#"let a = ""; "#, "// whoever"));
        assert_eq!(line.text, r#"let a = "crate::b // no"; "#);
    }

    #[test]
    fn quotes_in_characters_open_no_string() {
        assert_eq!(one(r#"let (a, b) = ('"', '\''); // c"#).comment, "// c");
        assert_eq!(one("fn a<'a>(b: &'a str) {} // c").comment, "// c");
    }

    #[test]
    fn raw_strings_end_at_their_hashes() {
        let line = one(r###"a(r#"// " b"#, r#type); // c"###);
        assert_eq!((line.code.as_str(), line.comment.as_str()), (r##"a(r#"", r#type); "##, "// c"));
    }

    #[test]
    fn block_comments_nest_and_span_lines() {
        let source = Source::new("a.rs", "a /* b /* c */\nd */ e\n");
        assert_eq!((source.lines[0].code.trim(), source.lines[1].code.trim()), ("a", "e"));
    }

    #[test]
    fn items_for_tests_are_marked_to_their_end() {
        let source = Source::new("a.rs", "#[cfg(test)]\nmod tests {\n    fn a() {}\n}\nfn b() {}\n");
        let marks: Vec<bool> = source.lines.iter().map(|line| line.is_test).collect();
        assert_eq!(marks, [true, true, true, true, false]);
    }
}
