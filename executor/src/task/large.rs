//! Large futures: in a box before they go from function to function.
//!
//! A function that is not optimised keeps a copy of each value that it moves into a closure or a
//! structure, and a spawn goes through ten of them, all live at once. So the outermost puts a large
//! future into a box, and the rest moves a pointer. Which it does is known when it is compiled.

/// Futures with more bytes are large, as tokio counts them: a box costs a build with optimisation
/// more than a copy or two.
pub(crate) const LARGE: usize = if cfg!(debug_assertions) { 2 * 1024 } else { 16 * 1024 };

/// Evaluates `$call` with `$future`, whose type is `$F`, in a box if it is large.
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
