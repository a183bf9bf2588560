//! Extension methods for writers.

mod all;
mod end;
mod some;

use self::all::{WriteAll, WriteAllBuf, WriteNumber};
use self::end::{Flush, Shutdown};
use self::some::{Write, WriteBuf, WriteVectored};
use crate::io::AsyncWrite;
use bytes::Buf;
use std::io::IoSlice;

/// Defines the methods that write a number.
macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident($number:ty), $bytes:literal, $encode:ident;)*) => {
        $(
            $(#[$doc])*
            fn $name(&mut self, n: $number) -> WriteNumber<'_, Self, [u8; $bytes]>
            where
                Self: Unpin,
            {
                WriteNumber::new(self, n.$encode())
            }
        )*
    };
}

/// Async methods for writers.
///
/// The trait is implemented for every [`AsyncWrite`] type.
///
/// A method that may need several writes can have written a part of its data when its future is
/// dropped before it completes.
pub trait AsyncWriteExt: AsyncWrite {
    /// Writes some of the bytes of `src`, starting with the first.
    ///
    /// Returns the number of bytes written, which may be smaller than the length of `src`. Use
    /// [`write_all`](Self::write_all) to write all of them.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: if the future is dropped before it completes, nothing has been
    /// written.
    fn write<'a>(&'a mut self, src: &'a [u8]) -> Write<'a, Self>
    where
        Self: Unpin,
    {
        Write::new(self, src)
    }

    /// Writes some of the bytes of the slices in `bufs`, in order, as if the slices were a single
    /// buffer.
    ///
    /// Returns the number of bytes written, which may be smaller than the slices' total length.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: if the future is dropped before it completes, nothing has been
    /// written.
    fn write_vectored<'a, 'b>(&'a mut self, bufs: &'a [IoSlice<'b>]) -> WriteVectored<'a, 'b, Self>
    where
        Self: Unpin,
    {
        WriteVectored::new(self, bufs)
    }

    /// Writes some of the bytes of `src`, and advances `src` past the bytes that have been written.
    ///
    /// Returns the number of bytes written.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: if the future is dropped before it completes, nothing has been
    /// written.
    fn write_buf<'a, B>(&'a mut self, src: &'a mut B) -> WriteBuf<'a, Self, B>
    where
        Self: Sized + Unpin,
        B: Buf,
    {
        WriteBuf::new(self, src)
    }

    /// Writes all bytes of `src`, and advances `src` as the bytes are written.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before it completes, `src` contains exactly the bytes that have not
    /// been written.
    fn write_all_buf<'a, B>(&'a mut self, src: &'a mut B) -> WriteAllBuf<'a, Self, B>
    where
        Self: Sized + Unpin,
        B: Buf,
    {
        WriteAllBuf::new(self, src)
    }

    /// Writes all bytes of `src`.
    ///
    /// If the future is dropped before it completes, some of the bytes may have been written.
    fn write_all<'a>(&'a mut self, src: &'a [u8]) -> WriteAll<'a, Self>
    where
        Self: Unpin,
    {
        WriteAll::new(self, src)
    }

    numbers! {
        /// Writes an unsigned 8-bit integer as a single byte.
        write_u8(u8), 1, to_be_bytes;
        /// Writes a signed 8-bit integer as a single byte.
        write_i8(i8), 1, to_be_bytes;
        /// Writes an unsigned 16-bit integer as 2 bytes in big-endian byte order.
        write_u16(u16), 2, to_be_bytes;
        /// Writes a signed 16-bit integer as 2 bytes in big-endian byte order.
        write_i16(i16), 2, to_be_bytes;
        /// Writes an unsigned 32-bit integer as 4 bytes in big-endian byte order.
        write_u32(u32), 4, to_be_bytes;
        /// Writes a signed 32-bit integer as 4 bytes in big-endian byte order.
        write_i32(i32), 4, to_be_bytes;
        /// Writes an unsigned 64-bit integer as 8 bytes in big-endian byte order.
        write_u64(u64), 8, to_be_bytes;
        /// Writes a signed 64-bit integer as 8 bytes in big-endian byte order.
        write_i64(i64), 8, to_be_bytes;
        /// Writes an unsigned 128-bit integer as 16 bytes in big-endian byte order.
        write_u128(u128), 16, to_be_bytes;
        /// Writes a signed 128-bit integer as 16 bytes in big-endian byte order.
        write_i128(i128), 16, to_be_bytes;
        /// Writes a 32-bit floating-point number as 4 bytes in big-endian byte order.
        write_f32(f32), 4, to_be_bytes;
        /// Writes a 64-bit floating-point number as 8 bytes in big-endian byte order.
        write_f64(f64), 8, to_be_bytes;
        /// Writes an unsigned 16-bit integer as 2 bytes in little-endian byte order.
        write_u16_le(u16), 2, to_le_bytes;
        /// Writes a signed 16-bit integer as 2 bytes in little-endian byte order.
        write_i16_le(i16), 2, to_le_bytes;
        /// Writes an unsigned 32-bit integer as 4 bytes in little-endian byte order.
        write_u32_le(u32), 4, to_le_bytes;
        /// Writes a signed 32-bit integer as 4 bytes in little-endian byte order.
        write_i32_le(i32), 4, to_le_bytes;
        /// Writes an unsigned 64-bit integer as 8 bytes in little-endian byte order.
        write_u64_le(u64), 8, to_le_bytes;
        /// Writes a signed 64-bit integer as 8 bytes in little-endian byte order.
        write_i64_le(i64), 8, to_le_bytes;
        /// Writes an unsigned 128-bit integer as 16 bytes in little-endian byte order.
        write_u128_le(u128), 16, to_le_bytes;
        /// Writes a signed 128-bit integer as 16 bytes in little-endian byte order.
        write_i128_le(i128), 16, to_le_bytes;
        /// Writes a 32-bit floating-point number as 4 bytes in little-endian byte order.
        write_f32_le(f32), 4, to_le_bytes;
        /// Writes a 64-bit floating-point number as 8 bytes in little-endian byte order.
        write_f64_le(f64), 8, to_le_bytes;
    }

    /// Flushes the writer, so that all bytes written so far reach their destination.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before it completes, some of the bytes may have been flushed.
    fn flush(&mut self) -> Flush<'_, Self>
    where
        Self: Unpin,
    {
        Flush::new(self)
    }

    /// Flushes the writer and shuts it down, so that the peer reads the end of the stream.
    fn shutdown(&mut self) -> Shutdown<'_, Self>
    where
        Self: Unpin,
    {
        Shutdown::new(self)
    }
}

impl<W: AsyncWrite + ?Sized> AsyncWriteExt for W {}
