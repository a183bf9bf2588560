//! Feature `tracing`: a report goes to a subscriber that takes it, and else to standard error.

use std::env;
use std::io::Write;
use std::process::Command;
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Metadata, Subscriber, span};
use wsrt::runtime::Builder;

/// Takes the events of one target.
struct Taking(&'static str, Mutex<Sender<Seen>>);

/// The fields of an event.
#[derive(Debug, Default)]
struct Seen {
    kind: String,
    message: String,
}

impl Visit for Seen {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        if field.name() == "message" {
            self.message = format!("{value:?}");
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "kind" {
            self.kind = value.to_owned();
        }
    }
}

impl Subscriber for Taking {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == self.0
    }

    fn event(&self, event: &Event<'_>) {
        assert_eq!(*event.metadata().level(), Level::WARN);
        let mut seen = Seen::default();
        event.record(&mut seen);
        let _ = self.1.lock().expect("no panic").send(seen);
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

/// Runs `body` in a process of its own, with this subscriber, and returns its standard error.
fn errors_of(test: &str, target: &'static str, body: impl FnOnce(std::sync::mpsc::Receiver<Seen>)) -> String {
    const MARK: &str = "WSRT_TEST_CHILD";
    if env::var_os(MARK).is_some() {
        let (seen, events) = channel();
        tracing::subscriber::set_global_default(Taking(target, Mutex::new(seen))).expect("the first one");
        body(events);
        std::io::stdout().flush().expect("it can be written");
        std::process::exit(0);
    }
    let mut command = Command::new(env::current_exe().expect("the test program has a path"));
    command.args([test, "--exact", "--nocapture"]).env(MARK, "1").env("WSRT_STALL_MS", "20");
    let output = command.output().expect("the test program starts a second time");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stderr).expect("text")
}

/// A runtime in which a poll stalls.
fn stall() -> wsrt::runtime::Runtime {
    let runtime = Builder::new_multi_thread().worker_threads(1).build().expect("a runtime");
    runtime.block_on(runtime.spawn(async { thread::sleep(Duration::from_millis(300)) })).expect("no panic");
    runtime
}

#[test]
fn a_subscriber_that_takes_reports_gets_them_alone() {
    let errors = errors_of("a_subscriber_that_takes_reports_gets_them_alone", "wsrt", |events| {
        let runtime = stall();
        let seen = events.recv_timeout(Duration::from_secs(60)).expect("an event");
        assert_eq!(seen.kind, "stall");
        assert!(seen.message.contains("has been in one poll for "), "{}", seen.message);
        drop(runtime);
    });
    assert_eq!(errors, "");
}

#[test]
fn a_subscriber_of_other_events_leaves_reports_to_standard_error() {
    let test = "a_subscriber_of_other_events_leaves_reports_to_standard_error";
    let errors = errors_of(test, "another", |events| {
        drop(stall());
        assert!(events.try_recv().is_err());
    });
    assert_eq!(errors.matches("has been in one poll for ").count(), 1, "{errors}");
}
