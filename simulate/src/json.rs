//! The little of JSON that is written and read here.

use std::fmt::Write as _;

/// A text as a string of JSON.
pub(crate) fn string(text: &str) -> String {
    let mut json = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => _ = write!(json, "\\{letter}"),
            '\n' => json.push_str("\\n"),
            letter if letter < ' ' => _ = write!(json, "\\u{:04x}", letter as u32),
            letter => json.push(letter),
        }
    }
    json + "\""
}

/// The string that the first such key of a text has. `None` if it is none, `null` say.
pub(crate) fn string_of(text: &str, key: &str) -> Option<String> {
    let key = format!("\"{key}\":\"");
    let mut letters = text[text.find(&key)? + key.len()..].chars();
    let mut value = String::new();
    loop {
        match letters.next()? {
            '"' => return Some(value),
            '\\' => match letters.next()? {
                'n' => value.push('\n'),
                't' => value.push('\t'),
                'u' => {
                    let digits: String = letters.by_ref().take(4).collect();
                    value.push(char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?);
                }
                other => value.push(other),
            },
            letter => value.push(letter),
        }
    }
}

#[test]
fn a_string_is_read_as_it_was_written() {
    for text in ["", "a b", "\"quoted\" \\ and\nlines\t", "ä\u{1}"] {
        let json = format!("{{\"other\":null,\"key\":{}}}", string(text));
        assert_eq!(string_of(&json, "key").as_deref(), Some(text), "{json}");
        assert_eq!(string_of(&json, "other"), None);
    }
}
