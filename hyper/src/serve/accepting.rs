//! Accepting connections, and continuing after a failure.
//!
//! Most failures pass: a client disconnected while it was queued, or no file descriptor was left,
//! until connections end. In the latter case the connection stays in the OS's queue and the
//! listener stays readable, so that accepting again at once would keep a processor busy with
//! failing.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use wsrt::runtime::__Recurring as Recurring;
use wsrt::time::sleep;

use super::Listener;

/// How long to wait after a failure, for other connections to close their file descriptors.
const PAUSE: Duration = Duration::from_millis(50);

/// Waits for the next connection; reports each failure to accept and tries again.
pub(super) async fn accept<L: Listener>(listener: &mut L, errors: &AcceptErrors) -> (L::Io, L::Addr) {
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            Err(error) => {
                errors.report(&error);
                if !is_of_one_connection(&error) {
                    sleep(PAUSE).await;
                }
            }
        }
    }
}

/// Returns whether the error concerns one client that disconnected before it was accepted.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

pub(super) type OnAcceptError = Arc<dyn Fn(&io::Error) + Send + Sync>;

/// Reports failures to accept: each to the user's hook, or, without one, on standard error, at most
/// once a second.
#[derive(Default)]
pub(super) struct AcceptErrors {
    pub(super) hook: Option<OnAcceptError>,
    reports: Recurring,
}

impl AcceptErrors {
    fn report(&self, error: &io::Error) {
        match &self.hook {
            Some(hook) => hook(error),
            None if is_of_one_connection(error) => {}
            None => self.reports.report(format_args!("cannot accept a connection, trying again in {PAUSE:?}: {error}")),
        }
    }
}
