//! Going on when accepting fails.
//!
//! Most failures pass: a client went away while it was queued, or file descriptors ran out, which
//! come back as connections end. In the latter case the connection stays in the system's queue and
//! the listener stays readable, so that accepting again at once would keep a processor busy with
//! failing.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use super::Listener;
use crate::time::{Instant, sleep};
use crate::util::report::report;

/// How long to wait after a failure, for other connections to give their file descriptors back.
const PAUSE: Duration = Duration::from_millis(50);
/// How often to tell of failures, where nobody asked to hear of each.
const REPORT_PERIOD: Duration = Duration::from_secs(1);

/// Waits for the next connection, however often accepting fails before.
pub(super) async fn accept<L: Listener>(listener: &mut L, complaints: &mut Complaints) -> (L::Io, L::Addr) {
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            Err(error) if is_of_one_connection(&error) => complaints.pass_on(&error),
            Err(error) => {
                complaints.report(&error);
                sleep(PAUSE).await;
            }
        }
    }
}

/// Whether the error concerns a client that went away before it was accepted, and nobody else.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

pub(super) type OnAcceptError = Arc<dyn Fn(&io::Error) + Send + Sync>;

/// Where failures are reported: to the user's hook, each of them, or to standard error, the first
/// at once and then their number once in a while, since they come in crowds.
#[derive(Default)]
pub(super) struct Complaints {
    hook: Option<OnAcceptError>,
    reported: Option<Instant>,
    silent: u64,
}

impl Complaints {
    pub(super) fn set_hook(&mut self, hook: OnAcceptError) {
        self.hook = Some(hook);
    }

    /// Tells the hook, if there is one, of an error that is nothing to worry about.
    fn pass_on(&self, error: &io::Error) {
        if let Some(hook) = &self.hook {
            hook(error);
        }
    }

    fn report(&mut self, error: &io::Error) {
        if self.hook.is_some() {
            return self.pass_on(error);
        }
        if self.reported.is_some_and(|reported| reported.elapsed() < REPORT_PERIOD) {
            self.silent += 1;
            return;
        }
        report(format_args!("cannot accept a connection: {error} ({} times since the last report)", self.silent + 1));
        *self = Self { hook: None, reported: Some(Instant::now()), silent: 0 };
    }
}

impl fmt::Debug for Complaints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Complaints").field("hook", &self.hook.is_some()).finish_non_exhaustive()
    }
}
