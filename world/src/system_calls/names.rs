//! A replacement for the C library's look-up of host names. On a thread that drives a simulation,
//! the names are the simulated hosts'.
//!
//! Programs usually look names up on a blocking thread with the standard library, which calls
//! `getaddrinfo`. A simulation runs its blocking jobs on the driving thread. The result comes from
//! the C library itself, which is asked for the numeric address, so that the C library's
//! `freeaddrinfo` can free it.

use std::cell::RefCell;
use std::ffi::{CStr, CString};
use std::net::IpAddr;
use std::rc::Rc;

use libc::{addrinfo, c_char, c_int};

use super::{contained, own};
use crate::virtual_time;

type Resolve = dyn Fn(&str) -> Option<IpAddr>;

thread_local! {
    /// The host names that a simulation provides to this thread.
    static NAMES: RefCell<Option<Rc<Resolve>>> = const { RefCell::new(None) };
}

/// A guard that provides the current thread with simulated host names.
#[must_use = "it lasts until the guard is dropped"]
pub(crate) struct NamesOverride {
    before: Option<Rc<Resolve>>,
}

/// Provides this thread with the host names that `resolve` knows, and no others, until the returned
/// guard is dropped.
pub(crate) fn override_names(resolve: impl Fn(&str) -> Option<IpAddr> + 'static) -> NamesOverride {
    NamesOverride { before: NAMES.replace(Some(Rc::new(resolve))) }
}

impl Drop for NamesOverride {
    fn drop(&mut self) {
        drop(NAMES.replace(self.before.take()));
    }
}

/// Returns the host names of this thread, or `None` if there are none or the thread is exiting.
fn given() -> Option<Rc<Resolve>> {
    // Asked first, as of sockets: threads that are given none have no destructor to be registered.
    virtual_time::shown()?;
    NAMES.try_with(|names| names.borrow().clone()).ok().flatten()
}

/// Replaces the C library's `getaddrinfo`: looks up a host name. On a thread that drives a
/// simulation, the names are the simulated hosts'.
///
/// # Safety
///
/// `node` and `service` must be null or point to C strings, `hints` must be null or point to valid
/// hints, and `found` must have room for a pointer.
pub unsafe extern "C-unwind" fn getaddrinfo(
    node: *const c_char,
    service: *const c_char,
    hints: *const addrinfo,
    found: *mut *mut addrinfo,
) -> c_int {
    let Some(resolve) = contained(given).filter(|_| !node.is_null()) else {
        // SAFETY: the arguments are the caller's.
        return unsafe { own::getaddrinfo(node, service, hints, found) };
    };
    // SAFETY: as above, and the name is not null.
    contained(move || unsafe { answer(&*resolve, node, service, hints, found) })
}

/// Answers a look-up with `resolve`.
///
/// # Safety
///
/// The same requirements apply as for `getaddrinfo`, and `node` must not be null.
unsafe fn answer(
    resolve: &Resolve,
    node: *const c_char,
    service: *const c_char,
    hints: *const addrinfo,
    found: *mut *mut addrinfo,
) -> c_int {
    // SAFETY: the caller promises a C string.
    let name = unsafe { CStr::from_ptr(node) }.to_str().unwrap_or_default();
    let Some(address) = name.parse().ok().or_else(|| resolve(name)) else { return libc::EAI_NONAME };
    let text = CString::new(address.to_string()).expect("an address has no zero byte");
    // SAFETY: the caller promises that it is null or points to hints.
    let asked = unsafe { hints.as_ref() };
    // SAFETY: all of it may be zero: numbers, and pointers that may be null.
    let mut in_numbers = asked.copied().unwrap_or_else(|| unsafe { std::mem::zeroed() });
    // Whether this computer has an address of that kind says nothing about the simulation.
    in_numbers.ai_flags = (in_numbers.ai_flags & !libc::AI_ADDRCONFIG) | libc::AI_NUMERICHOST;
    // SAFETY: the text and the hints live until the end of the call, the others are the caller's.
    unsafe { own::getaddrinfo(text.as_ptr(), service, &raw const in_numbers, found) }
}
