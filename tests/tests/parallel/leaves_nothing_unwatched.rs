//! While machines help with parallel calls, timers and sockets are looked after: by helpers now and
//! then, and where they are in long pieces of work, by another machine.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

use wsrt::parallel;
use wsrt::runtime::Runtime;
use wsrt::time::sleep;
use wsrt_tests::{compute, runtime_with, within_a_minute};

/// How long pieces of work wait for a timer: a thousand times its duration.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// Waits on the thread until `flag` is up, as a long piece of work.
fn is_raised_in_time(flag: &AtomicBool) -> bool {
    let end = Instant::now() + TIME_LIMIT;
    while !flag.load(SeqCst) && Instant::now() < end {
        thread::sleep(Duration::from_micros(200));
    }
    flag.load(SeqCst)
}

/// Until all machines sleep, and the watcher too.
fn come_to_rest() {
    thread::sleep(Duration::from_millis(50));
}

/// Raises `flag` by a timer of the runtime's, in a moment.
fn raise_soon(runtime: &Runtime, flag: &'static AtomicBool) {
    drop(runtime.spawn(async move {
        sleep(Duration::from_millis(20)).await;
        flag.store(true, SeqCst);
    }));
}

fn new_flag() -> &'static AtomicBool {
    Box::leak(Box::new(AtomicBool::new(false)))
}

/// Runs a loop from outside. Its helpers do light pieces until they have looked at the netpoller in
/// the poll owner's stead for a while; then each participant that `is_waiter` names waits for a
/// timer, and the timer for another machine to fire it.
fn a_timer_fires_beside(is_waiter: impl Fn(bool) -> bool + Sync) {
    let runtime = runtime_with(2);
    come_to_rest();
    let flag = new_flag();
    raise_soon(&runtime, flag);
    thread::sleep(Duration::from_millis(1));
    let _inside = runtime.enter();
    let owner = thread::current().id();
    let light = AtomicUsize::new(0);
    parallel::for_each(0..1_000, |_| {
        let is_owner = thread::current().id() == owner;
        if light.load(SeqCst) > 300 && is_waiter(is_owner) {
            assert!(is_raised_in_time(flag));
        } else if is_owner {
            thread::sleep(Duration::from_micros(50));
        } else {
            light.fetch_add(1, SeqCst);
            compute(500);
        }
    });
}

#[test]
fn timers_fire_while_helpers_are_in_long_pieces() {
    within_a_minute(|| (0..20).for_each(|_| a_timer_fires_beside(|_| true)));
}

#[test]
fn timers_fire_when_helpers_have_left_an_owner_from_outside() {
    within_a_minute(|| (0..20).for_each(|_| a_timer_fires_beside(|is_owner| is_owner)));
}

/// The poll owner sleeps until a machine interrupts it for a timer. A machine that goes from a task
/// to a long piece of work leaves its timers behind, like one that goes to sleep.
#[test]
fn timers_that_a_helper_leaves_behind_fire_in_time() {
    within_a_minute(|| {
        for _ in 0..5 {
            let runtime = runtime_with(3);
            come_to_rest();
            let flag = new_flag();
            let begun: &AtomicUsize = Box::leak(Box::new(AtomicUsize::new(0)));
            drop(runtime.spawn(async move {
                // Until the owner and one helper are at it: then the last machine is the poll
                // owner, and there is no place for it.
                while begun.load(SeqCst) < 2 {
                    compute(10_000);
                }
                thread::sleep(Duration::from_millis(10));
                sleep(Duration::from_millis(20)).await;
                flag.store(true, SeqCst);
            }));
            thread::sleep(Duration::from_millis(5));
            let _inside = runtime.enter();
            parallel::for_each(0..8, |_| {
                begun.fetch_add(1, SeqCst);
                assert!(is_raised_in_time(flag));
            });
        }
    });
}

/// With no socket to watch, all processors idle and helpers at work the watcher has nothing to do
/// either; then an external thread registers a socket.
#[cfg(unix)]
#[test]
fn a_socket_registered_beside_helpers_does_not_wait_for_them() {
    within_a_minute(|| {
        let runtime = runtime_with(2);
        come_to_rest();
        let (flag, light, waiting) = (new_flag(), AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            scope.spawn(|| {
                let _inside = runtime.enter();
                let owner = thread::current().id();
                // More of them than the owner does until a helper has come, however busy the day.
                parallel::for_each(0..100_000, |_| {
                    if light.load(SeqCst) > 300 {
                        waiting.fetch_add(1, SeqCst);
                        assert!(is_raised_in_time(flag));
                    } else if thread::current().id() == owner {
                        thread::sleep(Duration::from_micros(50));
                    } else {
                        light.fetch_add(1, SeqCst);
                        compute(500);
                    }
                });
            });
            // The owner and one helper. The other machine is parked, since the helper watches the
            // netpoller.
            while waiting.load(SeqCst) < 2 {
                thread::yield_now();
            }
            come_to_rest();
            runtime.block_on(async {
                let (near, mut far) = std::os::unix::net::UnixStream::pair().expect("a pair of sockets");
                near.set_nonblocking(true).expect("it is a socket");
                let stream = wsrt::net::UnixStream::from_std(near).expect("inside a runtime");
                let writes = thread::spawn(move || {
                    thread::sleep(Duration::from_millis(5));
                    std::io::Write::write_all(&mut far, &[1]).expect("the stream is open");
                });
                stream.readable().await.expect("the runtime goes on");
                flag.store(true, SeqCst);
                writes.join().expect("no panic");
            });
        });
    });
}
