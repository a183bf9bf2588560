//! A token that tells tasks, loops and servers to end, with children that end with their parent.

mod guard;
mod node;

pub use self::guard::{DropGuard, DropGuardRef};

use self::node::Node;
use std::fmt;
use std::future::{Future, poll_fn};
use std::panic::Location;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

/// Tells any number of tasks, parallel loops and servers that they should end.
///
/// A token is cancelled once, by [`cancel`](Self::cancel), and stays cancelled. All clones of a
/// token are the same token. [`child_token`](Self::child_token) returns a token that is cancelled
/// together with its parent, and can also be cancelled alone: give a child to each connection, and
/// the server's token ends all of them.
///
/// | to | use |
/// |---|---|
/// | end a future where it waits | [`run_until_cancelled`](Self::run_until_cancelled) |
/// | end between two steps | [`is_cancelled`](Self::is_cancelled), which costs one load |
/// | do something else as soon as the token is cancelled | [`cancelled`](Self::cancelled), for example in `select!` |
/// | end a group of tasks, a parallel loop, a server | `TaskGroup::until`, `parallel::until`, `Serve::with_shutdown_token` |
/// | end others when a function returns or panics | [`drop_guard`](Self::drop_guard) |
///
/// Tokens need no runtime, and can be used from any thread. The names are tokio-util's.
///
/// # Not guaranteed
///
/// Cancelling is a request: a task that does not look at its token continues. If two threads cancel
/// a token at the same time, the second call may return before all children are cancelled. A token
/// keeps its ancestors in memory, but not its children.
///
/// # Examples
///
/// ```
/// # mod wsrt { pub use wsrt_sync as sync; }
/// # wsrt_sync::blocking::block_on(async {
/// use wsrt::sync::CancellationToken;
///
/// let server = CancellationToken::new();
/// let (first, second) = (server.child_token(), server.child_token());
///
/// first.cancel();
/// assert!(!second.is_cancelled() && !server.is_cancelled());
/// assert_eq!(second.run_until_cancelled(async { "answered" }).await, Some("answered"));
///
/// server.cancel();
/// assert_eq!(second.run_until_cancelled(std::future::pending::<()>()).await, None);
/// # });
/// ```
#[derive(Clone)]
pub struct CancellationToken(Arc<Node>);

impl CancellationToken {
    /// Creates a token that is not cancelled and has no parent.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// assert!(!wsrt::sync::CancellationToken::new().is_cancelled());
    /// ```
    #[must_use]
    #[track_caller]
    pub fn new() -> Self {
        Self(Arc::new(Node::new(Location::caller())))
    }

    /// Creates a token that is cancelled when this token is cancelled. Cancelling the child does
    /// not cancel this token.
    ///
    /// The child of a cancelled token is cancelled. A child that is dropped leaves nothing behind.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let parent = wsrt::sync::CancellationToken::new();
    /// let child = parent.child_token();
    /// parent.cancel();
    /// assert!(child.is_cancelled() && parent.child_token().is_cancelled());
    /// ```
    #[must_use]
    #[track_caller]
    pub fn child_token(&self) -> Self {
        Self(self.0.child(Location::caller()))
    }

    /// Cancels the token, its children, and their children, and wakes all tasks that wait for one
    /// of them. Later calls have no effect.
    ///
    /// # Panics
    ///
    /// Panics if the waker of a task panics, but only after all other tasks have been woken.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let token = wsrt::sync::CancellationToken::new();
    /// token.clone().cancel();
    /// assert!(token.is_cancelled());
    /// ```
    pub fn cancel(&self) {
        self.0.cancel();
    }

    /// Returns `true` if the token is cancelled. A thread that sees this also sees everything that
    /// happened before the call of [`cancel`](Self::cancel).
    #[inline]
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }

    /// Waits until the token is cancelled. Completes immediately if it is cancelled already.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe, because a cancelled token stays cancelled.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// let token = wsrt::sync::CancellationToken::new();
    /// let canceller = token.clone();
    /// std::thread::spawn(move || canceller.cancel());
    /// token.cancelled().await;
    /// # });
    /// ```
    pub async fn cancelled(&self) {
        self.0.wait().await;
    }

    /// Waits until the token is cancelled, like [`cancelled`](Self::cancelled). The future owns the
    /// token, so it can be moved to another task.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe, because a cancelled token stays cancelled. The token is dropped
    /// with the future.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let token = wsrt::sync::CancellationToken::new();
    /// let waiting = token.clone().cancelled_owned();
    /// let thread = std::thread::spawn(|| wsrt_sync::blocking::block_on(waiting));
    /// token.cancel();
    /// thread.join().unwrap();
    /// ```
    pub async fn cancelled_owned(self) {
        self.0.wait().await;
    }

    /// Waits for `future` and returns its output, or returns `None` if the token is cancelled
    /// first.
    ///
    /// In the second case, `future` is dropped at the `await` where it waits. If the token is
    /// already cancelled, `future` is not polled at all.
    ///
    /// # Cancel safety
    ///
    /// This method is as cancel safe as `future`, which is dropped with the returned future.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// let token = wsrt::sync::CancellationToken::new();
    /// assert_eq!(token.run_until_cancelled(async { 7 }).await, Some(7));
    /// token.cancel();
    /// assert_eq!(token.run_until_cancelled(async { 7 }).await, None);
    /// # });
    /// ```
    pub async fn run_until_cancelled<F: Future>(&self, future: F) -> Option<F::Output> {
        let mut cancelled = pin!(self.0.wait());
        let mut future = pin!(future);
        poll_fn(|cx| match cancelled.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(None),
            Poll::Pending => future.as_mut().poll(cx).map(Some),
        })
        .await
    }

    /// Waits for `future` or for the cancellation, like
    /// [`run_until_cancelled`](Self::run_until_cancelled). The returned future owns the token, so
    /// it can be moved to another task.
    ///
    /// # Cancel safety
    ///
    /// This method is as cancel safe as `future`, which is dropped with the returned future, and so
    /// is the token.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let token = wsrt::sync::CancellationToken::new();
    /// let endless = token.child_token().run_until_cancelled_owned(std::future::pending::<()>());
    /// let thread = std::thread::spawn(|| wsrt_sync::blocking::block_on(endless));
    /// token.cancel();
    /// assert_eq!(thread.join().unwrap(), None);
    /// ```
    pub async fn run_until_cancelled_owned<F: Future>(self, future: F) -> Option<F::Output> {
        self.run_until_cancelled(future).await
    }

    /// Returns a guard that cancels the token when the guard is dropped, also by a panic or by the
    /// end of the task that has it.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let token = wsrt::sync::CancellationToken::new();
    /// let guard = token.clone().drop_guard();
    /// drop(guard);
    /// assert!(token.is_cancelled());
    /// ```
    pub fn drop_guard(self) -> DropGuard {
        DropGuard::new(self)
    }

    /// Returns a guard that borrows the token, and cancels it when the guard is dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let token = wsrt::sync::CancellationToken::new();
    /// drop(token.drop_guard_ref());
    /// assert!(token.is_cancelled());
    /// ```
    pub fn drop_guard_ref(&self) -> DropGuardRef<'_> {
        DropGuardRef::new(self)
    }
}

impl Default for CancellationToken {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for CancellationToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CancellationToken").field("is_cancelled", &self.is_cancelled()).finish_non_exhaustive()
    }
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::task::{Context, Wake, Waker};
    use tokio_test::task::spawn;
    use tokio_test::{assert_pending, assert_ready, assert_ready_eq};

    #[test]
    fn a_child_ends_with_its_parent_and_alone() {
        let parent = CancellationToken::new();
        let (alone, with_parent) = (parent.child_token(), parent.child_token());
        let grandchild = with_parent.child_token();
        let mut waits = [&parent, &alone, &with_parent, &grandchild].map(|token| spawn(token.cancelled()));
        waits.iter_mut().for_each(|wait| assert_pending!(wait.poll()));
        alone.cancel();
        assert!(waits[1].is_woken() && !waits[0].is_woken());
        assert_ready!(waits[1].poll());
        parent.cancel();
        for index in [0, 2, 3] {
            assert!(waits[index].is_woken());
            assert_ready!(waits[index].poll());
        }
    }

    #[test]
    fn a_dropped_parent_still_connects() {
        let grandparent = CancellationToken::new();
        let child = grandparent.child_token().child_token();
        assert!(!child.is_cancelled(), "a drop cancels nothing");
        grandparent.cancel();
        assert!(child.is_cancelled());
    }

    #[test]
    fn children_that_have_ended_leave_nothing_behind() {
        let parent = CancellationToken::new();
        let kept = parent.child_token();
        for _ in 0..1_000 {
            let child = parent.child_token();
            let grandchild = child.child_token();
            drop(child);
            assert_eq!(parent.0.children.lock().len(), 2, "the grandchild keeps it");
            drop(grandchild);
            assert_eq!(parent.0.children.lock().len(), 1);
        }
        parent.cancel();
        let late = parent.child_token();
        assert!(kept.is_cancelled() && late.is_cancelled());
        assert_eq!(
            (parent.0.children.lock().len(), Arc::strong_count(&parent.0)),
            (0, 2),
            "`kept` has the other reference"
        );
    }

    #[test]
    fn a_deep_tree_needs_no_deep_stack() {
        let root = CancellationToken::new();
        let leaf = || (0..200_000).fold(root.child_token(), |token, _| token.child_token());
        let (cancelled, dropped) = (leaf(), leaf());
        drop(dropped);
        assert_eq!(root.0.children.lock().len(), 1);
        root.cancel();
        assert!(cancelled.is_cancelled());
        drop(cancelled);
    }

    #[test]
    fn a_woken_task_finds_the_whole_tree_cancelled() {
        struct Looks(CancellationToken);
        impl Wake for Looks {
            fn wake(self: Arc<Self>) {
                assert!(self.0.is_cancelled());
            }
        }
        let root = CancellationToken::new();
        let tokens = [root.clone(), root.child_token(), root.child_token()];
        let begin = |(index, token): (usize, &CancellationToken)| {
            let waker = Waker::from(Arc::new(Looks(tokens[(index + 1) % tokens.len()].clone())));
            let mut wait = Box::pin(token.clone().cancelled_owned());
            assert!(wait.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
            wait
        };
        let waits: Vec<_> = tokens.iter().enumerate().map(begin).collect();
        root.cancel();
        drop(waits);
    }

    #[test]
    fn a_waker_that_panics_keeps_no_other_task_waiting() {
        struct Panics;
        impl Wake for Panics {
            fn wake(self: Arc<Self>) {
                panic!("a waker panics");
            }
        }
        let root = CancellationToken::new();
        let child = root.child_token();
        let mut first = Box::pin(root.cancelled());
        assert!(first.as_mut().poll(&mut Context::from_waker(&Waker::from(Arc::new(Panics)))).is_pending());
        let mut second = spawn(child.cancelled());
        assert_pending!(second.poll());
        catch_unwind(AssertUnwindSafe(|| root.cancel())).expect_err("the waker's panic");
        assert!(second.is_woken());
        assert_ready!(second.poll());
    }

    #[test]
    fn a_cancelled_token_polls_nothing() {
        let token = CancellationToken::new();
        assert_ready_eq!(spawn(token.run_until_cancelled(async { 7 })).poll(), Some(7));
        let mut endless = spawn(token.run_until_cancelled(std::future::pending::<()>()));
        assert_pending!(endless.poll());
        token.cancel();
        assert!(endless.is_woken());
        assert_ready_eq!(endless.poll(), None);
        let refused = async { panic!("it is not polled") };
        assert_ready_eq!(spawn(token.clone().run_until_cancelled_owned(refused)).poll(), None::<()>);
    }

    #[test]
    fn guards_cancel_unless_they_are_disarmed() {
        let token = CancellationToken::new();
        let same = token.clone().drop_guard().disarm();
        assert!(!token.drop_guard_ref().disarm().is_cancelled());
        let child = same.child_token();
        drop(child.drop_guard_ref());
        assert!(child.is_cancelled() && !token.is_cancelled());
        drop(same.drop_guard());
        assert!(token.is_cancelled());
    }
}
