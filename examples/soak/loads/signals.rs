//! Signals: each listener receives each that is sent after it has begun to listen.

use std::io;
use std::process;
use std::sync::Arc;
use std::time::Duration;

use wsrt::process::Command;
use wsrt::signal::unix::{Signal, SignalKind, signal};

use crate::ledger::Kind;
use crate::soak::Soak;

/// Sends a signal to this process again and again, and waits until all listeners have received it.
pub(crate) async fn run(soak: Arc<Soak>) {
    while soak.turn(Duration::from_millis(100)).await {
        let entry = soak.ledger.open(Kind::Signal);
        if let Err(error) = send_and_receive().await {
            soak.ledger.fault(format!("a signal: {error}"));
        }
        entry.settle();
    }
}

async fn send_and_receive() -> io::Result<()> {
    let kind = SignalKind::user_defined1();
    let mut listeners: Vec<Signal> = (0..3).map(|_| signal(kind)).collect::<io::Result<_>>()?;
    let status = Command::new("kill").args(["-USR1", &process::id().to_string()]).status().await?;
    if !status.success() {
        return Err(io::Error::other(format!("`kill` ended with {status}")));
    }
    for listener in &mut listeners {
        // A signal that is lost is a phase that does not end.
        if listener.recv().await.is_none() {
            return Err(io::Error::other("a listener has no more signals"));
        }
    }
    Ok(())
}
