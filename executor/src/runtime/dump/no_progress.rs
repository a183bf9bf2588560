//! The report on a runtime that can make no progress.

use std::sync::Arc;

use super::Dump;
use crate::observe::no_progress::look;
use crate::runtime::WaitsOn;
use crate::scheduler::Scheduler;
use crate::scheduler::scheduler::RootSeen;
use crate::util::report::report;
use crate::util::sync;

/// Returns a report, with a dump, if it is proven that neither the future in `block_on` nor any
/// task can ever continue. A mere suspicion is reported on standard error, once for each runtime.
pub(in crate::runtime) fn no_progress(scheduler: &Arc<Scheduler>, root: &RootSeen<'_>) -> Option<String> {
    let began = sync::now();
    let stuck = look(scheduler, root)?;
    let dump = Dump::of(stuck.seen, began);
    let waits = in_words(&stuck.root);
    if stuck.is_proven {
        return Some(format!(
            "wsrt: this runtime can make no progress: no task can continue, and the future in `block_on` waits for {waits}; no \
             waker is left that could wake any of them\n{dump}"
        ));
    }
    scheduler.suspicion.call_once(|| {
        report(format_args!(
            "this runtime seems to make no progress: no task can continue, and the future in `block_on` waits for {waits}, \
             unless another thread releases a lock or aborts a task (reported once)\n{dump}"
        ));
    });
    None
}

fn in_words(waits: &[WaitsOn]) -> String {
    if waits.is_empty() {
        return "something that has not kept its waker".to_owned();
    }
    waits.iter().map(WaitsOn::to_string).collect::<Vec<_>>().join(" or ")
}
