//! Bytes that were read to be text.

use std::error::Error;
use std::io;
use std::mem;

/// Puts `bytes`, whose last `read` were read, into `text`, unless they are not UTF-8: then those
/// before.
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
