//! Random bytes, clocks and names of the system, on a thread that drives a simulation, are the
//! simulation's.

use std::collections::HashMap;
use std::ffi::c_void;
use std::net::{Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::time::{Duration, Instant, SystemTime};

use wsrt::runtime::Handle;
use wsrt::sim;
use wsrt::time::sleep;

/// Asks the C library for random bytes, as crates for random numbers do.
fn random_bytes() -> [u8; 40] {
    let mut bytes = [0; 40];
    // SAFETY: there is room for so many bytes.
    let count = unsafe { libc::getrandom(bytes.as_mut_ptr().cast::<c_void>(), bytes.len(), 0) };
    assert_eq!(count, 40);
    bytes
}

fn entropy() -> [u8; 16] {
    let mut bytes = [0; 16];
    // SAFETY: there is room for so many bytes.
    assert_eq!(unsafe { libc::getentropy(bytes.as_mut_ptr().cast::<c_void>(), bytes.len()) }, 0);
    bytes
}

/// Asks the kernel itself, as older versions of the crate getrandom do, and ring by it.
fn bytes_of_the_kernel() -> [u8; 40] {
    let mut bytes = [0; 40];
    // SAFETY: there is room for so many bytes.
    let count = unsafe { libc::syscall(libc::SYS_getrandom, bytes.as_mut_ptr(), bytes.len(), 0) };
    assert_eq!(count, 40);
    bytes
}

/// Asks the kernel itself for the seconds of a clock.
fn seconds_of_the_kernel(clock: libc::clockid_t) -> i64 {
    let mut shown = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: there is room for what it shows.
    assert_eq!(unsafe { libc::syscall(libc::SYS_clock_gettime, clock, &raw mut shown) }, 0);
    shown.tv_sec
}

fn order_of_a_map() -> Vec<u32> {
    (0..64).map(|key| (key, ())).collect::<HashMap<u32, ()>>().into_keys().collect()
}

#[test]
fn random_numbers_of_the_system_come_from_the_seed() {
    let drawn = |seed| {
        sim::run(seed, |_| async {
            let here = (order_of_a_map(), random_bytes(), entropy());
            let there = wsrt::spawn(async { (order_of_a_map(), random_bytes()) }).await.expect("it does not panic");
            (here, there, wsrt::task::spawn_blocking(random_bytes).await.expect("it does not panic"))
        })
    };
    for seed in 0..20 {
        let first = drawn(seed);
        assert_eq!(first, drawn(seed), "seed {seed}");
        assert_ne!(first, drawn(seed + 100), "seed {seed}");
        assert_ne!(first.0.1, first.1.1, "numbers are drawn once");
    }
    assert_ne!(random_bytes(), random_bytes(), "this thread has the system's");
}

#[test]
fn the_kernels_random_numbers_come_from_the_seed_too() {
    let drawn = |seed| sim::run(seed, |_| async { [bytes_of_the_kernel(), bytes_of_the_kernel()] });
    for seed in 0..20 {
        let first = drawn(seed);
        assert_eq!(first, drawn(seed), "seed {seed}");
        assert_ne!(first, drawn(seed + 100), "seed {seed}");
        assert_ne!(first[0], first[1], "numbers are drawn once");
    }
    assert_ne!(bytes_of_the_kernel(), bytes_of_the_kernel(), "this thread has the system's");
}

#[test]
fn other_system_calls_are_the_systems() {
    let ids = || {
        // SAFETY: it takes nothing.
        let id = unsafe { libc::syscall(libc::SYS_getpid) };
        assert_eq!(id, i64::from(std::process::id()));
        // SAFETY: nothing is read at the address, since there is no such call.
        let unknown = unsafe { libc::syscall(-1, std::ptr::null::<u8>()) };
        assert_eq!((unknown, std::io::Error::last_os_error().raw_os_error()), (-1, Some(libc::ENOSYS)));
        let pages = |length: usize| {
            let (access, kind) = (libc::PROT_READ, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            // SAFETY: a new mapping touches nothing else. It has six arguments.
            unsafe { libc::syscall(libc::SYS_mmap, 0_usize, length, access, kind, -1_isize, 0_usize) }
        };
        let (some, none) = (pages(4_096), pages(0));
        assert!(some > 0 && none == -1, "{some} {none}");
        // SAFETY: the mapping is ours, and nothing refers to it.
        assert_eq!(unsafe { libc::munmap(some as *mut c_void, 4_096) }, 0);
    };
    ids();
    sim::run(1, async |_| ids());
}

#[test]
fn clocks_of_the_system_show_virtual_time() {
    let shown = |seed| {
        sim::run(seed, |_| async {
            let (began, date) = (Instant::now(), SystemTime::now());
            assert_eq!(Instant::now(), began, "it stands during a turn");
            sleep(Duration::from_secs(3_600)).await;
            let on_its_clock = wsrt::time::Instant::now().into_std();
            assert_eq!(Instant::now(), on_its_clock, "both clocks are one");
            (began.elapsed(), date.elapsed().expect("it does not go back"), SystemTime::now())
        })
    };
    let before = Instant::now();
    for seed in 0..20 {
        let (elapsed, by_date, date) = shown(seed);
        assert_eq!(elapsed, by_date);
        assert!(elapsed >= Duration::from_secs(3_600) && elapsed < Duration::from_secs(3_601), "{elapsed:?}");
        assert_eq!((elapsed, by_date, date), shown(seed), "seed {seed}");
    }
    assert!(before.elapsed() < Duration::from_secs(3_600), "this thread has the system's");
}

#[test]
fn the_kernels_clocks_show_virtual_time_too() {
    let shown = || [libc::CLOCK_MONOTONIC, libc::CLOCK_REALTIME].map(seconds_of_the_kernel);
    sim::run(1, async |_| {
        let began = shown();
        sleep(Duration::from_secs(3_600)).await;
        assert_eq!(shown(), began.map(|seconds| seconds + 3_600));
    });
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("it is after 1970").as_secs();
    assert!(shown()[1].abs_diff(now as i64) < 60, "this thread has the system's");
}

#[test]
fn names_that_std_looks_up_are_those_of_hosts() {
    sim::run(1, |sim| async move {
        let address = sim.host("server", std::future::pending::<()>);
        let look_up = async |name: &'static str| {
            let found = wsrt::task::spawn_blocking(move || (name, 80).to_socket_addrs().map(Vec::from_iter)).await;
            found.expect("it does not panic").ok()
        };
        assert_eq!(look_up("server").await, Some(vec![SocketAddr::new(address, 80)]));
        assert_eq!(look_up("localhost").await, Some(vec![SocketAddr::from((Ipv4Addr::LOCALHOST, 80))]));
        assert_eq!(look_up("elsewhere").await, None, "the system is not asked");
    });
    let here: Vec<_> = ("localhost", 80).to_socket_addrs().expect("this thread has the system's").collect();
    assert!(here.iter().all(|address| address.ip().is_loopback()), "{here:?}");
}

#[test]
fn a_loop_that_waits_for_a_moment_ends() {
    sim::run(1, |_| async {
        let (began, virtually) = (Instant::now(), wsrt::time::Instant::now());
        while began.elapsed() < Duration::from_millis(5) {}
        wsrt::task::yield_now().await;
        assert!(virtually.elapsed() >= Duration::from_millis(5), "its turn has taken as long");
        assert!(began.elapsed() >= Duration::from_millis(5), "no clock goes back");
    });
}

#[test]
fn the_order_of_maps_gives_the_same_run_twice() {
    let hash = |seed| {
        sim::run(seed, |sim| async move {
            let mut tasks = HashMap::new();
            for number in 0..20_u32 {
                tasks.insert(number, wsrt::spawn(async move { sleep(Duration::from_micros(number.into())).await }));
            }
            for (_, task) in tasks {
                task.await.expect("it does not panic");
            }
            sim.record().hash()
        })
    };
    for seed in 0..100 {
        assert_eq!(hash(seed), hash(seed), "seed {seed}");
    }
}

#[test]
fn dumps_and_metrics_change_no_order_of_a_map() {
    let order = |looks: bool| {
        sim::run(1, move |_| async move {
            let lock = std::sync::Arc::new(wsrt::sync::Mutex::new(()));
            let held = lock.lock().await;
            let waiter = wsrt::spawn({
                let lock = std::sync::Arc::clone(&lock);
                async move { drop(lock.lock().await) }
            });
            sleep(Duration::from_secs(1)).await;
            if looks {
                assert!(Handle::current().dump().to_string().contains("lock"), "it sees the waiter");
                assert_eq!(Handle::current().metrics().snapshot().num_orphan_tasks(), 0, "the waiter is none");
            }
            drop(held);
            waiter.await.expect("it does not panic");
            order_of_a_map()
        })
    };
    assert_eq!(order(false), order(true));
}
