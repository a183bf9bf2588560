//! Dumps, recordings and histograms, switched on and off under load.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use wsrt::runtime::{Handle, TraceSummary};

use crate::ledger::{Entry, Kind};
use crate::soak::Soak;

/// Looks at the runtime in one way after the other.
pub(crate) async fn run(soak: Arc<Soak>) {
    let runtime = Handle::current();
    let mut polls = 0;
    while soak.turn(Duration::from_millis(100)).await {
        dump(&soak, &runtime);
        if let Err(error) = record(&soak, &runtime).await {
            soak.ledger.fault(format!("a recording: {error}"));
        }
        runtime.set_latency_histograms(fastrand::bool());
        let polls_now = runtime.metrics().snapshot().total().poll_count();
        soak.ledger.check(polls_now >= polls, || format!("the polls went from {polls} back to {polls_now}"));
        polls = polls_now;
    }
    runtime.set_latency_histograms(false);
}

fn dump(soak: &Soak, runtime: &Handle) {
    let entry = soak.ledger.open(Kind::Dump);
    let dump = runtime.dump();
    let own = wsrt::task::id();
    soak.ledger.check(dump.tasks().iter().any(|task| task.id() == own), || "a dump has not its own task".into());
    soak.ledger.check(!dump.to_json().is_empty() && !dump.to_string().is_empty(), || "a dump is empty".into());
    entry.settle();
}

/// Records for some milliseconds, twice at once, and sometimes gives one of them up.
async fn record(soak: &Soak, runtime: &Handle) -> io::Result<()> {
    let duration = Duration::from_millis(fastrand::u64(1..50));
    let entries = [(); 2].map(|()| soak.ledger.open(Kind::Recording));
    // A recording that is given up writes to its file for a little longer: no two share a name.
    let paths = entries.each_ref().map(|entry| soak.scratch.join(entry.number.to_string()));
    let [one, two] = [0, 1].map(|index| runtime.trace_for(duration, &paths[index]));
    if fastrand::bool() {
        drop(two);
        check(soak, &one.await?, &paths[0])?;
    } else {
        let (one, two) = wsrt::join!(one, two);
        check(soak, &one?, &paths[0])?;
        check(soak, &two?, &paths[1])?;
    }
    paths.iter().try_for_each(fs::remove_file)?;
    entries.into_iter().for_each(Entry::settle);
    Ok(())
}

/// Checks that the file is as long as its recorder reports.
fn check(soak: &Soak, summary: &TraceSummary, path: &Path) -> io::Result<()> {
    let found = fs::metadata(path)?.len();
    soak.ledger.check(found == summary.bytes, || format!("a recording of {} bytes left {found}", summary.bytes));
    Ok(())
}
