//! The operations of every reader.

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

/// Defines methods that read a number.
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

/// Adds operations to readers.
///
/// Those that may need several reads fail with
/// [`UnexpectedEof`](std::io::ErrorKind::UnexpectedEof) at an early end, and have lost what they
/// read when they are dropped before they are ready, where nothing else is said.
pub trait AsyncReadExt: AsyncRead {
    /// Returns a reader of this reader's bytes, followed by the bytes of `next`.
    fn chain<R>(self, next: R) -> Chain<Self, R>
    where
        Self: Sized,
        R: AsyncRead,
    {
        Chain::new(self, next)
    }

    /// Reads some bytes, and returns how many. 0 means the end, or that `buf` is empty.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, it has read nothing.
    fn read<'a>(&'a mut self, buf: &'a mut [u8]) -> Read<'a, Self>
    where
        Self: Unpin,
    {
        Read::new(self, buf)
    }

    /// Reads some bytes to the end of `buf`, and returns how many. 0 means the end, or that `buf`
    /// is full.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, it has read nothing.
    fn read_buf<'a, B>(&'a mut self, buf: &'a mut B) -> ReadInto<'a, Self, B>
    where
        Self: Unpin,
        B: BufMut + ?Sized,
    {
        ReadInto::new(self, buf)
    }

    /// Fills the whole of `buf`, and returns its length.
    fn read_exact<'a>(&'a mut self, buf: &'a mut [u8]) -> ReadExact<'a, Self>
    where
        Self: Unpin,
    {
        ReadExact::new(self, buf)
    }

    numbers! {
        /// Reads a byte.
        read_u8 -> u8, 1, from_be_bytes;
        /// Reads a byte as a signed number.
        read_i8 -> i8, 1, from_be_bytes;
        /// Reads a number, its highest byte first.
        read_u16 -> u16, 2, from_be_bytes;
        /// Reads a number, its highest byte first.
        read_i16 -> i16, 2, from_be_bytes;
        /// Reads a number, its highest byte first.
        read_u32 -> u32, 4, from_be_bytes;
        /// Reads a number, its highest byte first.
        read_i32 -> i32, 4, from_be_bytes;
        /// Reads a number, its highest byte first.
        read_u64 -> u64, 8, from_be_bytes;
        /// Reads a number, its highest byte first.
        read_i64 -> i64, 8, from_be_bytes;
        /// Reads a number, its highest byte first.
        read_u128 -> u128, 16, from_be_bytes;
        /// Reads a number, its highest byte first.
        read_i128 -> i128, 16, from_be_bytes;
        /// Reads a number, its highest byte first.
        read_f32 -> f32, 4, from_be_bytes;
        /// Reads a number, its highest byte first.
        read_f64 -> f64, 8, from_be_bytes;
        /// Reads a number, its lowest byte first.
        read_u16_le -> u16, 2, from_le_bytes;
        /// Reads a number, its lowest byte first.
        read_i16_le -> i16, 2, from_le_bytes;
        /// Reads a number, its lowest byte first.
        read_u32_le -> u32, 4, from_le_bytes;
        /// Reads a number, its lowest byte first.
        read_i32_le -> i32, 4, from_le_bytes;
        /// Reads a number, its lowest byte first.
        read_u64_le -> u64, 8, from_le_bytes;
        /// Reads a number, its lowest byte first.
        read_i64_le -> i64, 8, from_le_bytes;
        /// Reads a number, its lowest byte first.
        read_u128_le -> u128, 16, from_le_bytes;
        /// Reads a number, its lowest byte first.
        read_i128_le -> i128, 16, from_le_bytes;
        /// Reads a number, its lowest byte first.
        read_f32_le -> f32, 4, from_le_bytes;
        /// Reads a number, its lowest byte first.
        read_f64_le -> f64, 8, from_le_bytes;
    }

    /// Reads all to the end of `buf`, and returns how much.
    fn read_to_end<'a>(&'a mut self, buf: &'a mut Vec<u8>) -> ReadToEnd<'a, Self>
    where
        Self: Unpin,
    {
        ReadToEnd::new(self, buf)
    }

    /// Reads all to the end of `dst`, and returns how many bytes. Text that is not UTF-8 is an
    /// error, and leaves `dst` as it was.
    fn read_to_string<'a>(&'a mut self, dst: &'a mut String) -> ReadToString<'a, Self>
    where
        Self: Unpin,
    {
        ReadToString::new(self, dst)
    }

    /// Returns a reader that ends after `limit` bytes.
    fn take(self, limit: u64) -> Take<Self>
    where
        Self: Sized,
    {
        Take::new(self, limit)
    }
}

impl<R: AsyncRead + ?Sized> AsyncReadExt for R {}
