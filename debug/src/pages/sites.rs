//! `/sites`: which spawn sites' polls take the time, in the next seconds.

use std::fmt::Write;
use std::sync::atomic::AtomicUsize;
use std::thread;
use std::time::Duration;

use wsrt::runtime::{__ShortLocation as ShortLocation, Handle, Metrics};

use super::{Request, title};
use crate::answer::{Answer, TEXT};
use crate::making::Counted;

/// How many are under way. One at a time: each switches the measurement off in the end, if it was
/// off.
static MEASURING: AtomicUsize = AtomicUsize::new(0);

pub(super) fn answer(request: &Request<'_>) -> Result<Answer, Answer> {
    if !request.wants_body {
        return Ok(Answer::unmade(TEXT));
    }
    let _counted = Counted::begin(&MEASURING, 1, "page about spawn sites is being made")?;
    let measured: Vec<_> = request.runtimes.iter().map(Measured::begin).collect();
    thread::sleep(request.query.seconds);
    let mut page = String::new();
    for measured in &measured {
        let _ = write!(page, "{}: ", title(measured.runtime));
        measured.write(request.query.seconds, &mut page);
    }
    Ok(Answer::new(TEXT, page))
}

/// A runtime whose spawn sites are measured until this is dropped.
struct Measured<'a> {
    runtime: &'a Handle,
    were_measured: bool,
    before: Metrics,
}

impl<'a> Measured<'a> {
    fn begin(runtime: &'a Handle) -> Self {
        Self { runtime, were_measured: runtime.set_site_polls(true), before: runtime.metrics().snapshot() }
    }

    fn write(&self, seconds: Duration, page: &mut String) {
        let during = self.runtime.metrics().snapshot().since(&self.before);
        let busy: Duration = during.polls_by_site().iter().map(|site| site.poll_time().sum()).sum();
        let _ = writeln!(page, "polls took {busy:.1?} in {seconds:?}\n");
        let _ = writeln!(page, "{:>10} {:>10} {:>10} {:>10}  spawned at", "time", "polls", "median", "99 %");
        for site in during.polls_by_site() {
            let polls = site.poll_time();
            let quantile = |q| polls.quantile(q).map_or_else(String::new, |time| format!("{time:.1?}"));
            let time = format!("{:.1?}", polls.sum());
            let (median, p99, count, site) =
                (quantile(0.5), quantile(0.99), polls.count(), ShortLocation(site.spawned_at()));
            let _ = writeln!(page, "{time:>10} {count:>10} {median:>10} {p99:>10}  {site}");
        }
        page.push('\n');
    }
}

impl Drop for Measured<'_> {
    fn drop(&mut self) {
        self.runtime.set_site_polls(self.were_measured);
    }
}
