//! `join!`, which waits for several futures.

/// Waits for all of the given futures in the current task, and returns their outputs as a tuple.
///
/// To treat the futures fairly, each poll starts with a different future, in turn. With `biased;`
/// in front of the futures, every poll starts with the first one.
///
/// # Examples
///
/// ```
/// # mod wsrt { pub use wsrt_sync::*; }
/// # let mut all = std::pin::pin!(async {
/// let (one, two) = wsrt::join!(async { 1 }, async { 2 });
/// assert_eq!(one + two, 3);
/// # });
/// # let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
/// # assert!(std::future::Future::poll(all.as_mut(), &mut cx).is_ready());
/// ```
#[macro_export]
macro_rules! join {
    ($(biased;)?) => {
        async {}.await
    };
    (biased; $($future:expr),+ $(,)?) => {
        $crate::join!(@ [$crate::macros::support::InOrder] [] [] $($future,)+)
    };
    // Each step makes a name: they look alike, but the compiler tells them apart.
    (@ $turns:tt [$($named:tt)*] [$($reversed:tt)*] $future:expr, $($rest:tt)*) => {
        $crate::join!(@ $turns [$($named)* (future $future)] [future $($reversed)*] $($rest)*)
    };
    (@ [$($turns:tt)*] [$(($name:ident $future:expr))+] [$($reversed:ident)+]) => {{
        let mut turns = <$($turns)*>::default();
        $(let $name = $crate::macros::support::maybe_done($future);)+
        let futures = ();
        $(let futures = $crate::macros::support::Pinned::new(futures, $reversed);)+
        let mut futures = $crate::macros::support::pin!(futures);
        $crate::macros::support::poll_fn(move |cx| {
            let branches = [$(::core::stringify!($name)),+].len() as u32;
            let first = turns.next(branches);
            let mut is_pending = false;
            let rest = futures.as_mut();
            $(let (rest, mut $name) = rest.split();)+
            let _ = rest;
            // Once around, from the first one: those before it come in the second half.
            for before_first in [false, true] {
                let mut branch = 0;
                $(
                    if (branch < first) == before_first {
                        is_pending |= $crate::macros::support::Future::poll($name.as_mut(), cx).is_pending();
                    }
                    branch += 1;
                )+
                let _ = branch;
            }
            if is_pending {
                return $crate::macros::support::Poll::Pending;
            }
            $crate::macros::support::Poll::Ready(($($name.as_mut().take_output().expect("all are ready"),)+))
        })
        .await
    }};
    ($($future:expr),+ $(,)?) => {
        $crate::join!(@ [$crate::macros::support::Turns] [] [] $($future,)+)
    };
}
