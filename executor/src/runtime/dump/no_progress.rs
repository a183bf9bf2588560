//! The report on a runtime that can make no progress.

use std::sync::Arc;

use super::Dump;
#[cfg(feature = "sim")]
use crate::observe::dump;
use crate::observe::no_progress::prove;
use crate::runtime::WaitsOn;
use crate::scheduler::Scheduler;
use crate::scheduler::root::RootSeen;
use crate::util::sync;

/// Returns a report, with a dump, if neither the future in `block_on` nor any task can ever go on.
pub(in crate::runtime) fn no_progress(scheduler: &Arc<Scheduler>, root: &RootSeen<'_>) -> Option<String> {
    let began = sync::now();
    let stuck = prove(scheduler, root)?;
    let dump = Dump::of(stuck.seen, began);
    Some(format!(
        "wsrt: this runtime can make no progress: no task can go on, nor the future in `block_on`, which waits for {}; \
         no waker is left that could wake one of them\n{dump}",
        in_words(&stuck.root)
    ))
}

/// Returns a dump, for a simulation none of whose tasks can go on.
#[cfg(feature = "sim")]
pub(in crate::runtime) fn report_on(scheduler: &Scheduler) -> String {
    Dump::of(dump::look(scheduler), sync::now()).to_string()
}

fn in_words(waits: &[WaitsOn]) -> String {
    if waits.is_empty() {
        return "something that has not kept its waker".to_owned();
    }
    waits.iter().map(WaitsOn::to_string).collect::<Vec<_>>().join(" or ")
}
