//! Sockets: their descriptors are the system's, their waits the schedule's.

use std::time::Duration;

use wsrt::net::UnixStream;
use wsrt::time::{sleep, timeout};

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
