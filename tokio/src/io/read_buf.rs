//! A buffer that a reader fills, and that may begin as memory without a value.

use std::fmt;
use std::mem::MaybeUninit;

/// Holds a buffer in three parts: filled, initialized but not filled, and without a value.
///
/// `filled <= initialized <= capacity` always.
pub struct ReadBuf<'a> {
    /// The first `initialized` bytes have values.
    buf: &'a mut [MaybeUninit<u8>],
    filled: usize,
    initialized: usize,
}

impl<'a> ReadBuf<'a> {
    /// Wraps a buffer whose bytes all have values. Nothing is filled.
    #[inline]
    pub fn new(buf: &'a mut [u8]) -> Self {
        let initialized = buf.len();
        let bytes = (&raw mut *buf) as *mut [MaybeUninit<u8>];
        // SAFETY: the layouts are the same, and this type writes values only, but for the doors
        // that are unsafe and ask their callers for the same.
        let buf = unsafe { &mut *bytes };
        Self { buf, filled: 0, initialized }
    }

    /// Wraps a buffer of which no byte is known to have a value.
    #[inline]
    pub fn uninit(buf: &'a mut [MaybeUninit<u8>]) -> Self {
        Self { buf, filled: 0, initialized: 0 }
    }

    /// Returns the length of the whole buffer.
    #[inline]
    pub fn capacity(&self) -> usize {
        self.buf.len()
    }

    /// Returns the part that was filled.
    #[inline]
    pub fn filled(&self) -> &[u8] {
        // SAFETY: `filled <= initialized`.
        unsafe { bytes_of(&self.buf[..self.filled]) }
    }

    /// Returns the part that was filled, to change.
    #[inline]
    pub fn filled_mut(&mut self) -> &mut [u8] {
        // SAFETY: `filled <= initialized`.
        unsafe { bytes_of_mut(&mut self.buf[..self.filled]) }
    }

    /// Returns the first `n` bytes that are not filled, or all if there are fewer, as a buffer of
    /// their own that counts nothing as initialized.
    ///
    /// Bytes that are filled through it are not counted here: see
    /// [`assume_init`](Self::assume_init) and [`advance`](Self::advance).
    #[inline]
    pub fn take(&mut self, n: usize) -> ReadBuf<'_> {
        let n = self.remaining().min(n);
        ReadBuf::uninit(&mut self.buf[self.filled..][..n])
    }

    /// Returns the part that has values, which begins with the filled part.
    #[inline]
    pub fn initialized(&self) -> &[u8] {
        // SAFETY: these bytes have values, see the field.
        unsafe { bytes_of(&self.buf[..self.initialized]) }
    }

    /// Returns the part that has values, to change.
    #[inline]
    pub fn initialized_mut(&mut self) -> &mut [u8] {
        // SAFETY: these bytes have values, see the field.
        unsafe { bytes_of_mut(&mut self.buf[..self.initialized]) }
    }

    /// Returns the whole buffer.
    ///
    /// # Safety
    ///
    /// No byte that has a value may lose it.
    #[inline]
    pub unsafe fn inner_mut(&mut self) -> &mut [MaybeUninit<u8>] {
        self.buf
    }

    /// Returns the part that is not filled.
    ///
    /// # Safety
    ///
    /// No byte that has a value may lose it.
    #[inline]
    pub unsafe fn unfilled_mut(&mut self) -> &mut [MaybeUninit<u8>] {
        &mut self.buf[self.filled..]
    }

    /// Returns the part that is not filled, with zeros where there was no value.
    #[inline]
    pub fn initialize_unfilled(&mut self) -> &mut [u8] {
        self.initialize_unfilled_to(self.remaining())
    }

    /// Returns the first `n` bytes that are not filled, with zeros where there was no value.
    ///
    /// # Panics
    ///
    /// If fewer than `n` are left.
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

    /// Returns how many bytes are not filled.
    #[inline]
    pub fn remaining(&self) -> usize {
        self.capacity() - self.filled
    }

    /// Counts all bytes as not filled. Those that have values keep them.
    #[inline]
    pub fn clear(&mut self) {
        self.filled = 0;
    }

    /// Counts `n` more bytes as filled.
    ///
    /// # Panics
    ///
    /// If not all of them have values.
    #[inline]
    #[track_caller]
    pub fn advance(&mut self, n: usize) {
        let filled = self.filled.checked_add(n).expect("a buffer is not that long");
        self.set_filled(filled);
    }

    /// Counts the first `n` bytes as filled, and no others.
    ///
    /// # Panics
    ///
    /// If not all of them have values.
    #[inline]
    #[track_caller]
    pub fn set_filled(&mut self, n: usize) {
        assert!(n <= self.initialized, "bytes without a value cannot be filled");
        self.filled = n;
    }

    /// Counts the first `n` bytes that are not filled as initialized.
    ///
    /// # Safety
    ///
    /// They have values.
    #[inline]
    pub unsafe fn assume_init(&mut self, n: usize) {
        self.initialized = self.initialized.max(self.filled + n);
    }

    /// Appends to the filled part.
    ///
    /// # Panics
    ///
    /// If fewer bytes are left.
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
/// All bytes have values.
unsafe fn bytes_of(buf: &[MaybeUninit<u8>]) -> &[u8] {
    // SAFETY: by this function's contract.
    unsafe { &*((&raw const *buf) as *const [u8]) }
}

/// # Safety
///
/// All bytes have values.
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
