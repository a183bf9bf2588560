//! `Evented`: any source that mio can poll, registered with a netpoller. The generic half of every
//! socket.

use crate::budget;
use crate::context;
use crate::drop_in::LOOKS_COOPERATE;
use crate::handle::{Handle, Registration};
use crate::interest::Interest;
#[cfg(unix)]
use crate::readiness::Readiness;
use crate::readiness::SeenReadiness;
use crate::ready::Ready;
use crate::source::{Condition, SourceState};
use crate::waiters::WaiterKind;
use crate::walk::Label;
use std::fmt;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// A pollable source that is registered with a netpoller, so that tasks can wait for it.
///
/// Every socket type of this crate is built on an `Evented`. Use the type directly to make a socket
/// type from another source that mio can poll.
///
/// The source is polled edge-triggered in both directions: each operation is tried first, and a
/// task waits only after the operation has returned `WouldBlock`. The source counts as *ready* only
/// once the OS has reported it ready. Any number of tasks may wait for the same direction, and an
/// event wakes all of them.
///
/// The source must be in non-blocking mode. Dropping the `Evented` deregisters the source from the
/// netpoller.
///
/// # Examples
///
/// ```
/// use mio::net::UdpSocket;
/// # use wsrt_reactor::{Evented, Interest};
///
/// # wsrt_reactor_testing::run(async {
/// let socket = Evented::new(UdpSocket::bind("127.0.0.1:0".parse().unwrap())?)?;
/// let to_itself = socket.get_ref().local_addr()?;
/// socket.io(Interest::WRITABLE, |socket| socket.send_to(b"hello", to_itself)).await?;
///
/// let mut buf = [0; 16];
/// let (count, from) = socket.io(Interest::READABLE, |socket| socket.recv_from(&mut buf)).await?;
/// assert_eq!((&buf[..count], from), (&b"hello"[..], to_itself));
/// # std::io::Result::Ok(()) }).unwrap();
/// ```
pub struct Evented<S: mio::event::Source> {
    /// `None` only while `into_inner` and `drop` take it apart.
    source: Option<S>,
    registration: Registration,
}

impl<S: mio::event::Source> Evented<S> {
    /// Registers `source` with the current runtime's netpoller, for both reading and writing.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the source cannot be polled, is already registered, or resources are
    /// exhausted; or an error if the runtime has been shut down.
    #[track_caller]
    pub fn new(source: S) -> io::Result<Self> {
        Self::with_handle(source, context::required("Evented::new").handle())
    }

    /// Registers `source` with the netpoller that `handle` refers to. May be called inside or
    /// outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Evented::new`].
    pub fn with_handle(source: S, handle: &Handle) -> io::Result<Self> {
        Self::of_kind("source", source, handle)
    }

    /// Registers `source` with the netpoller that `handle` refers to. Task dumps show the source
    /// under the name `kind`.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Evented::new`].
    pub fn of_kind(kind: &'static str, source: S, handle: &Handle) -> io::Result<Self> {
        Self::fresh(source, handle, Interest::READABLE | Interest::WRITABLE, Label::of_kind(kind))
    }

    /// Registers `source` so that only the directions of `untried` are tried at once: the other
    /// ones have to be reported ready first.
    pub(crate) fn fresh(source: S, handle: &Handle, untried: Interest, label: Label) -> io::Result<Self> {
        let watched = Interest::READABLE | Interest::WRITABLE;
        Self::watching(source, handle, watched, untried, label).map_err(|(_, error)| error)
    }

    /// Registers `source` for events in the directions of `watched` only; otherwise like `fresh`.
    /// An error hands the source back.
    pub(crate) fn watching(
        mut source: S,
        handle: &Handle,
        watched: Interest,
        untried: Interest,
        label: Label,
    ) -> Result<Self, (S, io::Error)> {
        match handle.register(&mut source, watched, untried, label) {
            Ok(registration) => Ok(Self { source: Some(source), registration }),
            Err(error) => Err((source, error)),
        }
    }

    /// Registers a connection, which enters the poll late. It counts as `ready` in these directions
    /// before any event says so, until an operation would block.
    pub(crate) fn connected(
        mut source: S,
        handle: &Handle,
        untried: Interest,
        ready: Interest,
        label: Label,
    ) -> io::Result<Self> {
        let registration = handle.register_late(&mut source, untried, label)?;
        registration.source().readiness().assume(ready);
        Ok(Self { source: Some(source), registration })
    }

    /// Returns a reference to the source. Perform operations that may return `WouldBlock` inside
    /// [`try_io`](Evented::try_io) or a similar method, so that the readiness is updated.
    #[must_use]
    pub fn get_ref(&self) -> &S {
        self.source.as_ref().expect("the source is there until into_inner takes it")
    }

    #[cfg(unix)]
    pub(crate) fn get_mut(&mut self) -> &mut S {
        self.source.as_mut().expect("the source is there until into_inner takes it")
    }

    #[cfg(unix)]
    pub(crate) fn readiness(&self) -> &Readiness {
        self.registration.source().readiness()
    }

    /// Returns whether urgent data has ever been reported.
    pub(crate) fn has_seen_urgent(&self) -> bool {
        self.registration.source().readiness().read().has_urgent()
    }

    /// Returns a handle to the netpoller that the source is registered with.
    #[must_use]
    pub fn handle(&self) -> &Handle {
        self.registration.handle()
    }

    pub(crate) fn source_state(&self) -> &SourceState {
        self.registration.source()
    }

    /// Deregisters the source from the netpoller and returns the source, which remains in
    /// non-blocking mode.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the source cannot be deregistered. The source is then closed.
    pub fn into_inner(mut self) -> io::Result<S> {
        let mut source = self.source.take().expect("the source is there until into_inner takes it");
        self.registration.end(&mut source)?;
        Ok(source)
    }

    /// Takes the source out of the poll and returns it even if the OS fails to deregister it.
    #[cfg(unix)]
    pub(crate) fn release(mut self) -> S {
        let mut source = self.source.take().expect("the source is there until into_inner takes it");
        let _ = self.registration.end(&mut source);
        source
    }

    /// Polls like `poll_ready` and returns the word, for a caller that clears readiness itself.
    pub(crate) fn poll_seen(
        &self,
        sharing: Sharing,
        interest: Interest,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<SeenReadiness>> {
        budget::poll_spending(cx, |cx| {
            self.registration.poll_ready(Condition::Reported, interest, cx, sharing.waiter_kind())
        })
    }

    /// Waits like `ready` and returns the word, for a caller that clears readiness itself.
    pub(crate) fn seen(&self, interest: Interest) -> impl Future<Output = io::Result<SeenReadiness>> {
        // The future keeps the registration, not the source: it is `Send` whatever the source is.
        let wait = self.wait(Condition::Reported, interest);
        async move {
            let seen = wait.await;
            if LOOKS_COOPERATE {
                budget::spend();
            }
            seen
        }
    }

    /// Returns the word if a direction is reported ready, without waiting.
    #[cfg(unix)]
    pub(crate) fn try_seen(&self, interest: Interest) -> io::Result<SeenReadiness> {
        match self.registration.look(Condition::Reported, interest) {
            Poll::Ready(seen) => seen,
            Poll::Pending => Err(io::ErrorKind::WouldBlock.into()),
        }
    }

    /// Returns whether the OS has reported one of the directions in `interest` as ready, and no
    /// operation has returned `WouldBlock` in that direction since.
    ///
    /// # Examples
    ///
    /// ```
    /// use mio::net::UdpSocket;
    /// # use wsrt_reactor::{Evented, Interest};
    ///
    /// # wsrt_reactor_testing::run(async {
    /// let socket = Evented::new(UdpSocket::bind("127.0.0.1:0".parse().unwrap())?)?;
    /// socket.ready(Interest::WRITABLE).await?;
    /// assert!(socket.is_ready(Interest::WRITABLE));
    /// # std::io::Result::Ok(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn is_ready(&self, interest: Interest) -> bool {
        self.registration.source().readiness().read().is_ready(interest)
    }

    /// Returns `Poll::Ready` once the OS has reported that an operation in one of the directions in
    /// `interest` may succeed. Until then, registers the current task to be woken.
    ///
    /// Any number of tasks may poll concurrently. A task that polls again is registered only once.
    /// A task that loses interest stays registered until the next event, which wakes the task
    /// needlessly. If no event comes and 64 wakers have accumulated, all of them are woken, at most
    /// once a second, so that the wakers of finished tasks do not accumulate; tasks that still wait
    /// poll again. In contrast, the futures [`ready`](Evented::ready) and [`io`](Evented::io)
    /// remove their waker when they are dropped.
    ///
    /// # Errors
    ///
    /// Returns an error if the call would have to wait and the runtime has been shut down.
    pub fn poll_ready(&self, interest: Interest, cx: &mut Context<'_>) -> Poll<io::Result<Ready>> {
        self.poll_seen(Sharing::Shared, interest, cx).map_ok(|seen| seen.ready() & Ready::concerning(interest))
    }

    /// Waits until the OS has reported that an operation in one of the directions in `interest` may
    /// succeed. Another task may have used the readiness in the meantime, so the operation may
    /// still return `WouldBlock`.
    ///
    /// Another task may have used up the event by now: expect `WouldBlock`.
    ///
    /// # Errors
    ///
    /// Returns an error if the call would have to wait and the runtime has been shut down.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before completion, no readiness event is lost.
    pub async fn ready(&self, interest: Interest) -> io::Result<Ready> {
        self.seen(interest).await.map(|seen| seen.ready() & Ready::concerning(interest))
    }

    /// Runs `operation` once if it may succeed; on a newly registered source, it always may.
    /// Otherwise, returns `WouldBlock` without running `operation`.
    ///
    /// If `operation` returns `WouldBlock`, the directions in `interest` count as not ready until
    /// the next event. `operation` must therefore return `WouldBlock` only if a system call on the
    /// source did; otherwise a task may wait for an event that never comes.
    ///
    /// # Errors
    ///
    /// Returns the error of `operation`, `WouldBlock` if it was not run, or an error if the runtime
    /// has been shut down.
    pub fn try_io<R>(&self, interest: Interest, operation: impl FnOnce(&S) -> io::Result<R>) -> io::Result<R> {
        self.try_drain(interest, operation, |_| false)
    }

    /// Runs `operation` until it returns something other than `WouldBlock`, and returns that
    /// result. If the source is not ready, returns `Poll::Pending` and registers the current task
    /// to be woken.
    ///
    /// Any number of tasks may poll concurrently. As with [`try_io`](Evented::try_io), `operation`
    /// must return `WouldBlock` only if a system call on the source did.
    ///
    /// # Errors
    ///
    /// Returns the error of `operation`, or an error if the runtime has been shut down.
    pub fn poll_io<R>(
        &self,
        interest: Interest,
        cx: &mut Context<'_>,
        operation: impl FnMut(&S) -> io::Result<R>,
    ) -> Poll<io::Result<R>> {
        self.poll_drain(Sharing::Shared, interest, cx, operation, |_| false)
    }

    /// Runs `operation` whenever the source may be ready, until `operation` returns something other
    /// than `WouldBlock`, and returns that result.
    ///
    /// As with [`try_io`](Evented::try_io), `operation` must return `WouldBlock` only if a system
    /// call on the source did.
    ///
    /// # Errors
    ///
    /// Returns the error of `operation`, or an error if the runtime has been shut down.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before completion, `operation` has not succeeded, so no data is
    /// lost.
    pub async fn io<R>(&self, interest: Interest, operation: impl FnMut(&S) -> io::Result<R>) -> io::Result<R> {
        self.drain(interest, operation, |_| false).await
    }

    /// Does `try_io`; `is_drained` decides from a success whether it drained the direction.
    pub(crate) fn try_drain<R>(
        &self,
        interest: Interest,
        operation: impl FnOnce(&S) -> io::Result<R>,
        is_drained: impl Fn(&R) -> bool,
    ) -> io::Result<R> {
        let answer = match self.registration.look(Condition::WorthTrying, interest) {
            Poll::Ready(seen) => self.attempt(seen?, interest, operation, is_drained),
            Poll::Pending => None,
        };
        answer.unwrap_or_else(|| Err(io::ErrorKind::WouldBlock.into()))
    }

    /// Does `poll_io`; `is_drained` decides from a success whether it drained the direction.
    pub(crate) fn poll_drain<R>(
        &self,
        sharing: Sharing,
        interest: Interest,
        cx: &mut Context<'_>,
        mut operation: impl FnMut(&S) -> io::Result<R>,
        is_drained: impl Fn(&R) -> bool,
    ) -> Poll<io::Result<R>> {
        budget::poll_spending(cx, |cx| {
            loop {
                let seen =
                    ready!(self.registration.poll_ready(Condition::WorthTrying, interest, cx, sharing.waiter_kind()))?;
                if let Some(answer) = self.attempt(seen, interest, &mut operation, &is_drained) {
                    return Poll::Ready(answer);
                }
            }
        })
    }

    /// Does `io`; `is_drained` decides from a success whether it drained the direction.
    pub(crate) async fn drain<R>(
        &self,
        interest: Interest,
        mut operation: impl FnMut(&S) -> io::Result<R>,
        is_drained: impl Fn(&R) -> bool,
    ) -> io::Result<R> {
        loop {
            // An error spends budget too, so that a server that accepts again after each error
            // can be cancelled.
            let seen = self.wait(Condition::WorthTrying, interest).await.inspect_err(|_| budget::spend())?;
            if let Some(answer) = self.attempt(seen, interest, &mut operation, &is_drained) {
                budget::spend();
                return answer;
            }
        }
    }

    /// Runs `operation` once, ready or not: for an operation that may block for another reason than
    /// the last one did.
    #[cfg(unix)]
    pub(crate) fn try_anyway<R>(
        &self,
        interest: Interest,
        operation: impl FnOnce(&S) -> io::Result<R>,
    ) -> io::Result<R> {
        let seen = self.registration.source().readiness().read();
        let answer = self.attempt(seen, interest, operation, |_| false);
        answer.unwrap_or_else(|| Err(io::ErrorKind::WouldBlock.into()))
    }

    /// Returns `None` if the operation would block. Clears the readiness that it disproved.
    fn attempt<R>(
        &self,
        seen: SeenReadiness,
        interest: Interest,
        operation: impl FnOnce(&S) -> io::Result<R>,
        is_drained: impl Fn(&R) -> bool,
    ) -> Option<io::Result<R>> {
        let readiness = self.registration.source().readiness();
        let answer = operation(self.get_ref());
        match &answer {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                readiness.clear_would_block(seen, interest);
                return None;
            }
            Ok(success) if is_drained(success) => readiness.clear_drained(seen, interest),
            _ => {}
        }
        Some(answer)
    }

    fn wait(&self, condition: Condition, interest: Interest) -> ReadinessWait<'_> {
        ReadinessWait { registration: &self.registration, condition, interest, key: None }
    }
}

impl<S: mio::event::Source> Drop for Evented<S> {
    fn drop(&mut self) {
        if let Some(mut source) = self.source.take() {
            // An error means that the poll does not know the descriptor, which is the goal.
            let _ = self.registration.end(&mut source);
        }
    }
}

impl<S: mio::event::Source + fmt::Debug> fmt::Debug for Evented<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Evented").field("source", self.get_ref()).finish_non_exhaustive()
    }
}

/// Says whether a poll-style waiter shares its direction with others.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sharing {
    /// It polls through `&mut self`: the only waiter of its direction.
    Exclusive,
    /// It polls through `&self`: one of any number.
    Shared,
}

impl Sharing {
    fn waiter_kind(self) -> WaiterKind<'static> {
        match self {
            Sharing::Exclusive => WaiterKind::Sole,
            Sharing::Shared => WaiterKind::Shared,
        }
    }
}

/// A future-style waiter: takes its waker out again when it is dropped. It waits while the budget
/// is spent and leaves spending to its owner, because readiness alone has moved no byte yet.
struct ReadinessWait<'a> {
    registration: &'a Registration,
    condition: Condition,
    interest: Interest,
    key: Option<usize>,
}

impl Future for ReadinessWait<'_> {
    type Output = io::Result<SeenReadiness>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        if LOOKS_COOPERATE || this.condition != Condition::Reported {
            ready!(budget::poll_proceed(cx));
        }
        this.registration.poll_ready(this.condition, this.interest, cx, WaiterKind::Keyed(&mut this.key))
    }
}

impl Drop for ReadinessWait<'_> {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            self.registration.source().withdraw(key);
        }
    }
}
