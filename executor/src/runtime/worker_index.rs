//! The index of the processor that runs the current code.

use crate::scheduler::Context;

/// Returns the index of the processor that runs the calling code. Indices are the same as in
/// [`RuntimeMetrics`](crate::runtime::RuntimeMetrics), and always less than the number of
/// processors with which the runtime was built.
///
/// Returns `None` outside tasks, in blocking jobs, on a spare processor that replaces a stuck
/// processor, and on a processor that was added when the runtime
/// [grew](crate::runtime::Handle::resize).
///
/// On a multi-thread runtime, the future passed to `block_on` does not run on a processor, so the
/// function returns `None` there. On a current-thread runtime, the future passed to
/// [`Runtime::block_on`](crate::runtime::Runtime::block_on) runs on the runtime's only processor,
/// unless another thread called `block_on` earlier and is still in it.
///
/// A task may run on another processor after each `await`.
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
