//! Which processor runs the code that asks.

use crate::scheduler::Context;

/// Returns the index of the processor that runs the calling code, as
/// [`RuntimeMetrics`](crate::runtime::RuntimeMetrics) numbers them: below the number with which the
/// runtime was built, forever.
///
/// `None` outside tasks, in blocking jobs, on a spare processor, which replaces one that is
/// stuck, and on one that came when the runtime [grew](crate::runtime::Handle::resize). The future
/// in `block_on` of a multi-thread runtime is on none; that in
/// [`Runtime::block_on`](crate::runtime::Runtime::block_on) of a current-thread runtime is on its
/// processor, unless another thread is in that as well, and was first.
///
/// A task may be on another processor after each await.
///
/// # Examples
///
/// ```
/// use wsrt::runtime::{Builder, worker_index};
///
/// let runtime = Builder::new_multi_thread().worker_threads(1).build()?;
/// assert_eq!(runtime.run(async { worker_index() }), Some(0));
/// assert_eq!(worker_index(), None);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn worker_index() -> Option<usize> {
    Context::with(|context| {
        let context = context?;
        if context.is_in_root() {
            return context.scheduler().root_thread.is_current().then_some(0);
        }
        let index = context.with_processor(|held| held.map(|processor| processor.index()))?;
        (index < context.scheduler().processors.built()).then_some(index)
    })
}
