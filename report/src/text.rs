//! Escapes text from a trace file for use in the page.

use std::fmt::{self, Display, Write};

/// Escapes text for HTML, within an element or a quoted attribute. Invisible characters and
/// characters that change the direction of the text around them are replaced with a visible mark.
#[derive(Clone, Copy, Debug)]
pub struct Escaped<'a>(pub &'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            match character {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                '\n' | '\t' => f.write_char(' ')?,
                unseen if is_unseen(unseen) => f.write_char('\u{fffd}')?,
                character => f.write_char(character)?,
            }
        }
        Ok(())
    }
}

/// Returns whether the character is a control character, a directional mark, or a code point that
/// is not a character.
fn is_unseen(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
        || u32::from(character) & 0xfffe == 0xfffe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_gets_out_of_an_element_or_an_attribute() {
        let escaped = Escaped("</td><script>alert('1')</script>\" onclick=\"x&y").to_string();
        assert_eq!(escaped, "&lt;/td&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot; onclick=&quot;x&amp;y");
    }

    #[test]
    fn what_cannot_be_seen_is_made_visible() {
        let escaped = Escaped("a\0b\u{202e}c\u{7f}d\ne\u{ffff}").to_string();
        assert_eq!(escaped, "a\u{fffd}b\u{fffd}c\u{fffd}d e\u{fffd}");
    }
}
