//! A buffer that a reader fills, and that may start out uninitialized.

use std::fmt;
use std::mem::MaybeUninit;

/// A byte buffer that a reader fills step by step, and that may start out uninitialized.
///
/// The buffer has three parts: bytes that are filled, bytes that are initialized but not filled,
/// and bytes that are not initialized.
///
/// The relation `filled <= initialized <= capacity` always holds.
pub struct ReadBuf<'a> {
    /// The first `initialized` bytes are initialized.
    buf: &'a mut [MaybeUninit<u8>],
    filled: usize,
    initialized: usize,
}

impl<'a> ReadBuf<'a> {
    /// Creates a `ReadBuf` over an initialized buffer. No byte counts as filled.
    #[inline]
    pub fn new(buf: &'a mut [u8]) -> Self {
        let initialized = buf.len();
        let bytes = (&raw mut *buf) as *mut [MaybeUninit<u8>];
        // SAFETY: the layouts are the same, and this type writes values only, but for the doors
        // that are unsafe and ask their callers for the same.
        let buf = unsafe { &mut *bytes };
        Self { buf, filled: 0, initialized }
    }

    /// Creates a `ReadBuf` over a buffer of which no byte is known to be initialized.
    #[inline]
    pub fn uninit(buf: &'a mut [MaybeUninit<u8>]) -> Self {
        Self { buf, filled: 0, initialized: 0 }
    }

    /// Returns the total number of bytes in the buffer.
    #[inline]
    pub fn capacity(&self) -> usize {
        self.buf.len()
    }

    /// Returns the filled part of the buffer.
    #[inline]
    pub fn filled(&self) -> &[u8] {
        // SAFETY: `filled <= initialized`.
        unsafe { bytes_of(&self.buf[..self.filled]) }
    }

    /// Returns the filled part of the buffer, for modification.
    #[inline]
    pub fn filled_mut(&mut self) -> &mut [u8] {
        // SAFETY: `filled <= initialized`.
        unsafe { bytes_of_mut(&mut self.buf[..self.filled]) }
    }

    /// Returns a new `ReadBuf` over the first `n` unfilled bytes, or over all unfilled bytes if
    /// there are fewer than `n`.
    ///
    /// The new buffer treats all of its bytes as uninitialized.
    ///
    /// Bytes that are filled through the new buffer do not count as filled in this one. Call
    /// [`assume_init`](Self::assume_init) and [`advance`](Self::advance) to count them.
    #[inline]
    pub fn take(&mut self, n: usize) -> ReadBuf<'_> {
        let n = self.remaining().min(n);
        ReadBuf::uninit(&mut self.buf[self.filled..][..n])
    }

    /// Returns the initialized part of the buffer, which starts with the filled part.
    #[inline]
    pub fn initialized(&self) -> &[u8] {
        // SAFETY: these bytes have values, see the field.
        unsafe { bytes_of(&self.buf[..self.initialized]) }
    }

    /// Returns the initialized part of the buffer, for modification.
    #[inline]
    pub fn initialized_mut(&mut self) -> &mut [u8] {
        // SAFETY: these bytes have values, see the field.
        unsafe { bytes_of_mut(&mut self.buf[..self.initialized]) }
    }

    /// Returns the whole buffer, including the bytes that are not initialized.
    ///
    /// # Safety
    ///
    /// The caller must not write uninitialized memory over bytes that are already initialized.
    #[inline]
    pub unsafe fn inner_mut(&mut self) -> &mut [MaybeUninit<u8>] {
        self.buf
    }

    /// Returns the unfilled part of the buffer, including the bytes that are not initialized.
    ///
    /// # Safety
    ///
    /// The caller must not write uninitialized memory over bytes that are already initialized.
    #[inline]
    pub unsafe fn unfilled_mut(&mut self) -> &mut [MaybeUninit<u8>] {
        &mut self.buf[self.filled..]
    }

    /// Returns the unfilled part of the buffer, and sets its uninitialized bytes to zero first.
    #[inline]
    pub fn initialize_unfilled(&mut self) -> &mut [u8] {
        self.initialize_unfilled_to(self.remaining())
    }

    /// Returns the first `n` unfilled bytes, and sets the uninitialized ones to zero first.
    ///
    /// # Panics
    ///
    /// Panics if fewer than `n` bytes are unfilled.
    #[inline]
    #[track_caller]
    pub fn initialize_unfilled_to(&mut self, n: usize) -> &mut [u8] {
        assert!(n <= self.remaining(), "{n} bytes are asked for, and fewer are left");
        let end = self.filled + n;
        if self.initialized < end {
            self.buf[self.initialized..end].fill(MaybeUninit::new(0));
            self.initialized = end;
        }
        // SAFETY: `end <= initialized` by now.
        unsafe { bytes_of_mut(&mut self.buf[self.filled..end]) }
    }

    /// Returns the number of unfilled bytes.
    #[inline]
    pub fn remaining(&self) -> usize {
        self.capacity() - self.filled
    }

    /// Marks all bytes as unfilled. The initialized bytes stay initialized.
    #[inline]
    pub fn clear(&mut self) {
        self.filled = 0;
    }

    /// Marks the next `n` bytes as filled.
    ///
    /// # Panics
    ///
    /// Panics if some of these bytes are not initialized.
    #[inline]
    #[track_caller]
    pub fn advance(&mut self, n: usize) {
        let filled = self.filled.checked_add(n).expect("a buffer is not that long");
        self.set_filled(filled);
    }

    /// Sets the filled part of the buffer to the first `n` bytes.
    ///
    /// # Panics
    ///
    /// Panics if some of these bytes are not initialized.
    #[inline]
    #[track_caller]
    pub fn set_filled(&mut self, n: usize) {
        assert!(n <= self.initialized, "bytes without a value cannot be filled");
        self.filled = n;
    }

    /// Marks the first `n` unfilled bytes as initialized.
    ///
    /// # Safety
    ///
    /// The caller must have initialized these `n` bytes.
    #[inline]
    pub unsafe fn assume_init(&mut self, n: usize) {
        self.initialized = self.initialized.max(self.filled + n);
    }

    /// Copies `buf` into the unfilled part, and marks the copied bytes as filled.
    ///
    /// # Panics
    ///
    /// Panics if `buf` is longer than the unfilled part.
    #[inline]
    #[track_caller]
    pub fn put_slice(&mut self, buf: &[u8]) {
        let (len, left) = (buf.len(), self.remaining());
        assert!(len <= left, "{len} bytes do not fit where {left} are left");
        let end = self.filled + buf.len();
        let from = (&raw const *buf) as *const [MaybeUninit<u8>];
        // SAFETY: any value is a `MaybeUninit`, and it is only read.
        let from = unsafe { &*from };
        self.buf[self.filled..end].copy_from_slice(from);
        self.initialized = self.initialized.max(end);
        self.filled = end;
    }
}

/// # Safety
///
/// All bytes of `buf` must be initialized.
unsafe fn bytes_of(buf: &[MaybeUninit<u8>]) -> &[u8] {
    // SAFETY: by this function's contract.
    unsafe { &*((&raw const *buf) as *const [u8]) }
}

/// # Safety
///
/// All bytes of `buf` must be initialized.
unsafe fn bytes_of_mut(buf: &mut [MaybeUninit<u8>]) -> &mut [u8] {
    // SAFETY: by this function's contract.
    unsafe { &mut *((&raw mut *buf) as *mut [u8]) }
}

// SAFETY: `chunk_mut` is what is not filled, and `advance_mut` moves over what its caller has
// written there.
#[cfg(feature = "bytes")]
unsafe impl bytes::BufMut for ReadBuf<'_> {
    fn remaining_mut(&self) -> usize {
        self.remaining()
    }

    unsafe fn advance_mut(&mut self, cnt: usize) {
        // SAFETY: the caller has written these bytes.
        unsafe { self.assume_init(cnt) };
        self.advance(cnt);
    }

    fn chunk_mut(&mut self) -> &mut bytes::buf::UninitSlice {
        bytes::buf::UninitSlice::uninit(&mut self.buf[self.filled..])
    }
}

impl fmt::Debug for ReadBuf<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadBuf")
            .field("filled", &self.filled)
            .field("initialized", &self.initialized)
            .field("capacity", &self.capacity())
            .finish()
    }
}
