//! Blocking with a task in hand, so that no other task waits for it.
//!
//! There are two ways. [`block_in_place`] is for calls that may be over in a moment: it only
//! *marks* the processor as blocked, and the watcher puts a spare into play if the call lasts.
//! [`with_processor_handed_over`](crate::scheduler::hand_over::with_processor_handed_over) is for
//! waits that are known to last: another machine takes the processor at once.

use crate::scheduler::Context;
use crate::scheduler::hand_over::Afterwards;

/// Runs `block`, which may block the thread. If it lasts, a spare processor stands in for this one.
///
/// On a thread without a processor, and on a current-thread runtime, which has no other thread to
/// run its tasks, `block` is just called.
pub(crate) fn block_in_place<R>(block: impl FnOnce() -> R) -> R {
    let _afterwards = Context::with(|context| {
        let context = context?.keep()?;
        context.begin_blocking().then(|| Afterwards { context, what: Context::end_blocking })
    });
    block()
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
