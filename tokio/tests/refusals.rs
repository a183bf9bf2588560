//! Programs are refused as by tokio, by its words and at the caller's place: blocking calls in
//! tasks, operations without a runtime, I/O or timers, and pipes without room.
#![cfg(all(feature = "full", feature = "test-util"))]

use std::future::pending;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::sync::{Arc, Mutex as StdMutex, PoisonError};
use tokio::io::{SimplexStream, duplex, simplex};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Mutex, RwLock, Semaphore, broadcast, mpsc, oneshot};
use tokio::task::{block_in_place, spawn_blocking};
use tokio::time::{Duration, interval, sleep, timeout};

const SECOND: Duration = Duration::from_secs(1);

fn runtimes() -> [Runtime; 2] {
    [Builder::new_current_thread(), Builder::new_multi_thread()]
        .map(|mut builder| builder.enable_all().build().unwrap())
}

/// Returns the message of the panic of `f`, and the file in which it took place.
fn panic_of(f: impl FnOnce()) -> Option<(String, String)> {
    static ONE_AT_A_TIME: StdMutex<()> = StdMutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let seen = Arc::new(StdMutex::new(None));
    let noted = Arc::clone(&seen);
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let file = info.location().map_or("", Location::file).to_owned();
        let text = info.payload().downcast_ref::<&str>().map(|text| (*text).to_owned());
        let message = text.or_else(|| info.payload().downcast_ref::<String>().cloned());
        *noted.lock().unwrap() = Some((message.unwrap_or_default(), file));
    }));
    let _ = catch_unwind(AssertUnwindSafe(f));
    std::panic::set_hook(before);
    seen.lock().unwrap().take()
}

#[track_caller]
fn assert_refused(f: impl FnOnce()) {
    let (message, file) = panic_of(f).expect("it is refused");
    assert!(message.starts_with("Cannot block the current thread from within a runtime"), "{message}");
    assert_eq!(file, file!());
}

#[test]
fn a_task_may_call_no_blocking_function() {
    for runtime in runtimes() {
        let inside = |f: &dyn Fn()| assert_refused(|| runtime.block_on(async { f() }));
        inside(&|| _ = Mutex::new(1).blocking_lock());
        inside(&|| _ = Arc::new(Mutex::new(1)).blocking_lock_owned());
        inside(&|| _ = RwLock::new(1).blocking_read());
        inside(&|| _ = RwLock::new(1).blocking_write());
        inside(&|| _ = Semaphore::new(1).blocking_acquire());
        inside(&|| _ = Arc::new(Semaphore::new(1)).blocking_acquire_owned());
        inside(&|| _ = mpsc::channel(1).0.blocking_send(1));
        inside(&|| _ = mpsc::channel::<u8>(1).1.blocking_recv());
        inside(&|| _ = mpsc::unbounded_channel::<u8>().1.blocking_recv_many(&mut Vec::new(), 1));
        inside(&|| _ = broadcast::channel::<u8>(1).1.blocking_recv());
        inside(&|| _ = oneshot::channel::<u8>().1.blocking_recv());
    }
}

fn lock() {
    drop(Mutex::new(1).blocking_lock());
}

#[test]
fn a_spawned_task_may_not_either() {
    for runtime in runtimes() {
        let other = runtimes();
        assert_refused(|| {
            let _ = runtime.block_on(async { tokio::spawn(async { lock() }).await });
        });
        assert_refused(|| {
            runtime.block_on(async {
                let _guard = other[0].enter();
                lock();
            });
        });
    }
}

#[test]
fn blocking_jobs_and_threads_may_block() {
    lock();
    for runtime in runtimes() {
        let _guard = runtime.enter();
        lock();
        runtime.block_on(spawn_blocking(lock)).unwrap();
        runtime.block_on(async { tokio::spawn(spawn_blocking(lock)).await }).unwrap().unwrap();
    }
}

#[test]
fn block_in_place_allows_it_but_for_block_on_inside() {
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let handle = runtime.handle().clone();
    let nested = async move {
        block_in_place(|| {
            lock();
            assert_refused(|| handle.block_on(async { lock() }));
            lock();
        });
        assert_refused(lock);
    };
    runtime.block_on(async { tokio::spawn(nested).await }).unwrap();
    runtime.block_on(async {
        block_in_place(lock);
        assert_refused(lock);
    });
}

#[test]
fn outside_of_a_runtime_the_words_are_tokios() {
    let words = "there is no reactor running, must be called from the context of a Tokio 1.x runtime";
    let said = |f: &dyn Fn()| assert!(panic_of(f).expect("it is refused").0.contains(words));
    said(&|| _ = tokio::spawn(async {}));
    said(&|| _ = spawn_blocking(|| {}));
    said(&|| _ = tokio::runtime::Handle::current());
    said(&|| _ = std::net::TcpListener::bind("127.0.0.1:0").map(tokio::net::TcpListener::from_std));
    said(&tokio::time::pause);
}

#[test]
fn timers_are_made_where_there_are_timers() {
    let outside = |f: &dyn Fn()| panic_of(f).expect("it is refused");
    for make in [|| drop(sleep(SECOND)), || drop(timeout(SECOND, pending::<()>())), || drop(interval(SECOND))] {
        let (message, file) = outside(&make);
        assert!(message.contains("there is no reactor running"), "{message}");
        assert_eq!(file, file!());
        let without_timers = Builder::new_current_thread().enable_io().build().unwrap();
        let (message, file) = outside(&|| without_timers.block_on(async { make() }));
        assert!(message.contains("timers are disabled. Call `enable_time`"), "{message}");
        assert_eq!(file, file!());
        let with_timers = Builder::new_current_thread().enable_time().build().unwrap();
        with_timers.block_on(async { make() });
    }
}

#[test]
fn sockets_are_made_where_there_is_io() {
    let make = || tokio::net::UdpSocket::from_std(std::net::UdpSocket::bind("127.0.0.1:0").unwrap()).unwrap();
    let without_io = Builder::new_multi_thread().enable_time().build().unwrap();
    let (message, file) = panic_of(|| without_io.block_on(async { drop(make()) })).expect("it is refused");
    assert!(message.contains("IO is disabled. Call `enable_io`"), "{message}");
    assert_eq!(file, file!());
    without_io.block_on(tokio::net::lookup_host("localhost:1")).unwrap().for_each(drop);
    Builder::new_multi_thread().enable_io().build().unwrap().block_on(async { drop(make()) });
    Runtime::new().unwrap().block_on(async { drop(make()) });
}

#[test]
fn a_pipe_without_room_is_refused() {
    let makers: [&dyn Fn(); 3] = [&|| _ = duplex(0), &|| _ = simplex(0), &|| _ = SimplexStream::new_unsplit(0)];
    for make in makers {
        let (message, file) = panic_of(make).expect("it is refused");
        assert!(message.starts_with("`max_buf_size` must be greater than 0"), "{message}");
        assert_eq!(file, file!());
    }
}

#[test]
fn an_elapsed_timeout_says_so_in_tokios_words() {
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let error = runtime.block_on(async { timeout(SECOND, pending::<()>()).await }).unwrap_err();
    assert_eq!(error.to_string(), "deadline has elapsed");
}

#[test]
fn errors_that_programs_print_have_tokios_words() {
    tokio::task_local!(static UNSET: u32);
    assert_eq!(UNSET.try_with(|_| ()).unwrap_err().to_string(), "task-local value not set");
    let outside = tokio::runtime::Handle::try_current().unwrap_err().to_string();
    assert!(outside.starts_with("there is no reactor running, must be called from"), "{outside}");
    let (sender, receiver) = tokio::sync::mpsc::channel(1);
    sender.try_send(()).unwrap();
    assert_eq!(format!("{:?}", sender.try_send(()).unwrap_err()), r#""Full(..)""#);
    drop(receiver);
    assert_eq!(format!("{:?}", sender.try_send(()).unwrap_err()), r#""Closed(..)""#);
}
