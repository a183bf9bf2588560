//! Large futures are boxed before they are passed on.
//!
//! Without optimization, a function keeps a copy of each value that it moves into a closure or a
//! structure, and a spawn goes through ten functions. So the outermost function boxes a large
//! future, and the others move a pointer. The choice is made at compile time.

/// Futures with more bytes than this are boxed. With optimization, a box costs more than one or two
/// copies. The values are tokio's.
pub(crate) const LARGE: usize = if cfg!(debug_assertions) { 2 * 1024 } else { 16 * 1024 };

/// Evaluates `$call` with `$future` of type `$F`, which is boxed if it is large.
macro_rules! boxed_if_large {
    ($F:ty, $future:ident => $call:expr) => {
        if const { size_of::<$F>() > $crate::task::large::LARGE } {
            let $future = Box::pin($future);
            $call
        } else {
            $call
        }
    };
}
pub(crate) use boxed_if_large;
