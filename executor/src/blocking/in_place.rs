//! Blocking inside a task without holding up other tasks.
//!
//! There are two ways. [`block_in_place`] is for calls that may end quickly: it only *marks* the
//! processor as blocked, and the watcher puts a spare processor to work if the call lasts.
//! [`with_processor_handed_over`](crate::scheduler::hand_over::with_processor_handed_over) is for
//! waits that are known to last: another machine takes over the processor immediately.

use std::rc::Rc;

use wsrt_reactor::budget;

use crate::scheduler::Context;

/// Runs `block`, which may block the thread. If the call lasts, a spare processor runs the other
/// tasks.
///
/// On a thread without a processor, and on a current-thread runtime, which has no other thread for
/// its tasks, `block` is simply called.
pub(crate) fn block_in_place<R>(block: impl FnOnce() -> R) -> R {
    let _in_place = Context::current().map(InPlace::begin);
    // Another executor may wait in there, which gives up no turn when the budget is spent.
    let _outer_budget = budget::keep();
    budget::lift();
    block()
}

/// A guard for the time in which the task on this thread is in a call that may block.
struct InPlace {
    context: Rc<Context>,
    was_async: bool,
    /// True if the processor is marked.
    is_marked: bool,
}

impl InPlace {
    fn begin(context: Rc<Context>) -> Self {
        Self { was_async: context.replace_async(false), is_marked: context.begin_blocking(), context }
    }
}

impl Drop for InPlace {
    fn drop(&mut self) {
        if self.is_marked {
            self.context.end_blocking();
        }
        let _ = self.context.replace_async(self.was_async);
    }
}

impl Context {
    /// Marks the processor as blocked, so that other machines immediately find the tasks that the
    /// running task wakes from now on. Returns `false` if there is no processor to mark, or if it
    /// is already marked.
    fn begin_blocking(&self) -> bool {
        if !self.has_stand_ins() || self.is_blocking() {
            return false;
        }
        let marked = self.with_processor(|processor| {
            let marked = processor.map(|processor| processor.shared().watch().begin_blocking());
            marked.is_some()
        });
        self.set_blocking(marked);
        if marked {
            self.note_in_place(true);
        }
        marked
    }

    fn end_blocking(&self) {
        self.note_in_place(false);
        self.set_blocking(false);
        self.with_processor(|processor| {
            if let Some(processor) = processor {
                processor.shared().watch().end_blocking();
            }
        });
    }
}
