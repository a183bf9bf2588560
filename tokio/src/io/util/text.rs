//! Conversion of bytes that were read into text.

use std::error::Error;
use std::io;
use std::mem;

/// Moves `bytes` back into `text`. If they are not valid UTF-8, the last `read` bytes, which were
/// just read, are removed first.
pub(super) fn put_back(
    text: &mut String,
    bytes: &mut Vec<u8>,
    read: usize,
    answer: io::Result<usize>,
) -> io::Result<usize> {
    match String::from_utf8(mem::take(bytes)) {
        Ok(whole) => {
            *text = whole;
            answer
        }
        Err(error) => {
            let reason = error.utf8_error();
            let mut before = error.into_bytes();
            before.truncate(before.len() - read);
            *text = String::from_utf8(before).expect("it was text before");
            answer.and(Err(not_text(reason)))
        }
    }
}

pub(super) fn not_text(reason: impl Error + Send + Sync + 'static) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}
