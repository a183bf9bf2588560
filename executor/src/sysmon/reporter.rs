//! The reporter: a thread that names the stacks of stalls, prints the reports and calls the hook.
//!
//! To read the program's debug information takes up to seconds, and the watcher must not be away
//! for so long. The thread is there while there is something to report.

use std::sync::Arc;

use wsrt_stack::{NoStack, Resolver};

use crate::scheduler::context::Role;
use crate::scheduler::shutdown;
use crate::scheduler::{Context, Scheduler};
use crate::sysmon::stall::NotedStall;
use crate::util::sync::thread;
use crate::util::unwind::AbortOnUnwind;

/// Reports a stall: on the reporter's thread, or here and now where there is no stack to be named.
/// The caller is a thread of the runtime.
pub(crate) fn report(scheduler: &Arc<Scheduler>, noted: NotedStall) {
    let hook = scheduler.config.on_stall.as_ref();
    if matches!(noted.samples, Err(NoStack::Unsupported)) {
        scheduler.stalls.report(noted, &mut Resolver::default(), hook);
        return;
    }
    if !scheduler.stalls.note(noted) {
        return;
    }
    if scheduler.shutdown.arrive() {
        let arrived = Arc::clone(scheduler);
        match thread::Builder::new().name("wsrt-stalls".into()).spawn(move || serve(arrived)) {
            Ok(handle) => return scheduler.threads.keep(handle),
            Err(_) => shutdown::depart(scheduler),
        }
    }
    // Without a thread there is no time for names.
    while let Some(mut noted) = scheduler.stalls.next_noted() {
        noted.samples = Err(NoStack::Busy);
        scheduler.stalls.report(noted, &mut Resolver::default(), hook);
    }
}

/// The reporter's thread.
fn serve(scheduler: Arc<Scheduler>) {
    let guard = AbortOnUnwind::OF_A_THREAD;
    let _tokio = scheduler.tokio.enter();
    let entered = Context::enter(&scheduler, Role::Watching);
    let mut resolver = Resolver::default();
    while let Some(noted) = scheduler.stalls.next_noted() {
        scheduler.stalls.report(noted, &mut resolver, scheduler.config.on_stall.as_ref());
    }
    drop(entered);
    shutdown::depart(&scheduler);
    std::mem::forget(guard);
}
