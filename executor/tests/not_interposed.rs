//! A program with feature `sim` and without `wsrt::sim::interpose!()` has the C library's functions
//! as they are. Its simulations run, and name the line where the program may need it.

#![cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]

#[path = "simulation/workload.rs"]
mod workload;

use std::ffi::c_void;
use std::future::pending;
use std::io::ErrorKind;
use std::panic::catch_unwind;
use std::time::{Duration, Instant};

use wsrt::net::{TcpListener, UdpSocket};
use wsrt::runtime::Builder;
use wsrt::sim;

const LINE: &str = "`wsrt::sim::interpose!();`";

/// The address at which the object is loaded that has the function at `address`.
fn loaded_at(address: *const c_void) -> *mut c_void {
    // SAFETY: all of it may be zero: pointers that may be null.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: there is room for the answer, and any address may be asked for.
    let known = unsafe { libc::dladdr(address, &raw mut info) };
    if known == 0 { std::ptr::null_mut() } else { info.dli_fbase }
}

macro_rules! addresses {
    ($($name:ident)*) => { [$((stringify!($name), libc::$name as *const c_void)),*] };
}

#[test]
fn the_functions_are_not_the_programs() {
    let program = loaded_at(loaded_at as *const c_void);
    assert!(!program.is_null());
    let functions = addresses! {
        getrandom getentropy clock_gettime gettimeofday time syscall getaddrinfo bind connect listen getsockname
        getpeername sendmsg recvmsg sendmmsg recvmmsg sendto recvfrom send recv
    };
    for (name, address) in functions {
        assert_ne!(loaded_at(address), program, "{name}");
    }
}

#[test]
fn a_seed_is_one_run_all_the_same() {
    let run = |seed| {
        let runtime = Builder::new_simulated(seed).worker_threads(1 + seed as usize % 9).build().expect("a runtime");
        let order = workload::run(&runtime);
        (runtime.handle().simulation().expect("it is simulated").hash(), order)
    };
    for seed in 0..100 {
        assert_eq!(run(seed), run(seed), "seed {seed}");
    }
}

#[test]
fn only_clocks_of_wsrt_are_virtual() {
    sim::run(1, |_| async {
        let (of_std, of_wsrt) = (Instant::now(), wsrt::time::Instant::now());
        wsrt::time::sleep(Duration::from_secs(36_000)).await;
        assert!(of_wsrt.elapsed() >= Duration::from_secs(36_000));
        assert!(of_std.elapsed() < Duration::from_secs(36_000));
    });
}

#[test]
fn an_error_on_sockets_of_std_names_the_line() {
    sim::run(1, |_| async {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("the system has a port");
        let socket = std::net::UdpSocket::bind("127.0.0.1:0").expect("the system has a port");
        let errors = [TcpListener::from_std(listener).map(drop), UdpSocket::from_std(socket).map(drop)];
        for error in errors.map(|outcome| outcome.expect_err("it is the system's")) {
            assert!(error.kind() == ErrorKind::Unsupported && error.to_string().contains(LINE), "{error}");
        }
    });
}

#[test]
fn a_run_that_fails_names_the_line() {
    let panic = catch_unwind(|| sim::run(1, |_| pending::<()>())).expect_err("no task can go on");
    let text = panic.downcast::<String>().expect("a text");
    assert!(text.contains(LINE), "{text}");
}
