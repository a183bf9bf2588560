//! Blocking with a task in hand, so that no other task waits for it.
//!
//! There are two ways. [`block_in_place`] is for calls that may be over in a moment: it only
//! *marks* the processor as blocked, and the watcher puts a spare into play if the call lasts.
//! [`with_processor_handed_over`](crate::scheduler::hand_over::with_processor_handed_over) is for
//! waits that are known to last: another machine takes the processor at once.

use std::rc::Rc;

use wsrt_reactor::budget;

use crate::scheduler::Context;

/// Runs `block`, which may block the thread. If it lasts, a spare processor runs the other tasks.
///
/// On a thread without a processor, and on a current-thread runtime, which has no other thread to
/// run its tasks, `block` is just called.
pub(crate) fn block_in_place<R>(block: impl FnOnce() -> R) -> R {
    let _in_place = Context::current().map(InPlace::begin);
    // Another executor may wait in there, which gives up no turn when the budget is spent.
    let _outer_budget = budget::keep();
    budget::lift();
    block()
}

/// The task on this thread is in a call that may block.
struct InPlace {
    context: Rc<Context>,
    was_async: bool,
    /// True if its processor is marked.
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
    /// Marks the processor as blocked, so that tasks that the running one wakes from now on go
    /// where other machines find them at once. `false` if there is no processor to mark, or it is
    /// marked already.
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
