//! Extension methods for buffered readers.

mod fill;
mod line;
mod until;

pub(crate) mod lines;
pub(crate) mod segments;

use self::fill::FillBuf;
use self::line::ReadLine;
use self::lines::Lines;
use self::segments::Split;
use self::until::ReadUntil;
use crate::io::AsyncBufRead;
use std::pin::Pin;

/// Async methods for readers that have their own buffer.
///
/// The trait is implemented for every [`AsyncBufRead`] type.
pub trait AsyncBufReadExt: AsyncBufRead {
    /// Reads up to and including the next `byte`, or to the reader's end, and appends the bytes to
    /// `buf`.
    ///
    /// Returns the number of bytes read. 0 means that the reader has reached its end.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before it completes, `buf` contains the bytes that have been read
    /// so far, and the next call continues with the bytes that follow.
    fn read_until<'a>(&'a mut self, byte: u8, buf: &'a mut Vec<u8>) -> ReadUntil<'a, Self>
    where
        Self: Unpin,
    {
        ReadUntil::new(self, byte, buf)
    }

    /// Reads the next line, including its line ending, and appends the line to `buf`.
    ///
    /// Returns the number of bytes read. 0 means that the reader has reached its end. If the line
    /// is not valid UTF-8, the method returns an error and leaves `buf` unchanged.
    ///
    /// # Cancel safety
    ///
    /// This method is not cancel safe: if the future is dropped before it completes, `buf` is left
    /// empty and the bytes that have been read are lost. Use [`lines`](Self::lines), which keeps
    /// them.
    fn read_line<'a>(&'a mut self, buf: &'a mut String) -> ReadLine<'a, Self>
    where
        Self: Unpin,
    {
        ReadLine::new(self, buf)
    }

    /// Splits the reader's input into segments that end with the delimiter `byte`.
    fn split(self, byte: u8) -> Split<Self>
    where
        Self: Sized + Unpin,
    {
        Split::new(self, byte)
    }

    /// Returns the contents of the reader's buffer, and fills the buffer first if it is empty.
    ///
    /// An empty slice means that the reader has reached its end. Call [`consume`](Self::consume)
    /// with the number of bytes that you have used.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: if the future is dropped before it completes, no bytes are lost.
    fn fill_buf(&mut self) -> FillBuf<'_, Self>
    where
        Self: Unpin,
    {
        FillBuf::new(self)
    }

    /// Marks the first `amt` bytes of the buffer as used, so that they are not returned again.
    ///
    /// The buffer must contain at least `amt` bytes.
    fn consume(&mut self, amt: usize)
    where
        Self: Unpin,
    {
        Pin::new(self).consume(amt);
    }

    /// Splits the reader's input into lines, without their line endings.
    fn lines(self) -> Lines<Self>
    where
        Self: Sized,
    {
        Lines::new(self)
    }
}

impl<R: AsyncBufRead + ?Sized> AsyncBufReadExt for R {}
