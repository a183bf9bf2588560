//! Feature `console`: shows tasks and timers as `tracing` spans and events, under the names that
//! tokio-console expects.
//!
//! The names are tokio's, because the console recognises tasks and timers by them: nothing here
//! says "wsrt". The console shows:
//!
//! | shown | as |
//! |---|---|
//! | a task, a blocking job, a `block_on` | the span `runtime.spawn`, open for as long as its future exists |
//! | a poll | that span is entered |
//! | the operations on its wakers | events that name the span |
//! | a timer that is waited for | the span `runtime.resource`, and one for the wait, entered while it is polled |
//!
//! The feature stays outside of the task cell: a task is watched by a future around its own
//! ([`instrumented`]). The subscriber is asked once, when the task is spawned, whether it wants to
//! see the task. If not, all that remains is one word next to the future, which each poll checks.
//!
//! The subscriber must be the process's default subscriber, because wakers are used on any thread.

mod instrumented;
mod spawned;
mod timer;
mod waking;

#[cfg(test)]
mod tests;

pub(crate) use spawned::{watch, watch_block_on};
pub(crate) use timer::TimerSpan;
