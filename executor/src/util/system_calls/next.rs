//! The C library's own definitions of the functions that this program defines in their place.

use std::ffi::{CStr, c_void};
use std::mem::transmute_copy;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

/// The next definition of a function, which is the C library's.
pub(super) struct Next {
    name: &'static CStr,
    /// Null until it is known. Relaxed: the function was there before the program was.
    address: AtomicPtr<c_void>,
}

impl Next {
    pub(super) const fn of(name: &'static CStr) -> Self {
        Self { name, address: AtomicPtr::new(std::ptr::null_mut()) }
    }

    /// Returns it; `None` where there is no second definition.
    ///
    /// # Safety
    ///
    /// `F` is the type of a pointer to a function with the signature of the C library's.
    pub(super) unsafe fn get<F: Copy>(&self) -> Option<F> {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
        let mut address = self.address.load(Relaxed);
        if address.is_null() {
            // SAFETY: the name is a C string, and the answer is checked below.
            address = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
            self.address.store(address, Relaxed);
        }
        // SAFETY: it is the address of the function, and the caller has named its type.
        (!address.is_null()).then(|| unsafe { transmute_copy::<*mut c_void, F>(&address) })
    }
}
