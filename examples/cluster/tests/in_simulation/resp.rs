//! Redis's protocol, as far as the store speaks it: commands are arrays of texts, and so are the
//! answers of scripts.

use std::io;

use wsrt::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

fn broken() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "no command")
}

/// Reads the next number behind this mark. `None` where the stream ends.
async fn number(stream: &mut (impl AsyncBufRead + Unpin), mark: char) -> io::Result<Option<usize>> {
    let mut line = String::new();
    if stream.read_line(&mut line).await? == 0 {
        return Ok(None);
    }
    line.trim_end().strip_prefix(mark).and_then(|number| number.parse().ok()).map(Some).ok_or_else(broken)
}

/// Reads the next command. `None` where the stream ends.
pub(crate) async fn command(stream: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<Vec<String>>> {
    let Some(count) = number(stream, '*').await? else { return Ok(None) };
    let mut words = Vec::with_capacity(count);
    for _ in 0..count {
        let length = number(stream, '$').await?.ok_or_else(broken)?;
        let mut word = vec![0; length + 2];
        stream.read_exact(&mut word).await?;
        word.truncate(length);
        words.push(String::from_utf8(word).map_err(|_| broken())?);
    }
    Ok(Some(words))
}

/// Writes one text.
pub(crate) fn text(word: &str) -> String {
    format!("${}\r\n{word}\r\n", word.len())
}

/// Writes an array of texts.
pub(crate) fn array(words: &[String]) -> String {
    let texts: String = words.iter().map(|word| text(word)).collect();
    format!("*{}\r\n{texts}", words.len())
}
