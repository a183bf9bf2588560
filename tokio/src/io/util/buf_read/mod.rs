//! The operations of every reader with its own buffer.

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

/// Adds operations to readers with their own buffers.
pub trait AsyncBufReadExt: AsyncBufRead {
    /// Reads to the end of `buf`, up to and with the next `byte`, or to the end. Returns how much;
    /// 0 means the end.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, `buf` has what was read, and another call continues.
    fn read_until<'a>(&'a mut self, byte: u8, buf: &'a mut Vec<u8>) -> ReadUntil<'a, Self>
    where
        Self: Unpin,
    {
        ReadUntil::new(self, byte, buf)
    }

    /// Reads to the end of `buf`, up to and with the end of the line. Returns how many bytes; 0
    /// means the end. Text that is not UTF-8 is an error, and leaves `buf` as it was.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, `buf` is empty and what was read is lost:
    /// [`lines`](Self::lines) keeps it.
    fn read_line<'a>(&'a mut self, buf: &'a mut String) -> ReadLine<'a, Self>
    where
        Self: Unpin,
    {
        ReadLine::new(self, buf)
    }

    /// Returns the pieces between bytes of this value.
    fn split(self, byte: u8) -> Split<Self>
    where
        Self: Sized + Unpin,
    {
        Split::new(self, byte)
    }

    /// Returns what is buffered, and reads first if that is nothing. Empty means the end.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, nothing is lost.
    fn fill_buf(&mut self) -> FillBuf<'_, Self>
    where
        Self: Unpin,
    {
        FillBuf::new(self)
    }

    /// Takes the first `amt` bytes from the buffer. There are to be as many.
    fn consume(&mut self, amt: usize)
    where
        Self: Unpin,
    {
        Pin::new(self).consume(amt);
    }

    /// Returns the lines, without their ends.
    fn lines(self) -> Lines<Self>
    where
        Self: Sized,
    {
        Lines::new(self)
    }
}

impl<R: AsyncBufRead + ?Sized> AsyncBufReadExt for R {}
