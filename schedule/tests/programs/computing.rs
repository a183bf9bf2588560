//! Parallel loops beside tasks.

use std::time::Duration;

use wsrt::net::UnixStream;
use wsrt::parallel;
use wsrt::task::yield_now;
use wsrt_schedule::atomic::{AtomicUsize, Ordering::SeqCst};
use wsrt_schedule::thread;

use crate::support::{Gate, runtime};

/// A loop in a task, with tasks beside it.
pub(crate) fn loops_beside_tasks() {
    let runtime = runtime(2);
    runtime.block_on(async {
        let beside = wsrt::spawn(yield_now());
        let computes = wsrt::spawn(async {
            let sum = AtomicUsize::new(0);
            parallel::for_each(0..6_usize, |number| {
                sum.fetch_add(number, SeqCst);
            });
            sum.into_inner()
        });
        assert_eq!(computes.await.expect("no panic"), 15);
        beside.await.expect("no panic");
    });
}

/// Joins in joins, and a panic in one half.
pub(crate) fn joins() {
    let runtime = runtime(2);
    runtime.block_on(async {
        let sum = wsrt::spawn(async { parallel::join(|| parallel::join(|| 1, || 2), || 3) });
        assert_eq!(sum.await.expect("no panic"), ((1, 2), 3));
        let panics = wsrt::spawn(async { parallel::join(|| 1, || panic!("in one half")) });
        let panics: Result<(i32, ()), _> = panics.await;
        assert!(panics.expect_err("it panics").is_panic());
    });
}

/// A runtime is dropped while its threads help with a loop.
pub(crate) fn loops_at_the_end() {
    let runtime = runtime(2);
    let task = runtime.spawn(async { parallel::map_collect(0..4_usize, |number| number).len() });
    let handle = runtime.handle().clone();
    drop(runtime);
    if let Ok(count) = handle.block_on(task) {
        assert_eq!(count, 4);
    }
}

/// A machine helps a loop of a thread outside, sends the poll owner to sleep, and is in a piece
/// that waits then: the watcher sees to a socket, which comes when it has had nothing to watch for
/// long.
pub(crate) fn sockets_beside_loops() {
    const LIGHT: usize = 10;
    let runtime = runtime(2);
    let (gate, begun) = (Gate::default(), Gate::default());
    let (theirs, told, handle) = (gate.clone(), begun.clone(), runtime.handle().clone());
    let outside = thread::spawn(move || {
        let (_entered, owner) = (handle.enter(), thread::current().id());
        let (helped, light) = (Gate::default(), AtomicUsize::new(0));
        parallel::for_each(0..100_usize, |_| {
            if thread::current().id() == owner {
                helped.wait();
            } else if light.fetch_add(1, SeqCst) < LIGHT {
                return;
            }
            helped.open();
            told.open();
            theirs.wait();
        });
    });
    begun.wait();
    thread::sleep(Duration::from_secs(1));
    runtime.block_on(async {
        let (mut near, far) = UnixStream::pair().expect("the system has descriptors");
        let writer = thread::spawn(move || {
            thread::sleep(Duration::from_millis(1));
            assert_eq!(far.try_write(b"ping").expect("there is room"), 4);
            far
        });
        let mut bytes = [0; 4];
        near.read_exact(&mut bytes).await.expect("the peer is there");
        drop(writer.join().expect("no panic"));
    });
    gate.open();
    outside.join().expect("no panic");
}
