//! Quotes words for a shell.

use std::ffi::OsStr;

/// Returns the word, quoted if a shell requires it.
pub(crate) fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=:,+@%".contains(letter);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.into_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[test]
fn a_word_with_other_signs_is_quoted() {
    assert_eq!(quoted(OsStr::new("--test=a/b.rs")), "--test=a/b.rs");
    assert_eq!(quoted(OsStr::new("at 1s")), "'at 1s'");
    assert_eq!(quoted(OsStr::new("it's")), r"'it'\''s'");
    assert_eq!(quoted(OsStr::new("")), "''");
}
