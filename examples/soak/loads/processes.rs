//! Child processes: some end, some are killed, some echo.

use std::io;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use wsrt::process::Command;

use crate::ledger::Kind;
use crate::soak::Soak;

/// Starts one process after the other.
pub(crate) async fn run(soak: Arc<Soak>) {
    while soak.turn(Duration::from_millis(50)).await {
        let entry = soak.ledger.open(Kind::Child);
        let done = match fastrand::u8(..4) {
            0 => await_its_end().await,
            1 => kill_it().await,
            2 => leave_it_to_the_runtime().await,
            _ => talk_to_it().await,
        };
        match done {
            Ok(true) => {}
            Ok(false) => soak.ledger.fault("a child process ended otherwise than it should".into()),
            Err(error) => soak.ledger.fault(format!("a child process: {error}")),
        }
        entry.settle();
    }
}

async fn await_its_end() -> io::Result<bool> {
    Ok(Command::new("true").status().await?.success())
}

async fn kill_it() -> io::Result<bool> {
    let mut child = Command::new("sleep").arg("1000").spawn()?;
    child.kill().await?;
    Ok(!child.wait().await?.success())
}

/// Killed by the drop, reaped by the runtime.
async fn leave_it_to_the_runtime() -> io::Result<bool> {
    drop(Command::new("sleep").arg("1000").kill_on_drop(true).spawn()?);
    Ok(true)
}

async fn talk_to_it() -> io::Result<bool> {
    let mut child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let text = vec![b'x'; fastrand::usize(1..100_000)];
    let mut stdin = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let sent = text.clone();
    let writing = wsrt::spawn(async move { stdin.write_all(&sent).await });
    let output = child.wait_with_output().await?;
    writing.await??;
    Ok(output.status.success() && output.stdout == text)
}
