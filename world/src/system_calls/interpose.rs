//! The `interpose!()` macro, with which a program replaces functions of the C library by the
//! functions of this module.
//!
//! The macro defines the exported symbols in the program itself, and they forward to this module.
//! Enabling a feature or depending on a crate is therefore never enough to replace a function.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The types in the signatures of the replaced functions.
pub(super) mod types {
    pub use libc::{
        addrinfo, c_char, c_int, c_long, c_uint, c_void, clockid_t, mmsghdr, msghdr, size_t, sockaddr, socklen_t,
        ssize_t, time_t, timespec, timeval,
    };
}

/// Everything that the expansion of `interpose!()` refers to. Not a public API.
#[doc(hidden)]
pub mod interposed {
    pub use super::super::kernel::syscall;
    pub use super::super::names::getaddrinfo;
    pub use super::super::sockets::datagrams::{recv, recvfrom, recvmmsg, recvmsg, send, sendmmsg, sendmsg, sendto};
    pub use super::super::sockets::{bind, connect, getpeername, getsockname, listen};
    pub use super::super::{clock_gettime, getentropy, getrandom, gettimeofday, time};
    pub use super::types::*;

    /// Runs before `main` in a program that invokes `interpose!()`.
    pub extern "C" fn begin() {
        super::ASKED_FOR.store(true, super::Relaxed);
        super::super::own::find_all();
    }
}

/// True if the program invokes `interpose!()`. Relaxed: written before `main`.
static ASKED_FOR: AtomicBool = AtomicBool::new(false);

/// Returns whether `interpose!()` is supported on this platform but not invoked by the program.
#[must_use]
pub fn lacks_interposition() -> bool {
    !ASKED_FOR.load(Relaxed)
}

/// Replaces the C library's functions for random bytes, clocks, host names and sockets throughout
/// the program.
///
/// On a thread that drives a simulation, the replacements answer from the simulation. On every
/// other thread they behave like the originals. Only dynamically linked programs on 64-bit Linux
/// with the GNU C library are supported. Anywhere else, the macro does nothing.
#[macro_export]
macro_rules! interpose {
    () => {
        const _: () = {
            #[allow(unused_imports)]
            use $crate::interposed::*;
            $crate::each_interposed!($crate::define_interposed);
            // SAFETY: the section has the functions that are called before `main`, and this is one.
            #[unsafe(link_section = ".init_array")]
            #[used]
            static BEFORE_MAIN: extern "C" fn() = $crate::interposed::begin;
        };
    };
}

/// Defines functions that forward to the functions of the same name in this module.
#[doc(hidden)]
#[macro_export]
macro_rules! define_interposed {
    ($($abi:tt fn $name:ident($($argument:ident: $kind:ty),* $(,)?) -> $answer:ty;)*) => {
        $(
            // SAFETY: it does what the C library's function does, whose name it is.
            #[unsafe(no_mangle)]
            unsafe extern $abi fn $name($($argument: $kind),*) -> $answer {
                // SAFETY: the caller promises what the C library's function requires.
                unsafe { $crate::interposed::$name($($argument),*) }
            }
        )*
    };
}

/// Calls a macro with the signatures of all replaced functions. `syscall` takes up to six
/// arguments, which are passed in these positions.
#[doc(hidden)]
#[macro_export]
macro_rules! each_interposed {
    ($($then:tt)+) => {
        $($then)+! {
            "C" fn getrandom(room: *mut c_void, length: size_t, flags: c_uint) -> ssize_t;
            "C" fn getentropy(room: *mut c_void, length: size_t) -> c_int;
            "C" fn clock_gettime(clock: clockid_t, time: *mut timespec) -> c_int;
            "C" fn gettimeofday(time: *mut timeval, zone: *mut c_void) -> c_int;
            "C" fn time(time: *mut time_t) -> time_t;
            "C" fn syscall(
                number: c_long, first: c_long, second: c_long, third: c_long, fourth: c_long, fifth: c_long, sixth: c_long,
            ) -> c_long;
            "C-unwind" fn getaddrinfo(
                node: *const c_char, service: *const c_char, hints: *const addrinfo, found: *mut *mut addrinfo,
            ) -> c_int;
            "C" fn bind(descriptor: c_int, at: *const sockaddr, length: socklen_t) -> c_int;
            "C-unwind" fn connect(descriptor: c_int, to: *const sockaddr, length: socklen_t) -> c_int;
            "C" fn listen(descriptor: c_int, backlog: c_int) -> c_int;
            "C" fn getsockname(descriptor: c_int, room: *mut sockaddr, length: *mut socklen_t) -> c_int;
            "C" fn getpeername(descriptor: c_int, room: *mut sockaddr, length: *mut socklen_t) -> c_int;
            "C-unwind" fn sendmsg(descriptor: c_int, message: *const msghdr, flags: c_int) -> ssize_t;
            "C-unwind" fn recvmsg(descriptor: c_int, message: *mut msghdr, flags: c_int) -> ssize_t;
            "C-unwind" fn sendmmsg(descriptor: c_int, messages: *mut mmsghdr, count: c_uint, flags: c_int) -> c_int;
            "C-unwind" fn recvmmsg(
                descriptor: c_int, messages: *mut mmsghdr, count: c_uint, flags: c_int, limit: *mut timespec,
            ) -> c_int;
            "C-unwind" fn sendto(
                descriptor: c_int, bytes: *const c_void, count: size_t, flags: c_int, to: *const sockaddr, length: socklen_t,
            ) -> ssize_t;
            "C-unwind" fn recvfrom(
                descriptor: c_int, room: *mut c_void, count: size_t, flags: c_int, from: *mut sockaddr,
                length: *mut socklen_t,
            ) -> ssize_t;
            "C-unwind" fn send(descriptor: c_int, bytes: *const c_void, count: size_t, flags: c_int) -> ssize_t;
            "C-unwind" fn recv(descriptor: c_int, room: *mut c_void, count: size_t, flags: c_int) -> ssize_t;
        }
    };
}
