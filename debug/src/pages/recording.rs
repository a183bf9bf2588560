//! `/trace`, `/report`, `/profile` and `/flight`: timelines.

use std::fs::{self, File};
use std::io;
use std::num::NonZeroU32;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use wsrt::runtime::Handle;

use super::query::Format;
use super::{Request, title};
use crate::answer::{Answer, Content, FAILED, HTML, NOT_FOUND, Recorded, Scratch, TEXT};
use crate::making::Counted;
use crate::waiting::wait;

/// The most timelines that are recorded at a time.
const MOST: usize = 2;
/// How long the end of a recording may take.
const GRACE: Duration = Duration::from_secs(20);

/// The name that a browser saves a flight record by.
const FLIGHT: &str = "wsrt-flight.perfetto-trace";

/// How many are being recorded.
static RECORDING: AtomicUsize = AtomicUsize::new(0);

/// The CPU samples that `/profile` takes in a second. With 100, other clocks might keep in step.
const FREQUENCY: NonZeroU32 = NonZeroU32::new(99).expect("it is not zero");

pub(super) fn trace(request: &Request<'_>) -> Result<Answer, Answer> {
    record(request, request.query.cpu).map(|content| Answer::download("wsrt.perfetto-trace", content))
}

pub(super) fn report(request: &Request<'_>) -> Result<Answer, Answer> {
    page_of(request, request.query.cpu, HTML, |file, title| wsrt_report::page(file, title))
}

pub(super) fn profile(request: &Request<'_>) -> Result<Answer, Answer> {
    if !Handle::__HAS_STACKS {
        let why = "there is no profile: this build captures no stacks. It takes wsrt's feature `backtrace`, and Linux on \
                   x86-64 or AArch64";
        return Err(Answer::refusal(NOT_FOUND, why));
    }
    let cpu = request.query.cpu.or(Some(FREQUENCY));
    if request.query.format == Some(Format::Text) {
        return page_of(request, cpu, TEXT, |file, _| wsrt_report::folded(file));
    }
    page_of(request, cpu, HTML, |file, title| wsrt_report::profile(file, title))
}

/// Records a timeline, and returns the page that `make` makes of it, given a title.
fn page_of(
    request: &Request<'_>,
    cpu: Option<NonZeroU32>,
    content_type: &'static str,
    make: fn(&File, &str) -> Result<String, wsrt_report::Failure>,
) -> Result<Answer, Answer> {
    let Content::File(recorded) = record(request, cpu)? else { return Ok(Answer::unmade(content_type)) };
    match make(&recorded.file, &format!("{:?} of {}", request.query.seconds, title(request.runtime()?))) {
        Ok(page) => Ok(Answer::new(content_type, page)),
        Err(error) => Err(Answer::refusal(NOT_FOUND, format!("there is nothing to report: the timeline {error}"))),
    }
}

/// Records a timeline, but not for a HEAD.
fn record(request: &Request<'_>, cpu: Option<NonZeroU32>) -> Result<Content, Answer> {
    let (runtime, seconds) = (request.runtime()?, request.query.seconds);
    if !request.wants_body {
        return Ok(Content::Unmade);
    }
    let _counted = Counted::begin(&RECORDING, MOST, "timelines are being recorded")?;
    let failed = |error: io::Error| Answer::refusal(FAILED, format!("the timeline cannot be recorded: {error}"));
    let folder = Scratch::new().map_err(failed)?;
    let path = folder.file("wsrt.perfetto-trace");
    wait(runtime.__trace_for(seconds, &path, cpu), seconds + GRACE).map_err(failed)?;
    Recorded::open(&path, Some(folder)).map(Content::File).map_err(failed)
}

pub(super) fn flight(request: &Request<'_>) -> Result<Answer, Answer> {
    let runtime = request.runtime()?;
    if !request.wants_body {
        return Ok(Answer::download(FLIGHT, Content::Unmade));
    }
    let recorded = wait(runtime.write_flight_record(), GRACE).and_then(|path| {
        let recorded = Recorded::open(&path, None)?;
        // It was written for this answer. Where an open file cannot be removed, it stays.
        let _ = fs::remove_file(path);
        Ok(recorded)
    });
    match recorded {
        Ok(recorded) => Ok(Answer::download(FLIGHT, Content::File(recorded))),
        Err(error) if error.kind() == io::ErrorKind::Unsupported => Err(Answer::refusal(NOT_FOUND, error.to_string())),
        Err(error) => Err(Answer::refusal(FAILED, format!("the flight record cannot be written: {error}"))),
    }
}
