//! Feature `console`: tasks and timers as spans and events of `tracing`, by the names that
//! tokio-console looks for.
//!
//! The names are tokio's, for the console recognises tasks and timers by them: nothing here says
//! "wsrt". The console shows:
//!
//! | shown | as |
//! |---|---|
//! | a task, a blocking job, a `block_on` | the span `runtime.spawn`, open for as long as its future exists |
//! | a poll | that span is entered |
//! | the operations on its wakers | events that name the span |
//! | a timer that is waited for | the span `runtime.resource`, and one for the wait, entered while it is polled |
//!
//! It stays outside the cell: a task is watched by a future around its own ([`instrumented`]).
//! The subscriber is asked once whether it wants to see a task, when that is spawned. If not, all
//! that is left of this is a word beside the future, which each poll looks at.
//!
//! The subscriber has to be the process's default: wakers are used on any thread.

mod instrumented;
mod spawned;
mod timer;
mod waking;

#[cfg(test)]
mod tests;

pub(crate) use spawned::{watch, watch_block_on};
pub(crate) use timer::TimerSpan;
