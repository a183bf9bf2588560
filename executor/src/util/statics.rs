//! Tells statics from the stack and the heap.

/// Returns whether a value at `address` may be a static. Always `true` where the OS does not say.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(crate) fn may_be_static(_: usize) -> bool {
    true
}

#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) use self::loaded::may_be_static;

#[cfg(any(target_os = "linux", target_os = "android"))]
mod loaded {
    use std::ffi::{c_int, c_void};
    use std::{ptr, slice};

    struct Search {
        address: usize,
        is_found: bool,
    }

    /// Returns whether a value at `address` may be a static.
    pub(crate) fn may_be_static(address: usize) -> bool {
        let mut search = Search { address, is_found: false };
        // SAFETY: the callback is called before this returns, each time with the address of
        // `search`, and does not unwind.
        unsafe { libc::dl_iterate_phdr(Some(look), ptr::from_mut(&mut search).cast()) };
        search.is_found
    }

    /// Checks one loaded object. A nonzero return value ends the search.
    unsafe extern "C" fn look(info: *mut libc::dl_phdr_info, _: usize, search: *mut c_void) -> c_int {
        // SAFETY: the caller passes on the address that `may_be_static` gave it, and there is
        // no other reference to the search.
        let search = unsafe { &mut *search.cast::<Search>() };
        // SAFETY: the caller lends the object's description.
        let info = unsafe { &*info };
        // SAFETY: so many headers are there, as long as the object is loaded.
        let headers = unsafe { slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
        search.is_found |= headers.iter().filter(|header| header.p_type == libc::PT_LOAD).any(|header| {
            let begin = (info.dlpi_addr as usize).wrapping_add(header.p_vaddr as usize);
            search.address.wrapping_sub(begin) < header.p_memsz as usize
        });
        c_int::from(search.is_found)
    }

    #[cfg(all(test, not(wsrt_loom)))]
    mod tests {
        use super::may_be_static;
        use std::sync::atomic::AtomicU64;

        static ZERO: AtomicU64 = AtomicU64::new(0);
        static SEVEN: AtomicU64 = AtomicU64::new(7);

        #[test]
        fn statics_are_told_from_the_heap_and_the_stack() {
            for address in [&raw const ZERO, &raw const SEVEN] {
                assert!(may_be_static(address.addr()));
            }
            let on_stack = 7_u64;
            assert!(!may_be_static((&raw const on_stack).addr()));
            for size in [8, 100_000, 10_000_000] {
                assert!(!may_be_static(vec![7_u8; size].as_ptr().addr()));
            }
        }
    }
}
