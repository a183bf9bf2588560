//! The reporter: a thread that names the stacks of stalls, and hands findings of all kinds to the
//! program's code, a hook or a subscriber of `tracing`.
//!
//! To read the program's debug information takes up to seconds, and the program's code may take
//! longer: neither the watcher nor a worker can be away for so long. The thread is there while
//! there is something to report.

use std::sync::Arc;

use wsrt_stack::NoStack;

use crate::scheduler::context::Role;
use crate::scheduler::shutdown;
use crate::scheduler::{Context, Scheduler};
use crate::sysmon::stall::{Noted, NotedStall};
use crate::util::report::{Report, ReportKind};
use crate::util::sync::thread;
use crate::util::unwind::AbortOnUnwind;

/// Reports a stall: on the reporter's thread, or here and now where there is no stack to be named.
/// The caller is a thread of the runtime.
pub(crate) fn report_stall(scheduler: &Arc<Scheduler>, noted: NotedStall) {
    if let Err(NoStack::Unsupported) = noted.samples {
        deliver(scheduler, Noted::Stall(noted));
    } else {
        leave(scheduler, Noted::Stall(noted));
    }
}

/// Reports another finding: on the reporter's thread if code of the program's is called, and here
/// and now in a simulation, which has no other thread.
pub(crate) fn report(scheduler: &Arc<Scheduler>, kind: ReportKind, text: String) {
    let (report, hook) = (Report::new(kind, text), scheduler.config.findings.on_report.as_ref());
    if Report::calls_program(hook) && scheduler.simulation.is_none() {
        leave(scheduler, Noted::Report(report));
    } else {
        report.deliver(hook);
    }
}

/// Leaves a finding for the reporter's thread, which is started if there is none.
fn leave(scheduler: &Arc<Scheduler>, noted: Noted) {
    if !scheduler.stalls.note(noted) {
        return;
    }
    if scheduler.shutdown.arrive() {
        let arrived = Arc::clone(scheduler);
        match thread::Builder::new().name("wsrt-reports".into()).spawn(move || serve(arrived)) {
            Ok(handle) => return scheduler.threads.keep(handle),
            Err(_) => shutdown::depart(scheduler),
        }
    }
    // Without a thread there is no time for names.
    while let Some(mut noted) = scheduler.stalls.next_noted() {
        if let Noted::Stall(stall) = &mut noted {
            stall.samples = Err(NoStack::Busy);
        }
        deliver(scheduler, noted);
    }
}

/// Reports a finding on the current thread.
fn deliver(scheduler: &Scheduler, noted: Noted) {
    let hooks = &scheduler.config.findings;
    match noted {
        Noted::Stall(noted) => scheduler.stalls.report(noted, hooks),
        Noted::Report(report) => report.deliver(hooks.on_report.as_ref()),
    }
}

/// The reporter's thread.
fn serve(scheduler: Arc<Scheduler>) {
    let guard = AbortOnUnwind::OF_A_THREAD;
    let _tokio = scheduler.tokio.enter();
    let entered = Context::enter(&scheduler, Role::Watching);
    while let Some(noted) = scheduler.stalls.next_noted() {
        deliver(&scheduler, noted);
    }
    wsrt_stack::forget();
    drop(entered);
    shutdown::depart(&scheduler);
    std::mem::forget(guard);
}
