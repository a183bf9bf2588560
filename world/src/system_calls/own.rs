//! The C library's own definitions of the functions that a program may replace.
//!
//! In a program that replaces them, all definitions are looked up before `main`. A signal handler
//! may call any of these functions, and looking one up takes the loader's lock, which the
//! interrupted thread may hold.

use std::ffi::{CStr, c_void};
use std::mem::transmute_copy;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

use super::fail;
use super::interpose::types::*;

/// The next definition of a function in the order of loading, which is the C library's.
struct LibcFunction {
    /// The function's name, with a zero byte at its end.
    name: &'static str,
    /// The address of the function, or null until it is known. Relaxed: the function was there
    /// before the program was.
    address: AtomicPtr<c_void>,
}

impl LibcFunction {
    /// Looks up the function's address.
    fn find(&self) -> *mut c_void {
        let name = CStr::from_bytes_with_nul(self.name.as_bytes()).expect("a name has one zero byte");
        // SAFETY: the name is a C string, and the answer is checked where it is used.
        let address = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
        self.address.store(address, Relaxed);
        address
    }

    /// Returns the function, or `None` if there is no second definition.
    ///
    /// # Safety
    ///
    /// `F` must be the type of a pointer to a function with the signature of the C library's.
    unsafe fn get<F: Copy>(&self) -> Option<F> {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
        let known = self.address.load(Relaxed);
        // Unknown only to what runs before this program, the constructors of its libraries, and
        // where the program has not asked for it.
        let address = if known.is_null() { self.find() } else { known };
        // SAFETY: it is the address of the function, and the caller has named its type.
        (!address.is_null()).then(|| unsafe { transmute_copy::<*mut c_void, F>(&address) })
    }
}

macro_rules! define_own {
    ($($abi:tt fn $name:ident($($argument:ident: $kind:ty),* $(,)?) -> $answer:ty;)*) => {
        #[expect(non_upper_case_globals, reason = "they are named as the functions are")]
        mod found {
            $(pub(super) static $name: super::LibcFunction = super::LibcFunction {
                name: concat!(stringify!($name), "\0"),
                address: super::AtomicPtr::new(std::ptr::null_mut()),
            };)*
        }

        /// Looks up all functions.
        pub(super) fn find_all() {
            $(found::$name.find();)*
        }

        $(
            /// Calls the C library's own function of this name.
            ///
            /// # Safety
            ///
            /// The same requirements apply as for that function.
            #[allow(dead_code, reason = "for some, older C libraries have none")]
            pub(super) unsafe extern $abi fn $name($($argument: $kind),*) -> $answer {
                // SAFETY: the type is the type of the function of this name.
                match unsafe { found::$name.get::<unsafe extern $abi fn($($kind),*) -> $answer>() } {
                    // SAFETY: the arguments are the caller's.
                    Some(next) => unsafe { next($($argument),*) },
                    None => fail(libc::ENOSYS) as $answer,
                }
            }
        )*
    };
}

crate::each_interposed!(define_own);

#[cfg(test)]
mod tests {
    use super::*;

    crate::interpose!();

    #[test]
    fn they_are_found_before_anyone_asks() {
        assert!(!super::super::lacks_interposition() && !found::recvmmsg.address.load(Relaxed).is_null());
    }
}
