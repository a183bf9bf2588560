//! Waits of std and parking_lot with a limit of time, on the thread of a simulation.

use std::ptr::null;
use std::sync::atomic::AtomicU32;
use std::sync::{Condvar, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use wsrt::sim::{self, Skew};
use wsrt::task::spawn_blocking;

const LIMIT: Duration = Duration::from_millis(10);

/// Runs `body` on a thread of its own, and returns its value; panics if it hangs.
fn in_time<R: Send + 'static>(body: impl FnOnce() -> R + Send + 'static) -> R {
    let (tell, told) = mpsc::channel();
    thread::spawn(move || tell.send(body()));
    told.recv_timeout(Duration::from_secs(60)).expect("a wait hangs, or has panicked")
}

/// How long each of the waits takes, in the order of the list.
fn waits() -> Vec<Duration> {
    let timed = |wait: &mut dyn FnMut()| {
        let began = Instant::now();
        wait();
        began.elapsed()
    };
    let (_sender, receiver) = mpsc::channel::<()>();
    let lock = Mutex::new(());
    let fair = parking_lot::Mutex::new(());
    let held = fair.lock();
    vec![
        timed(&mut || assert!(receiver.recv_timeout(LIMIT).is_err())),
        timed(&mut || thread::park_timeout(LIMIT)),
        timed(&mut || {
            let guard = lock.lock().expect("it is not poisoned");
            let (_guard, outcome) = Condvar::new().wait_timeout(guard, LIMIT).expect("it is not poisoned");
            assert!(outcome.timed_out());
        }),
        timed(&mut || assert!(fair.try_lock_for(LIMIT).is_none())),
        timed(&mut || {
            let other = parking_lot::Mutex::new(());
            assert!(parking_lot::Condvar::new().wait_for(&mut other.lock(), LIMIT).timed_out());
        }),
        timed(&mut || wait_on_futex(libc::FUTEX_WAIT_BITSET | libc::FUTEX_CLOCK_REALTIME, &until())),
        timed(&mut || wait_on_futex(libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG, &timespec(LIMIT))),
        {
            drop(held);
            Duration::ZERO
        },
    ]
}

fn timespec(time: Duration) -> libc::timespec {
    libc::timespec { tv_sec: time.as_secs() as i64, tv_nsec: time.subsec_nanos().into() }
}

/// The end of the limit on the calendar.
fn until() -> libc::timespec {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("it is after 1970");
    timespec(now + LIMIT)
}

/// Waits by the system call itself.
fn wait_on_futex(operation: i32, limit: &libc::timespec) {
    let word = AtomicU32::new(7);
    let (word, limit): (*const AtomicU32, *const libc::timespec) = (&raw const word, limit);
    // SAFETY: the word and the limit live until the end of the call.
    let answer = unsafe { libc::syscall(libc::SYS_futex, word, operation, 7, limit, null::<u32>(), u32::MAX) };
    assert_eq!((answer, std::io::Error::last_os_error().raw_os_error()), (-1, Some(libc::ETIMEDOUT)));
}

/// Each takes its limit, and next to nothing more.
fn check(waited: &[Duration]) {
    let (last, timed) = waited.split_last().expect("there are some");
    assert_eq!((*last, timed.len()), (Duration::ZERO, 7));
    let is_right = |wait: &Duration| (LIMIT..LIMIT + Duration::from_millis(1)).contains(wait);
    assert!(timed.iter().all(is_right), "{waited:?}");
}

#[test]
fn a_wait_without_a_waker_takes_its_limit() {
    let run = |seed| {
        in_time(move || {
            sim::run(seed, |sim| async move {
                let (virtually, before) = (wsrt::time::Instant::now(), Instant::now());
                let in_job = spawn_blocking(waits).await.expect("it does not panic");
                let in_task = wsrt::spawn(async { waits() }).await.expect("it does not panic");
                assert!(virtually.elapsed() >= 14 * LIMIT, "timers have seen it: {:?}", virtually.elapsed());
                assert!(before.elapsed() >= 14 * LIMIT, "no clock goes back");
                (in_job, in_task, sim.record().hash())
            })
        })
    };
    for seed in 0..3 {
        let ran = run(seed);
        check(&ran.0);
        check(&ran.1);
        assert_eq!(ran, run(seed), "seed {seed}");
    }
}

#[test]
fn a_timer_fires_after_a_wait_over_it() {
    in_time(|| {
        sim::run(1, |_| async {
            let timer = wsrt::spawn(async {
                let began = wsrt::time::Instant::now();
                wsrt::time::sleep(Duration::from_millis(1)).await;
                began.elapsed()
            });
            wsrt::task::yield_now().await;
            thread::park_timeout(LIMIT);
            let elapsed = timer.await.expect("it does not panic");
            assert!(elapsed >= Duration::from_millis(1) && elapsed < 3 * LIMIT, "{elapsed:?}");
        });
    });
}

#[test]
fn limits_are_those_of_a_hosts_clock() {
    in_time(|| {
        sim::run(1, |sim| async move {
            let (tell, mut told) = wsrt::sync::mpsc::channel(1);
            sim.host("node", move || {
                let tell = tell.clone();
                async move {
                    wsrt::time::sleep(Duration::from_secs(1)).await;
                    let _ = tell.send(spawn_blocking(waits).await.expect("it does not panic")).await;
                }
            });
            sim.skew("node", Skew::new().ahead(Duration::from_secs(3_600)).drift(1_000_000));
            let waited = told.recv().await.expect("the host is up");
            check(&waited);
        });
    });
}

/// The thread is no part of the simulation: by its clock the answer takes no time.
#[test]
fn a_thread_may_end_a_wait_before_its_limit() {
    in_time(|| {
        sim::run(1, |_| async {
            let began = Instant::now();
            let (sender, receiver) = mpsc::channel();
            let answering = thread::spawn(move || {
                thread::sleep(Duration::from_millis(5));
                sender.send("an answer")
            });
            assert_eq!(receiver.recv_timeout(Duration::from_secs(3_600)), Ok("an answer"));
            answering.join().expect("it does not panic").expect("it is awaited");
            assert_eq!(began.elapsed(), Duration::ZERO);
        });
    });
}
