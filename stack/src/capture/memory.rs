//! Copies memory of the process that may not be there.

use std::ptr;

/// The smallest page of all systems: the copy ends at the first one that is not there.
pub(super) const PAGE: usize = 4096;
/// The most bytes of one copy.
pub(super) const LONGEST: usize = 128 * 1024;

/// Copies up to `most` bytes, and not more than [`LONGEST`], from the address `from` on, as far as
/// there is readable memory. Returns how many. For signal handlers, too: the kernel copies.
///
/// # Safety
///
/// There are `most` bytes to be written to at `to`.
pub(super) unsafe fn copy(from: usize, to: *mut u8, most: usize) -> usize {
    let most = most.min(LONGEST);
    let mut pages = [libc::iovec { iov_base: ptr::null_mut(), iov_len: 0 }; LONGEST / PAGE + 1];
    let (mut next, mut left, mut count) = (from, most, 0_usize);
    for page in &mut pages {
        let length = (PAGE - next % PAGE).min(left);
        if length == 0 {
            break;
        }
        *page = libc::iovec { iov_base: ptr::with_exposed_provenance_mut(next), iov_len: length };
        (next, left, count) = (next.wrapping_add(length), left - length, count + 1);
    }
    let into = libc::iovec { iov_base: to.cast(), iov_len: most };
    // SAFETY: it takes nothing, and writes nothing.
    let own = unsafe { libc::getpid() };
    // By number: a sanitizer that intercepts the function would look at the memory first.
    // SAFETY: the caller vouches for `into`; what is at the pages is the kernel's to check.
    let copied = unsafe {
        libc::syscall(libc::SYS_process_vm_readv, own, &raw const into, 1_usize, pages.as_ptr(), count, 0_usize)
    };
    usize::try_from(copied).unwrap_or(0)
}

/// Returns a copy of up to `most` bytes from the address `from` on, as far as there is readable
/// memory.
pub(super) fn copied(from: usize, most: usize) -> Box<[u8]> {
    let mut bytes = vec![0; most.min(LONGEST)];
    // SAFETY: the vector is as long.
    let length = unsafe { copy(from, bytes.as_mut_ptr(), bytes.len()) };
    bytes.truncate(length);
    bytes.into()
}
