//! Sockets: their descriptors are the system's, their waits the schedule's.

use std::sync::Arc;
use std::time::Duration;

use wsrt::net::UnixStream;
use wsrt::runtime::is_rt_shutdown_err;
use wsrt::task::yield_now;
use wsrt::time::{sleep, timeout};
use wsrt_schedule::atomic::{AtomicUsize, Ordering::SeqCst};

use crate::support::runtime;

/// Bytes there and back, between tasks on two processors.
pub(crate) fn echo() {
    let runtime = runtime(2);
    runtime.block_on(async {
        let (mut near, mut far) = UnixStream::pair().expect("the system has descriptors");
        let echo = wsrt::spawn(async move {
            let mut bytes = [0; 4];
            loop {
                match far.read(&mut bytes).await.expect("a pair does not fail") {
                    0 => break,
                    count => far.write_all(&bytes[..count]).await.expect("the peer is there"),
                }
            }
        });
        for _ in 0..2 {
            near.write_all(b"ping").await.expect("the peer is there");
            let mut bytes = [0; 4];
            near.read_exact(&mut bytes).await.expect("the peer is there");
            assert_eq!(&bytes, b"ping");
        }
        drop(near);
        echo.await.expect("no panic");
    });
}

/// A socket, timers and a busy processor: neither waits for the other without end.
pub(crate) fn sockets_and_timers() {
    let runtime = runtime(2);
    runtime.block_on(async {
        let (mut near, mut far) = UnixStream::pair().expect("the system has descriptors");
        let writer = wsrt::spawn(async move {
            sleep(Duration::from_millis(1)).await;
            far.write_all(b"late").await.expect("the peer is there");
            far
        });
        let mut bytes = [0; 4];
        let _ = timeout(Duration::from_micros(500), near.read(&mut [])).await;
        timeout(Duration::from_secs(60), near.read_exact(&mut bytes))
            .await
            .expect("in time")
            .expect("the peer is there");
        writer.await.expect("no panic");
    });
}

/// A runtime is dropped while sockets are waited for.
pub(crate) fn dropped_with_sockets() {
    let runtime = runtime(1);
    let (near, far) = {
        let _entered = runtime.enter();
        UnixStream::pair().expect("the system has descriptors")
    };
    let task = runtime.spawn(async move {
        let (mut near, mut bytes) = (near, [0; 4]);
        near.read(&mut bytes).await
    });
    let handle = runtime.handle().clone();
    drop(runtime);
    let _ = handle.block_on(task);
    drop(far);
}

/// A runtime is dropped while its tasks talk: they are dropped, and see no socket refuse to wait.
pub(crate) fn dropped_beside_a_conversation() {
    let runtime = runtime(2);
    let (near, far) = {
        let _entered = runtime.enter();
        UnixStream::pair().expect("the system has descriptors")
    };
    let refusals = Arc::new(AtomicUsize::new(0));
    for (mut stream, is_first) in [(near, true), (far, false)] {
        let refusals = Arc::clone(&refusals);
        runtime.spawn(async move {
            let conversation = async {
                if is_first {
                    stream.write_all(b"ping").await?;
                }
                loop {
                    stream.read_exact(&mut [0; 4]).await?;
                    stream.write_all(b"pong").await?;
                }
            };
            let outcome: std::io::Result<()> = conversation.await;
            // The other may be dropped first.
            if outcome.is_err_and(|error| is_rt_shutdown_err(&error)) {
                refusals.fetch_add(1, SeqCst);
            }
        });
    }
    runtime.block_on(yield_now());
    drop(runtime);
    assert_eq!(refusals.load(SeqCst), 0, "tasks that were told of the end, instead of dropped");
}
