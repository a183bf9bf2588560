//! `try_join!`, which waits for several futures that may fail.

/// Waits for all of the given futures in the current task, and returns `Ok` with a tuple of their
/// outputs.
///
/// If a future returns an error, `try_join!` returns that error at once and drops the remaining
/// futures.
///
/// To treat the futures fairly, each poll starts with a different future, in turn. With `biased;`
/// in front of the futures, every poll starts with the first one.
///
/// # Examples
///
/// ```
/// # mod wsrt { pub use wsrt_sync::*; }
/// # let mut all = std::pin::pin!(async {
/// let sum = wsrt::try_join!(async { Ok(1) }, async { Err::<i32, _>("no number") });
/// assert_eq!(sum, Err("no number"));
/// # });
/// # let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
/// # assert!(std::future::Future::poll(all.as_mut(), &mut cx).is_ready());
/// ```
#[macro_export]
macro_rules! try_join {
    ($(biased;)?) => {
        async { $crate::macros::support::Result::Ok(()) }.await
    };
    (biased; $($future:expr),+ $(,)?) => {
        $crate::try_join!(@ [$crate::macros::support::InOrder] [] [] $($future,)+)
    };
    // Each step makes a name: they look alike, but the compiler tells them apart.
    (@ $turns:tt [$($named:tt)*] [$($reversed:tt)*] $future:expr, $($rest:tt)*) => {
        $crate::try_join!(@ $turns [$($named)* (future $future)] [future $($reversed)*] $($rest)*)
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
                        if $crate::macros::support::Future::poll($name.as_mut(), cx).is_pending() {
                            is_pending = true;
                        } else if $name.as_mut().output_mut().expect("it is ready").is_err() {
                            let $crate::macros::support::Option::Some($crate::macros::support::Result::Err(error)) =
                                $name.as_mut().take_output()
                            else {
                                ::core::unreachable!("it is an error")
                            };
                            return $crate::macros::support::Poll::Ready($crate::macros::support::Result::Err(error));
                        }
                    }
                    branch += 1;
                )+
                let _ = branch;
            }
            if is_pending {
                return $crate::macros::support::Poll::Pending;
            }
            $crate::macros::support::Poll::Ready($crate::macros::support::Result::Ok(($(
                match $name.as_mut().take_output() {
                    $crate::macros::support::Option::Some($crate::macros::support::Result::Ok(output)) => output,
                    _ => ::core::unreachable!("all are ready without an error"),
                },
            )+)))
        })
        .await
    }};
    ($($future:expr),+ $(,)?) => {
        $crate::try_join!(@ [$crate::macros::support::Turns] [] [] $($future,)+)
    };
}
