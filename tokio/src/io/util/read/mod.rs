//! Extension methods for readers.

mod exact;
mod number;
mod some;
pub(crate) mod to_end;
mod to_string;

use self::exact::ReadExact;
use self::number::ReadNumber;
use self::some::{Read, ReadInto};
use self::to_end::ReadToEnd;
use self::to_string::ReadToString;
use super::chain::Chain;
use super::take::Take;
use crate::io::AsyncRead;
use bytes::BufMut;

/// Defines the methods that read a number.
macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident -> $number:ty, $bytes:literal, $decode:ident;)*) => {
        $(
            $(#[$doc])*
            fn $name(&mut self) -> ReadNumber<'_, Self, $number, [u8; $bytes]>
            where
                Self: Unpin,
            {
                ReadNumber::new(self, <$number>::$decode)
            }
        )*
    };
}

/// Async methods for readers.
///
/// The trait is implemented for every [`AsyncRead`] type.
///
/// Methods that need a fixed number of bytes return an error of the kind
/// [`UnexpectedEof`](std::io::ErrorKind::UnexpectedEof) if the reader ends early. Unless a method
/// says otherwise, dropping its future before it completes may lose bytes that have already been
/// read.
pub trait AsyncReadExt: AsyncRead {
    /// Creates a reader that first reads all bytes of this reader and then all bytes of `next`.
    fn chain<R>(self, next: R) -> Chain<Self, R>
    where
        Self: Sized,
        R: AsyncRead,
    {
        Chain::new(self, next)
    }

    /// Reads some bytes into `buf`.
    ///
    /// Returns the number of bytes read. 0 means that the reader has reached its end, or that `buf`
    /// is empty.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: if the future is dropped before it completes, nothing has been
    /// read.
    fn read<'a>(&'a mut self, buf: &'a mut [u8]) -> Read<'a, Self>
    where
        Self: Unpin,
    {
        Read::new(self, buf)
    }

    /// Reads some bytes and appends them to `buf`.
    ///
    /// Returns the number of bytes read. 0 means that the reader has reached its end, or that `buf`
    /// is full.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: if the future is dropped before it completes, nothing has been
    /// read.
    fn read_buf<'a, B>(&'a mut self, buf: &'a mut B) -> ReadInto<'a, Self, B>
    where
        Self: Unpin,
        B: BufMut + ?Sized,
    {
        ReadInto::new(self, buf)
    }

    /// Reads exactly as many bytes as are needed to fill `buf`, and returns that number.
    ///
    /// Returns an error of the kind [`UnexpectedEof`](std::io::ErrorKind::UnexpectedEof) if the
    /// reader ends earlier.
    fn read_exact<'a>(&'a mut self, buf: &'a mut [u8]) -> ReadExact<'a, Self>
    where
        Self: Unpin,
    {
        ReadExact::new(self, buf)
    }

    numbers! {
        /// Reads 1 byte, and returns an unsigned 8-bit integer.
        read_u8 -> u8, 1, from_be_bytes;
        /// Reads 1 byte, and returns a signed 8-bit integer.
        read_i8 -> i8, 1, from_be_bytes;
        /// Reads 2 bytes, and returns an unsigned 16-bit integer that was encoded in big-endian
        /// byte order.
        read_u16 -> u16, 2, from_be_bytes;
        /// Reads 2 bytes, and returns a signed 16-bit integer that was encoded in big-endian byte
        /// order.
        read_i16 -> i16, 2, from_be_bytes;
        /// Reads 4 bytes, and returns an unsigned 32-bit integer that was encoded in big-endian
        /// byte order.
        read_u32 -> u32, 4, from_be_bytes;
        /// Reads 4 bytes, and returns a signed 32-bit integer that was encoded in big-endian byte
        /// order.
        read_i32 -> i32, 4, from_be_bytes;
        /// Reads 8 bytes, and returns an unsigned 64-bit integer that was encoded in big-endian
        /// byte order.
        read_u64 -> u64, 8, from_be_bytes;
        /// Reads 8 bytes, and returns a signed 64-bit integer that was encoded in big-endian byte
        /// order.
        read_i64 -> i64, 8, from_be_bytes;
        /// Reads 16 bytes, and returns an unsigned 128-bit integer that was encoded in big-endian
        /// byte order.
        read_u128 -> u128, 16, from_be_bytes;
        /// Reads 16 bytes, and returns a signed 128-bit integer that was encoded in big-endian byte
        /// order.
        read_i128 -> i128, 16, from_be_bytes;
        /// Reads 4 bytes, and returns a 32-bit floating-point number that was encoded in big-endian
        /// byte order.
        read_f32 -> f32, 4, from_be_bytes;
        /// Reads 8 bytes, and returns a 64-bit floating-point number that was encoded in big-endian
        /// byte order.
        read_f64 -> f64, 8, from_be_bytes;
        /// Reads 2 bytes, and returns an unsigned 16-bit integer that was encoded in little-endian
        /// byte order.
        read_u16_le -> u16, 2, from_le_bytes;
        /// Reads 2 bytes, and returns a signed 16-bit integer that was encoded in little-endian
        /// byte order.
        read_i16_le -> i16, 2, from_le_bytes;
        /// Reads 4 bytes, and returns an unsigned 32-bit integer that was encoded in little-endian
        /// byte order.
        read_u32_le -> u32, 4, from_le_bytes;
        /// Reads 4 bytes, and returns a signed 32-bit integer that was encoded in little-endian
        /// byte order.
        read_i32_le -> i32, 4, from_le_bytes;
        /// Reads 8 bytes, and returns an unsigned 64-bit integer that was encoded in little-endian
        /// byte order.
        read_u64_le -> u64, 8, from_le_bytes;
        /// Reads 8 bytes, and returns a signed 64-bit integer that was encoded in little-endian
        /// byte order.
        read_i64_le -> i64, 8, from_le_bytes;
        /// Reads 16 bytes, and returns an unsigned 128-bit integer that was encoded in
        /// little-endian byte order.
        read_u128_le -> u128, 16, from_le_bytes;
        /// Reads 16 bytes, and returns a signed 128-bit integer that was encoded in little-endian
        /// byte order.
        read_i128_le -> i128, 16, from_le_bytes;
        /// Reads 4 bytes, and returns a 32-bit floating-point number that was encoded in
        /// little-endian byte order.
        read_f32_le -> f32, 4, from_le_bytes;
        /// Reads 8 bytes, and returns a 64-bit floating-point number that was encoded in
        /// little-endian byte order.
        read_f64_le -> f64, 8, from_le_bytes;
    }

    /// Reads all bytes up to the reader's end, and appends them to `buf`.
    ///
    /// Returns the number of bytes read.
    fn read_to_end<'a>(&'a mut self, buf: &'a mut Vec<u8>) -> ReadToEnd<'a, Self>
    where
        Self: Unpin,
    {
        ReadToEnd::new(self, buf)
    }

    /// Reads all bytes up to the reader's end, and appends them to `dst` as text.
    ///
    /// Returns the number of bytes read. If the bytes are not valid UTF-8, the method returns an
    /// error and leaves `dst` unchanged.
    fn read_to_string<'a>(&'a mut self, dst: &'a mut String) -> ReadToString<'a, Self>
    where
        Self: Unpin,
    {
        ReadToString::new(self, dst)
    }

    /// Creates a reader that reads at most `limit` bytes of this reader and then ends.
    fn take(self, limit: u64) -> Take<Self>
    where
        Self: Sized,
    {
        Take::new(self, limit)
    }
}

impl<R: AsyncRead + ?Sized> AsyncReadExt for R {}
