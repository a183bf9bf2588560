//! The operations of every writer.

mod all;
mod end;
mod some;

use self::all::{WriteAll, WriteAllBuf, WriteNumber};
use self::end::{Flush, Shutdown};
use self::some::{Write, WriteBuf, WriteVectored};
use crate::io::AsyncWrite;
use bytes::Buf;
use std::io::IoSlice;

/// Defines methods that write a number.
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

/// Adds operations to writers.
///
/// Those that may need several writes may have written a part when they are dropped before they are
/// ready.
pub trait AsyncWriteExt: AsyncWrite {
    /// Writes a beginning of `src`, and returns how much.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, it has written nothing.
    fn write<'a>(&'a mut self, src: &'a [u8]) -> Write<'a, Self>
    where
        Self: Unpin,
    {
        Write::new(self, src)
    }

    /// Writes a beginning of the buffers' joined contents, and returns how much.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, it has written nothing.
    fn write_vectored<'a, 'b>(&'a mut self, bufs: &'a [IoSlice<'b>]) -> WriteVectored<'a, 'b, Self>
    where
        Self: Unpin,
    {
        WriteVectored::new(self, bufs)
    }

    /// Writes a beginning of `src`, takes it from there, and returns how much.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, it has written nothing.
    fn write_buf<'a, B>(&'a mut self, src: &'a mut B) -> WriteBuf<'a, Self, B>
    where
        Self: Sized + Unpin,
        B: Buf,
    {
        WriteBuf::new(self, src)
    }

    /// Writes all of `src`, taking from there what is written.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, `src` has what was not written.
    fn write_all_buf<'a, B>(&'a mut self, src: &'a mut B) -> WriteAllBuf<'a, Self, B>
    where
        Self: Sized + Unpin,
        B: Buf,
    {
        WriteAllBuf::new(self, src)
    }

    /// Writes all of `src`.
    fn write_all<'a>(&'a mut self, src: &'a [u8]) -> WriteAll<'a, Self>
    where
        Self: Unpin,
    {
        WriteAll::new(self, src)
    }

    numbers! {
        /// Writes a byte.
        write_u8(u8), 1, to_be_bytes;
        /// Writes a signed number as a byte.
        write_i8(i8), 1, to_be_bytes;
        /// Writes a number, its highest byte first.
        write_u16(u16), 2, to_be_bytes;
        /// Writes a number, its highest byte first.
        write_i16(i16), 2, to_be_bytes;
        /// Writes a number, its highest byte first.
        write_u32(u32), 4, to_be_bytes;
        /// Writes a number, its highest byte first.
        write_i32(i32), 4, to_be_bytes;
        /// Writes a number, its highest byte first.
        write_u64(u64), 8, to_be_bytes;
        /// Writes a number, its highest byte first.
        write_i64(i64), 8, to_be_bytes;
        /// Writes a number, its highest byte first.
        write_u128(u128), 16, to_be_bytes;
        /// Writes a number, its highest byte first.
        write_i128(i128), 16, to_be_bytes;
        /// Writes a number, its highest byte first.
        write_f32(f32), 4, to_be_bytes;
        /// Writes a number, its highest byte first.
        write_f64(f64), 8, to_be_bytes;
        /// Writes a number, its lowest byte first.
        write_u16_le(u16), 2, to_le_bytes;
        /// Writes a number, its lowest byte first.
        write_i16_le(i16), 2, to_le_bytes;
        /// Writes a number, its lowest byte first.
        write_u32_le(u32), 4, to_le_bytes;
        /// Writes a number, its lowest byte first.
        write_i32_le(i32), 4, to_le_bytes;
        /// Writes a number, its lowest byte first.
        write_u64_le(u64), 8, to_le_bytes;
        /// Writes a number, its lowest byte first.
        write_i64_le(i64), 8, to_le_bytes;
        /// Writes a number, its lowest byte first.
        write_u128_le(u128), 16, to_le_bytes;
        /// Writes a number, its lowest byte first.
        write_i128_le(i128), 16, to_le_bytes;
        /// Writes a number, its lowest byte first.
        write_f32_le(f32), 4, to_le_bytes;
        /// Writes a number, its lowest byte first.
        write_f64_le(f64), 8, to_le_bytes;
    }

    /// Brings all that was written to where it belongs.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, a part may have been flushed.
    fn flush(&mut self) -> Flush<'_, Self>
    where
        Self: Unpin,
    {
        Flush::new(self)
    }

    /// Flushes and ends the writing, so that the peer sees the end.
    fn shutdown(&mut self) -> Shutdown<'_, Self>
    where
        Self: Unpin,
    {
        Shutdown::new(self)
    }
}

impl<W: AsyncWrite + ?Sized> AsyncWriteExt for W {}
