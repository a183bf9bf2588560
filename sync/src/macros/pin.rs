//! `pin!`, which pins local variables.

/// Pins values to the current stack frame.
///
/// `pin!(name)` pins the local variable `name`, and rebinds `name` to the pinned reference. `pin! {
/// let name = value; }` declares the variable as well.
///
/// # Examples
///
/// ```
/// # mod wsrt { pub use wsrt_sync::*; }
/// let number = async { 4 };
/// wsrt::pin!(number);
/// # let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
/// # use std::future::Future;
/// assert!(number.as_mut().poll(&mut cx).is_ready());
/// ```
#[macro_export]
macro_rules! pin {
    ($($name:ident),* $(,)?) => {
        $(let mut $name = ::core::pin::pin!($name);)*
    };
    ($(let $name:ident = $value:expr;)*) => {
        $(
            let $name = $value;
            let mut $name = ::core::pin::pin!($name);
        )*
    };
}
