//! Computing in parallel, on the processors that run the tasks.
//!
//! | to | use |
//! |---|---|
//! | divide and conquer | [`join()`] |
//! | start any number of jobs that borrow, and wait for them all | [`scope()`] |
//! | do something with each item | [`for_each`](fn@for_each) |
//! | make a `Vec` of results, in order | [`map_collect`] |
//! | make one result of many | [`reduce()`] |
//! | do any of the last three until a token is cancelled | [`until`] |
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
//! All of these are ordinary calls, not futures: they return when the work is done. The calling
//! thread begins at once, and idle processors' machines come to help. There is nothing to tune: a
//! thread that has run out of indices takes half of those that another thread has left, down to a
//! single index, and each thread claims about a microsecond of work at a time, so that uniform and
//! skewed costs are balanced.
//!
//! # Where they may be called
//!
//! | from | helpers |
//! |---|---|
//! | a task of a multi-thread runtime | its idle processors |
//! | [`spawn_blocking`](crate::task::spawn_blocking) | its idle processors |
//! | a thread that has [entered](crate::runtime::Handle::enter) a runtime, or is in its `block_on` | its idle processors |
//! | inside another parallel call | the runtime's idle processors |
//! | a task of a current-thread runtime | none: the call runs on the calling thread |
//! | a thread that belongs to no runtime | none |
//!
//! # Beside async tasks
//!
//! Tasks come first. A helper computes in the time of an idle processor, and leaves at its next
//! claim once a task needs that processor. The calling thread stays: its processor is the loop's
//! share. Tasks that wait on it are stolen by other processors; when all processors compute, the
//! watcher puts a spare into play for the tasks, within some two milliseconds (see
//! [`guide::blocking`](crate::guide::blocking)). A call of more than 100 ms in a task is reported
//! as a stall; put it in `spawn_blocking` if that is not wanted.
//!
//! # Panics
//!
//! The first panic of a closure stops the call: no further item or job begins, those that run are
//! waited for, and the panic continues in the caller. Results made so far are dropped.
//!
//! # Cancel safety
//!
//! There is nothing to cancel from outside, since the calls do not await; [`until`] stops a loop
//! from inside or from another thread.
//!
//! The design owes much to others: jobs on the stack to Cilk and rayon, ranges that thieves cut in
//! half to lazy binary splitting and paralight.

mod cancel;
mod collect;
mod drive;
mod for_each;
mod items;
mod join;
mod reduce;
mod scope;

pub use self::cancel::{CancelToken, Cancelled, Until, until};
pub use self::collect::map_collect;
pub use self::for_each::for_each;
pub use self::items::{Chunks, ChunksMut, Integer, IntoItems, Items, Slice, SliceMut, chunks, chunks_mut};
pub use self::join::join;
pub use self::reduce::reduce;
pub use self::scope::{Scope, scope};
