//! `select!`, which waits for the first of several futures.

/// Waits for several futures in the current task, and runs the handler of the first branch whose
/// output matches its pattern. The futures are dropped before the handler runs.
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
/// All conditions are evaluated first, and then all future expressions, including the ones of
/// disabled branches. A branch whose output does not match its pattern is disabled for the rest of
/// the `select!`. Each poll starts at a random branch, or at the first one if `biased;` is written
/// in front of the branches.
///
/// # Panics
///
/// Panics if all branches are disabled and no `else` branch is given.
///
/// # Cancel safety
///
/// All futures that have not completed are dropped. Use only futures that lose nothing when they
/// are dropped, or pass futures by reference to keep them for later.
///
/// # Examples
///
/// ```
/// # mod wsrt { pub use wsrt_sync::*; }
/// # let mut all = std::pin::pin!(async {
/// let never = std::future::pending::<u32>();
/// let first = wsrt::select! {
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
        $crate::__select!([$crate::macros::support::first] [] [] [] $pattern = $($rest)*)
    };
    ($pattern:pat = $($rest:tt)*) => {
        $crate::__select!([$crate::macros::support::random_below] [] [] [] $pattern = $($rest)*)
    };
}

/// Collects the branches of a `select!`. The arguments are the function that chooses the first
/// branch to poll, the branches so far, the names of their futures from the last to the first, one
/// `_` per branch, and the remaining input.
#[doc(hidden)]
#[macro_export]
macro_rules! __select {
    (
        @ [$($start:tt)*] [$(($future:ident [$($place:tt)*] $pattern:pat, $made:expr, $condition:expr, $run:expr))+]
        [$($reversed:ident)+] [$otherwise:expr]
    ) => {{
        let mut is_enabled = [$($condition),+];
        #[allow(unused_mut)]
        let mut output = {
            // A tuple: borrows of temporaries in it live on.
            let ($($future,)+) = ($($made,)+);
            $(let $future = $crate::macros::support::IntoFuture::into_future($future);)+
            let futures = ();
            $(let futures = $crate::macros::support::Pinned::new(futures, $reversed);)+
            let mut futures = $crate::macros::support::pin!(futures);
            let is_enabled = &mut is_enabled;
            $crate::macros::support::poll_fn(move |cx| {
                $crate::macros::support::ready!($crate::macros::support::poll_proceed(cx));
                let start = $($start)*(is_enabled.len() as u32) as usize;
                let mut is_pending = false;
                let rest = futures.as_mut();
                $(let (rest, mut $future) = rest.split();)+
                let _ = rest;
                // Once around, from the start: those before it come in the second half.
                #[allow(unreachable_code, unreachable_patterns, unused_mut, unused_variables)]
                for before_start in [false, true] {
                    let mut branch = 0;
                    $(
                        'poll: {
                            if !is_enabled[branch] || (branch < start) != before_start {
                                break 'poll;
                            }
                            let output = match $crate::macros::support::Future::poll($future.as_mut(), cx) {
                                $crate::macros::support::Poll::Ready(output) => output,
                                $crate::macros::support::Poll::Pending => {
                                    is_pending = true;
                                    break 'poll;
                                }
                            };
                            is_enabled[branch] = false;
                            match &output {
                                $crate::macros::support::clean_pattern!($pattern) => {}
                                _ => break 'poll,
                            }
                            return $crate::macros::support::Poll::Ready($crate::__select_output!([$($place)*] output));
                        }
                        branch += 1;
                    )+
                    let _ = branch;
                }
                if is_pending {
                    $crate::macros::support::Poll::Pending
                } else {
                    $crate::macros::support::Poll::Ready(
                        $crate::__select_none!([$($reversed)+] $crate::macros::support::Disabled)
                    )
                }
            })
            .await
        };
        match output {
            $(
                $crate::__select_output!([$($place)*] $pattern) => $run,
            )+
            $crate::__select_none!([$($reversed)+] $crate::macros::support::Disabled) => $otherwise,
            _ => ::core::unreachable!("the output of a branch fits its pattern"),
        }
    }};
    ($start:tt $done:tt $names:tt $place:tt) => {
        $crate::__select!(@ $start $done $names
            [::core::panic!("all branches are disabled and there is no else branch")])
    };
    ($start:tt $done:tt $names:tt $place:tt else => $otherwise:expr $(,)?) => {
        $crate::__select!(@ $start $done $names [$otherwise])
    };
    // Each step makes a name: the names of all steps look alike, but the compiler tells them apart.
    ($start:tt [$($done:tt)*] [$($names:tt)*] [$($place:tt)*] $pattern:pat = $future:expr, if $on:expr => $run:block, $($rest:tt)*) => {
        $crate::__select!(
            $start [$($done)* (future [$($place)*] $pattern, $future, $on, $run)] [future $($names)*]
            [$($place)* _] $($rest)*
        )
    };
    ($start:tt [$($done:tt)*] [$($names:tt)*] [$($place:tt)*] $pattern:pat = $future:expr => $run:block, $($rest:tt)*) => {
        $crate::__select!(
            $start [$($done)* (future [$($place)*] $pattern, $future, true, $run)] [future $($names)*]
            [$($place)* _] $($rest)*
        )
    };
    ($start:tt [$($done:tt)*] [$($names:tt)*] [$($place:tt)*] $pattern:pat = $future:expr, if $on:expr => $run:block $($rest:tt)*) => {
        $crate::__select!(
            $start [$($done)* (future [$($place)*] $pattern, $future, $on, $run)] [future $($names)*]
            [$($place)* _] $($rest)*
        )
    };
    ($start:tt [$($done:tt)*] [$($names:tt)*] [$($place:tt)*] $pattern:pat = $future:expr => $run:block $($rest:tt)*) => {
        $crate::__select!(
            $start [$($done)* (future [$($place)*] $pattern, $future, true, $run)] [future $($names)*]
            [$($place)* _] $($rest)*
        )
    };
    ($start:tt [$($done:tt)*] [$($names:tt)*] [$($place:tt)*] $pattern:pat = $future:expr, if $on:expr => $run:expr $(, $($rest:tt)*)?) => {
        $crate::__select!(
            $start [$($done)* (future [$($place)*] $pattern, $future, $on, $run)] [future $($names)*]
            [$($place)* _] $($($rest)*)?
        )
    };
    ($start:tt [$($done:tt)*] [$($names:tt)*] [$($place:tt)*] $pattern:pat = $future:expr => $run:expr $(, $($rest:tt)*)?) => {
        $crate::__select!(
            $start [$($done)* (future [$($place)*] $pattern, $future, true, $run)] [future $($names)*]
            [$($place)* _] $($($rest)*)?
        )
    };
}

/// The output of the branch that has the given number of branches before it.
#[doc(hidden)]
#[macro_export]
macro_rules! __select_output {
    ([] $($output:tt)*) => {
        $crate::macros::support::Branch::This($($output)*)
    };
    // Eight at once: the compiler limits the depth of macros.
    ([_ _ _ _ _ _ _ _ $($before:tt)*] $($output:tt)*) => {
        $crate::__select_eight!($crate::__select_output!([$($before)*] $($output)*))
    };
    ([_ $($before:tt)*] $($output:tt)*) => {
        $crate::macros::support::Branch::Other($crate::__select_output!([$($before)*] $($output)*))
    };
}

/// The output if none of the given number of branches is enabled.
#[doc(hidden)]
#[macro_export]
macro_rules! __select_none {
    ([] $($output:tt)*) => {
        $($output)*
    };
    ([$a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident $($branches:tt)*] $($output:tt)*) => {
        $crate::__select_eight!($crate::__select_none!([$($branches)*] $($output)*))
    };
    ([$branch:ident $($branches:tt)*] $($output:tt)*) => {
        $crate::macros::support::Branch::Other($crate::__select_none!([$($branches)*] $($output)*))
    };
}

/// The output of a branch with eight more branches before it.
#[doc(hidden)]
#[macro_export]
macro_rules! __select_eight {
    ($($output:tt)*) => {
        $crate::__select_two!($crate::__select_two!($crate::__select_two!($crate::__select_two!($($output)*))))
    };
}

/// The output of a branch with two more branches before it.
#[doc(hidden)]
#[macro_export]
macro_rules! __select_two {
    ($($output:tt)*) => {
        $crate::macros::support::Branch::Other($crate::macros::support::Branch::Other($($output)*))
    };
}
