//! Signals: every kind that can be listened for arrives at every listener, and the others are
//! refused by name.

use std::io::ErrorKind;
use std::time::Duration;

use wsrt::process::Command;
use wsrt::runtime::{Builder, Runtime};
use wsrt::signal::shutdown;
use wsrt::signal::unix::{SignalKind, signal};
use wsrt_tests::{in_a_process_of_its_own, text_of, within_a_minute};

/// Sends `kind` to this process. Only with a listener would it survive most of them.
async fn send(kind: SignalKind) {
    let kill = format!("kill -{} {}", kind.as_raw_value(), std::process::id());
    let status = Command::new("sh").args(["-c", &kill]).status().await.expect("there is a shell");
    assert!(status.success(), "{kind}: {status}");
}

const KINDS: [(SignalKind, &str); 12] = [
    (SignalKind::alarm(), "SIGALRM"),
    (SignalKind::child(), "SIGCHLD"),
    (SignalKind::hangup(), "SIGHUP"),
    (SignalKind::interrupt(), "SIGINT"),
    (SignalKind::io(), "SIGIO"),
    (SignalKind::pipe(), "SIGPIPE"),
    (SignalKind::quit(), "SIGQUIT"),
    (SignalKind::terminate(), "SIGTERM"),
    (SignalKind::user_defined1(), "SIGUSR1"),
    (SignalKind::user_defined2(), "SIGUSR2"),
    (SignalKind::window_change(), "SIGWINCH"),
    (SignalKind::from_raw(18), "signal 18"),
];

#[test]
fn every_kind_is_received_by_all_its_listeners() {
    let output = in_a_process_of_its_own("every_kind_is_received_by_all_its_listeners", &[], || {
        within_a_minute(|| {
            Runtime::new().expect("a runtime").block_on(async {
                for (kind, name) in KINDS {
                    let mut one = signal(kind).expect(name);
                    let mut other = signal(kind).expect(name);
                    send(kind).await;
                    assert_eq!(one.recv().await, Some(()), "{name}");
                    assert_eq!(other.recv().await, Some(()), "{name}");
                }
            });
        });
    });
    text_of(&output);
}

#[test]
fn a_listener_learns_of_its_own_kind_only() {
    let output = in_a_process_of_its_own("a_listener_learns_of_its_own_kind_only", &[], || {
        within_a_minute(|| {
            Builder::new_current_thread().build().expect("a runtime").block_on(async {
                let mut one = signal(SignalKind::user_defined1()).expect("it can be listened for");
                let mut two = signal(SignalKind::user_defined2()).expect("it can be listened for");
                send(SignalKind::user_defined2()).await;
                assert_eq!(two.recv().await, Some(()));
                let waited = wsrt::time::timeout(Duration::from_millis(20), one.recv()).await;
                assert!(waited.is_err(), "nobody has sent it");
                send(SignalKind::user_defined1()).await;
                assert_eq!(one.recv().await, Some(()), "a wait that was given up loses nothing");
            });
        });
    });
    text_of(&output);
}

#[test]
fn either_request_to_end_is_a_shutdown() {
    let output = in_a_process_of_its_own("either_request_to_end_is_a_shutdown", &[], || {
        within_a_minute(|| {
            Runtime::new().expect("a runtime").block_on(async {
                for kind in [SignalKind::interrupt(), SignalKind::terminate()] {
                    let (mut one, other) = (shutdown(), shutdown());
                    send(kind).await;
                    (&mut one).await.expect("it listens");
                    other.await.expect("it listens");
                    let again = wsrt::time::timeout(Duration::from_millis(20), &mut one).await;
                    assert!(again.is_err(), "{kind} was sent once");
                }
            });
        });
    });
    text_of(&output);
}

#[test]
fn signals_are_shown_by_their_names() {
    for (kind, name) in KINDS {
        assert_eq!(kind.to_string(), name);
        assert_eq!(SignalKind::from(i32::from(kind)), kind);
    }
}

#[test]
fn what_cannot_be_handled_is_refused_by_name() {
    Builder::new_current_thread().build().expect("a runtime").block_on(async {
        for (number, name) in [(9, "SIGKILL"), (19, "SIGSTOP"), (11, "SIGSEGV"), (4, "SIGILL"), (8, "SIGFPE")] {
            let error = signal(SignalKind::from_raw(number)).expect_err(name);
            assert_eq!(error.kind(), ErrorKind::InvalidInput);
            let wanted = format!("cannot listen for {name}: a program cannot handle it and continue");
            assert_eq!(error.to_string(), wanted);
        }
        for number in [-1, 0, 65, 12_345] {
            let error = signal(SignalKind::from_raw(number)).expect_err("there is none");
            assert_eq!(error.kind(), ErrorKind::InvalidInput, "signal {number}: {error}");
            assert_eq!(error.raw_os_error(), Some(22), "EINVAL, as from the system");
        }
    });
}
