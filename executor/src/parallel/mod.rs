//! Parallel computation on the processors that run the async tasks.
//!
//! | goal | function |
//! |---|---|
//! | divide and conquer | [`join()`] |
//! | start any number of jobs that borrow, and wait for all of them | [`scope()`] |
//! | call a closure for each item | [`for_each`](fn@for_each) |
//! | collect results in a `Vec`, in order | [`map_collect`] |
//! | combine many values into one result | [`reduce()`] |
//! | run one of the last three, but stop when a token is cancelled | [`until`] |
//! | run one of the last three in time that nothing else wants | [`background()`] |
//!
//! ```
//! use wsrt::parallel;
//!
//! # let runtime = wsrt::runtime::Runtime::new().unwrap();
//! # runtime.block_on(async {
//! let squares = parallel::map_collect(0..1000_u64, |n| n * n);
//! let sum = parallel::reduce(&squares, || 0, |n| *n, |a, b| a + b);
//! assert_eq!(sum, 332_833_500);
//! # });
//! ```
//!
//! All of these functions are ordinary calls, not futures: they return when the work is done. The
//! calling thread begins to work at once, and threads of idle processors help. No tuning is needed.
//! A thread that has run out of indices takes half of the indices that another thread has left,
//! down to a single index. Each thread claims about a microsecond of work at a time. Therefore both
//! uniform and skewed workloads are balanced.
//!
//! # Where they may be called
//!
//! | calling code | helpers |
//! |---|---|
//! | a task of a multi-thread runtime | the runtime's idle processors |
//! | a closure in [`spawn_blocking`](crate::task::spawn_blocking) | the runtime's idle processors |
//! | a thread that has [entered](crate::runtime::Handle::enter) a runtime or is in its `block_on` | the runtime's idle processors |
//! | another parallel call | the runtime's idle processors |
//! | a task of a current-thread runtime | none: the work runs on the calling thread |
//! | a thread outside any runtime | none: the work runs on the calling thread |
//!
//! # Together with async tasks
//!
//! Async tasks have priority. Helpers use only processors that are idle, and a helper leaves at its
//! next claim when a task needs its processor. The calling thread stays until the call returns.
//! Tasks that wait on its processor are stolen by other processors. If all processors are
//! computing, the watcher adds a spare processor for the tasks within about two milliseconds
//! ([`guide::blocking`](crate::guide::blocking)). Such a call is no stall, however long it takes,
//! unless a closure blocks its thread.
//!
//! # Panics
//!
//! The first panic of a closure stops the call. No further items or jobs begin, the call waits for
//! running ones, and then resumes the panic. Results that were computed so far are dropped.
//!
//! # Cancel safety
//!
//! These functions do not await, so they cannot be cancelled by dropping a future. With [`until`],
//! a loop can be stopped from inside or from another thread.
//!
//! The design builds on the work of others: jobs on the stack come from Cilk and rayon, and ranges
//! that thieves split in half come from lazy binary splitting and paralight.

mod background;
mod cancel;
mod items;
mod loops;
mod scope;

pub use self::background::{Background, background};
pub use self::cancel::{Cancelled, Until, until};
pub use self::items::{Chunks, ChunksMut, Integer, IntoItems, Items, Slice, SliceMut, chunks, chunks_mut};
pub use self::loops::{for_each, map_collect, reduce};
pub use self::scope::{Scope, join, scope};
