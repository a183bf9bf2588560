//! The C library's own definitions of the functions that this program defines in their place.
//!
//! All are found before `main`: a signal handler may make any of these calls, and to find one takes
//! the lock of the loader, which the thread below the handler may hold.

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

    /// Finds it.
    pub(super) fn find(&self) -> *mut c_void {
        // SAFETY: the name is a C string, and the answer is checked where it is used.
        let address = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
        self.address.store(address, Relaxed);
        address
    }

    /// Returns it; `None` where there is no second definition.
    ///
    /// # Safety
    ///
    /// `F` is the type of a pointer to a function with the signature of the C library's.
    pub(super) unsafe fn get<F: Copy>(&self) -> Option<F> {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
        let known = self.address.load(Relaxed);
        // Unknown only to what runs before this program: the constructors of its libraries.
        let address = if known.is_null() { self.find() } else { known };
        // SAFETY: it is the address of the function, and the caller has named its type.
        (!address.is_null()).then(|| unsafe { transmute_copy::<*mut c_void, F>(&address) })
    }
}

/// The [`Next`] of this name, which is found before `main`.
macro_rules! found_early {
    ($name:literal) => {{
        static NEXT: $crate::system_calls::next::Next = $crate::system_calls::next::Next::of($name);
        extern "C" fn find() {
            NEXT.find();
        }
        // SAFETY: the section has the functions that are called before `main`, and this is one.
        #[unsafe(link_section = ".init_array")]
        #[used]
        static BEFORE_MAIN: extern "C" fn() = find;
        &NEXT
    }};
}

/// The C library's own function `$name`, of the type `$kind`; `None` where there is no second
/// definition.
///
/// # Safety
///
/// The type is that function's.
macro_rules! next {
    ($name:literal as $kind:ty) => {{
        let next = $crate::system_calls::next::found_early!($name);
        // SAFETY: the user of this macro says that it is its type.
        unsafe { next.get::<$kind>() }
    }};
}

pub(super) use {found_early, next};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_found_before_anyone_asks() {
        assert!(!found_early!(c"getpid").address.load(Relaxed).is_null());
    }
}
