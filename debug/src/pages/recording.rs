//! `/trace`, `/report` and `/flight`: timelines.

use std::fs;
use std::io;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use wsrt::runtime::Handle;

use super::{Request, title};
use crate::answer::{Answer, FAILED, HTML, NOT_FOUND, Recorded, Scratch};
use crate::making::Counted;
use crate::waiting::wait;

/// The most timelines that are recorded at a time.
const MOST: usize = 2;
/// How long the end of a recording may take.
const GRACE: Duration = Duration::from_secs(10);

/// How many are being recorded.
static RECORDING: AtomicUsize = AtomicUsize::new(0);

pub(super) fn trace(request: &Request<'_>) -> Answer {
    let recorded = request.runtime().and_then(|runtime| record(runtime, request.query.seconds));
    recorded.map_or_else(|refusal| refusal, |recorded| Answer::download("wsrt.perfetto-trace", recorded))
}

pub(super) fn report(request: &Request<'_>) -> Answer {
    let seconds = request.query.seconds;
    let recorded = request.runtime().and_then(|runtime| Ok((runtime, record(runtime, seconds)?)));
    let (runtime, recorded) = match recorded {
        Ok(recorded) => recorded,
        Err(refusal) => return refusal,
    };
    match wsrt_report::page(&recorded.file, &format!("{seconds:?} of {}", title(runtime))) {
        Ok(page) => Answer::new(HTML, page),
        Err(error) => Answer::refusal(NOT_FOUND, format!("there is nothing to report: the timeline {error}")),
    }
}

fn record(runtime: &Handle, seconds: Duration) -> Result<Recorded, Answer> {
    let _counted = Counted::begin(&RECORDING, MOST, "timelines are being recorded")?;
    let failed = |error: io::Error| Answer::refusal(FAILED, format!("the timeline cannot be recorded: {error}"));
    let folder = Scratch::new().map_err(failed)?;
    let path = folder.file("wsrt.perfetto-trace");
    wait(runtime.trace_for(seconds, &path), seconds + GRACE).map_err(failed)?;
    Recorded::open(&path, Some(folder)).map_err(failed)
}

pub(super) fn flight(request: &Request<'_>) -> Answer {
    let runtime = match request.runtime() {
        Ok(runtime) => runtime,
        Err(refusal) => return refusal,
    };
    let recorded = wait(runtime.write_flight_record(), GRACE).and_then(|path| {
        let recorded = Recorded::open(&path, None)?;
        // It was written for this answer. Where an open file cannot be removed, it stays.
        let _ = fs::remove_file(path);
        Ok(recorded)
    });
    match recorded {
        Ok(recorded) => Answer::download("wsrt-flight.perfetto-trace", recorded),
        Err(error) if error.kind() == io::ErrorKind::Unsupported => Answer::refusal(NOT_FOUND, error.to_string()),
        Err(error) => Answer::refusal(FAILED, format!("the flight record cannot be written: {error}")),
    }
}
