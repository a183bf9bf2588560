//! Signals that come while no listener is there.
#![cfg(all(unix, feature = "macros", feature = "rt", feature = "signal", feature = "time"))]

use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Sends the signal to this thread: its handler has run when this returns.
fn raise(kind: SignalKind) {
    // SAFETY: the call takes a number, and its handler is installed.
    let result = unsafe { libc::raise(kind.as_raw_value()) };
    assert_eq!(result, 0);
}

fn listen(kind: SignalKind) -> Signal {
    signal(kind).expect("the system lets us listen")
}

async fn has_received(signal: &mut Signal) -> bool {
    poll_fn(|cx| Poll::Ready(signal.poll_recv(cx).is_ready())).await
}

#[tokio::test]
async fn a_listener_receives_a_signal_no_turn_has_seen() {
    let kind = SignalKind::user_defined1();
    drop(listen(kind));
    for _ in 0..3 {
        raise(kind);
        let mut late = listen(kind);
        assert_eq!(late.recv().await, Some(()));
        assert!(!has_received(&mut late).await, "it came once");
    }
}

#[tokio::test]
async fn a_signal_of_before_a_turn_is_no_news() {
    let kind = SignalKind::user_defined2();
    drop(listen(kind));
    for _ in 0..3 {
        raise(kind);
        // The runtime turns the netpoller during that time.
        tokio::time::sleep(Duration::from_millis(1)).await;
        let mut late = listen(kind);
        assert!(!has_received(&mut late).await, "the signal was there before");
        raise(kind);
        assert_eq!(late.recv().await, Some(()));
    }
}
