//! Waiting for the first of several futures.

/// Waits for several futures in one task, and runs the handler of the first that is ready with an
/// output that fits its pattern. All futures are dropped before.
///
/// ```text
/// select! {
///     biased;                                    // optional: poll in this order
///     <pattern> = <future>, if <condition> => <handler>,
///     <pattern> = <future> => <handler>,
///     else => <handler>,                         // optional: no branch is left
/// }
/// ```
///
/// All conditions are evaluated first, and then all futures, those of disabled branches too. A
/// branch whose output does not fit its pattern is disabled. Each poll begins at a random branch.
///
/// # Panics
///
/// If no branch is left, and there is no `else`.
///
/// # Cancel safety
///
/// The futures that were not ready are dropped: use those that lose nothing then.
///
/// # Examples
///
/// ```
/// # let mut all = std::pin::pin!(async {
/// let never = std::future::pending::<u32>();
/// let first = tokio::select! {
///     number = never => number,
///     Some(number) = async { Some(4) } => number,
/// };
/// assert_eq!(first, 4);
/// # });
/// # let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
/// # assert!(std::future::Future::poll(all.as_mut(), &mut cx).is_ready());
/// ```
#[macro_export]
macro_rules! select {
    () => {
        ::core::compile_error!("select! requires at least one branch.")
    };
    ($(biased;)? else => $otherwise:expr $(,)?) => {{ $otherwise }};
    (biased; $pattern:pat = $($rest:tt)*) => {
        $crate::__select!([$crate::macros::support::first] [] [] $pattern = $($rest)*)
    };
    ($pattern:pat = $($rest:tt)*) => {
        $crate::__select!([$crate::macros::support::random_below] [] [] $pattern = $($rest)*)
    };
}

/// Function that chooses the first branch to poll, branches so far, one `_` for each, and what is left.
#[doc(hidden)]
#[macro_export]
macro_rules! __select {
    // Each step makes two names: those of all steps look alike, but the compiler tells them apart.
    ($start:tt [$($done:tt)*] [$($place:tt)*] $pattern:pat = $future:expr, if $on:expr => $run:block, $($rest:tt)*) => {
        $crate::__select!($start [$($done)* (future on [$($place)*] $pattern, $future, $on, $run)] [$($place)* _] $($rest)*)
    };
    ($start:tt [$($done:tt)*] [$($place:tt)*] $pattern:pat = $future:expr, if $on:expr => $run:block $($rest:tt)*) => {
        $crate::__select!($start [$($done)* (future on [$($place)*] $pattern, $future, $on, $run)] [$($place)* _] $($rest)*)
    };
    ($start:tt [$($done:tt)*] [$($place:tt)*] $pattern:pat = $future:expr, if $on:expr => $run:expr $(, $($rest:tt)*)?) => {
        $crate::__select!($start [$($done)* (future on [$($place)*] $pattern, $future, $on, $run)] [$($place)* _] $($($rest)*)?)
    };
    ($start:tt $done:tt $place:tt $pattern:pat = $future:expr => $($rest:tt)*) => {
        $crate::__select!($start $done $place $pattern = $future, if true => $($rest)*)
    };
    ($start:tt $done:tt $place:tt else => $otherwise:expr $(,)?) => {
        $crate::__select!(@ $start $done [$otherwise])
    };
    ($start:tt $done:tt $place:tt) => {
        $crate::__select!(@ $start $done [::core::panic!("all branches are disabled and there is no else branch")])
    };
    (
        @ [$($start:tt)*] [$(($future:ident $on:ident [$($place:tt)*] $pattern:pat, $made:expr, $condition:expr, $run:expr))+]
        [$otherwise:expr]
    ) => {{
        let branches = [$(::core::stringify!($on)),+].len() as u32;
        $(let mut $on: bool = $condition;)+
        let output = {
            // A tuple: borrows of temporaries in it live on.
            let ($($future,)+) = ($($made,)+);
            $(let mut $future = $crate::macros::support::pin!($crate::macros::support::IntoFuture::into_future($future));)+
            $crate::macros::support::poll_fn(|cx| {
                $crate::macros::support::ready!($crate::macros::support::poll_proceed(cx));
                let start = $($start)*(branches);
                let mut is_pending = false;
                // Once around, from the start: those before it come in the second half.
                for before_start in [false, true] {
                    let mut branch = 0;
                    $(
                        if $on && (branch < start) == before_start {
                            let mut output = $crate::macros::support::Option::None;
                            if $crate::macros::support::poll_into($future.as_mut(), cx, &mut output) {
                                $on = false;
                                #[allow(unused_variables, unused_mut)]
                                if let $crate::macros::support::Option::Some(
                                    $crate::macros::support::clean_pattern!($pattern)
                                ) = &output {
                                    return $crate::macros::support::Poll::Ready(
                                        $crate::__select_output!([$($place)*] output)
                                    );
                                }
                            } else {
                                is_pending = true;
                            }
                        }
                        branch += 1;
                    )+
                    let _ = branch;
                }
                if is_pending {
                    $crate::macros::support::Poll::Pending
                } else {
                    $crate::macros::support::Poll::Ready(
                        $crate::__select_none!([$($on)+] $crate::macros::support::Disabled)
                    )
                }
            })
            .await
        };
        match output {
            $(
                $crate::__select_output!([$($place)*] $crate::macros::support::Option::Some($pattern)) => $run,
            )+
            $crate::__select_none!([$($on)+] $crate::macros::support::Disabled) => $otherwise,
            _ => ::core::unreachable!("the output of a branch fits its pattern"),
        }
    }};
}

/// The output of the branch with as many before it.
#[doc(hidden)]
#[macro_export]
macro_rules! __select_output {
    ([] $($output:tt)*) => {
        $crate::macros::support::Branch::This($($output)*)
    };
    ([_ $($before:tt)*] $($output:tt)*) => {
        $crate::macros::support::Branch::Other($crate::__select_output!([$($before)*] $($output)*))
    };
}

/// The output of none of as many branches.
#[doc(hidden)]
#[macro_export]
macro_rules! __select_none {
    ([] $($output:tt)*) => {
        $($output)*
    };
    ([$branch:ident $($branches:tt)*] $($output:tt)*) => {
        $crate::macros::support::Branch::Other($crate::__select_none!([$($branches)*] $($output)*))
    };
}
