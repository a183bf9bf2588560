//! Anything mio can poll, registered: the generic half of every socket.

use crate::budget;
use crate::context;
use crate::handle::{Handle, Registration};
use crate::interest::Interest;
#[cfg(unix)]
use crate::readiness::Readiness;
use crate::readiness::Seen;
use crate::ready::Ready;
use crate::sight::Label;
use crate::source::{Aim, Source};
use crate::waiters::Place;
use std::fmt;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// Registers a pollable source and waits for it.
///
/// The source is polled edge-triggered in both directions: operations are tried first, and waited
/// for only after they answered `WouldBlock`. That it is *ready* is only said when the system has
/// reported it. Any number of tasks may wait for the same direction; an event wakes them all.
///
/// The source must be non-blocking. Dropping the `Evented` takes it out of the poll.
///
/// # Examples
///
/// ```
/// use mio::net::UdpSocket;
/// use wsrt_reactor::{Evented, Interest};
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
    /// None only while `into_inner` and `drop` take it apart.
    source: Option<S>,
    registration: Registration,
}

impl<S: mio::event::Source> Evented<S> {
    /// Registers `source` with the current runtime's netpoller.
    ///
    /// # Panics
    ///
    /// Outside a runtime.
    ///
    /// # Errors
    ///
    /// When the system does not take it (it cannot be polled, is registered already, or resources
    /// are short), or the runtime was shut down.
    #[track_caller]
    pub fn new(source: S) -> io::Result<Self> {
        Self::with_handle(source, context::required("Evented::new").handle())
    }

    /// Registers `source` with a given netpoller, inside a runtime or not.
    ///
    /// # Errors
    ///
    /// As [`Evented::new`].
    pub fn with_handle(source: S, handle: &Handle) -> io::Result<Self> {
        Self::of_kind("source", source, handle)
    }

    /// As [`with_handle`](Evented::with_handle), for a source that dumps call a `kind`.
    ///
    /// # Errors
    ///
    /// As [`Evented::new`].
    pub fn of_kind(kind: &'static str, source: S, handle: &Handle) -> io::Result<Self> {
        Self::fresh(source, handle, Interest::READABLE | Interest::WRITABLE, Label::of_kind(kind))
    }

    /// As `with_handle`, tried at once for `untried` only: what that leaves out has to be reported
    /// before it is tried.
    pub(crate) fn fresh(source: S, handle: &Handle, untried: Interest, label: Label) -> io::Result<Self> {
        let watched = Interest::READABLE | Interest::WRITABLE;
        Self::watching(source, handle, watched, untried, label).map_err(|(_, error)| error)
    }

    /// As `fresh`, told of the directions in `watched` only. On an error the source comes back.
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

    /// Returns the source. Operations on it that answer `WouldBlock` belong inside
    /// [`try_io`](Evented::try_io) and its like.
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

    /// Whether urgent data has ever been reported.
    pub(crate) fn has_seen_urgent(&self) -> bool {
        self.registration.source().readiness().read().has_urgent()
    }

    pub(crate) fn handle(&self) -> &Handle {
        self.registration.handle()
    }

    /// Takes the source out of the poll and returns it, still non-blocking.
    ///
    /// # Errors
    ///
    /// When the system refuses to deregister it; the source is closed then.
    pub fn into_inner(mut self) -> io::Result<S> {
        let mut source = self.source.take().expect("the source is there until into_inner takes it");
        self.registration.end(&mut source)?;
        Ok(source)
    }

    /// As `into_inner`, whatever the system says: the source is wanted back, in the poll or not.
    #[cfg(unix)]
    pub(crate) fn release(mut self) -> S {
        let mut source = self.source.take().expect("the source is there until into_inner takes it");
        let _ = self.registration.end(&mut source);
        source
    }

    /// As `poll_ready`, for who wants to clear what was seen.
    pub(crate) fn poll_seen(&self, interest: Interest, cx: &mut Context<'_>) -> Poll<io::Result<Seen>> {
        let source = self.registration.source();
        budget::poll_spending(cx, |cx| source.poll_ready(Aim::Know, interest, cx, Place::Shared))
    }

    /// As `ready`, for who wants to clear what was seen.
    pub(crate) async fn seen(&self, interest: Interest) -> io::Result<Seen> {
        let seen = self.wait(Aim::Know, interest).await;
        budget::spend();
        seen
    }

    /// As `seen`, without waiting.
    #[cfg(unix)]
    pub(crate) fn try_seen(&self, interest: Interest) -> io::Result<Seen> {
        match self.registration.source().look(Aim::Know, interest) {
            Poll::Ready(seen) => seen,
            Poll::Pending => Err(io::ErrorKind::WouldBlock.into()),
        }
    }

    /// Returns ready when the system has reported that an operation in one of the directions is
    /// worth trying; until then wakes `cx`'s task when it is.
    ///
    /// Any number of tasks may poll. The same task polling again does not add to their number; one
    /// that loses interest stays in it until the next event, which wakes it for nothing. If none
    /// comes and 64 have gathered, all are woken, at most once a second: those that are still there
    /// poll again, and those that are gone do not pile up. Futures ([`ready`](Evented::ready),
    /// [`io`](Evented::io)) leave when they are dropped.
    ///
    /// # Errors
    ///
    /// When it would have to wait and the runtime was shut down.
    pub fn poll_ready(&self, interest: Interest, cx: &mut Context<'_>) -> Poll<io::Result<Ready>> {
        self.poll_seen(interest, cx).map_ok(Seen::ready)
    }

    /// Waits until the system has reported that an operation in one of the directions is worth
    /// trying.
    ///
    /// It may be answered by an event that another task has used up by now: be ready for
    /// `WouldBlock`.
    ///
    /// # Errors
    ///
    /// When it would have to wait and the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// Dropped before it is ready, nothing is lost.
    pub async fn ready(&self, interest: Interest) -> io::Result<Ready> {
        self.seen(interest).await.map(Seen::ready)
    }

    /// Runs `operation` once if it is worth trying, as on a fresh source it is; `WouldBlock`
    /// otherwise, without running it.
    ///
    /// When `operation` answers `WouldBlock`, the directions in `interest` count as drained until
    /// the next event. So it must answer that only if the system did.
    ///
    /// # Errors
    ///
    /// What `operation` answers; `WouldBlock`; or that the runtime was shut down.
    pub fn try_io<R>(&self, interest: Interest, operation: impl FnOnce(&S) -> io::Result<R>) -> io::Result<R> {
        self.try_drain(interest, operation, |_| false)
    }

    /// Runs `operation` until it answers anything but `WouldBlock`, waiting in between; wakes
    /// `cx`'s task when it is worth polling again.
    ///
    /// Any number of tasks may poll. [`try_io`](Evented::try_io) says what `operation` must keep
    /// to.
    ///
    /// # Errors
    ///
    /// What `operation` answers, or that the runtime was shut down.
    pub fn poll_io<R>(
        &self,
        interest: Interest,
        cx: &mut Context<'_>,
        operation: impl FnMut(&S) -> io::Result<R>,
    ) -> Poll<io::Result<R>> {
        self.poll_drain(Claim::Shared, interest, cx, operation, |_| false)
    }

    /// Runs `operation` until it answers anything but `WouldBlock`, waiting in between.
    ///
    /// [`try_io`](Evented::try_io) says what `operation` must keep to.
    ///
    /// # Errors
    ///
    /// What `operation` answers, or that the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// Dropped before it is ready, `operation` has not succeeded: nothing is lost.
    pub async fn io<R>(&self, interest: Interest, operation: impl FnMut(&S) -> io::Result<R>) -> io::Result<R> {
        self.drain(interest, operation, |_| false).await
    }

    /// As `try_io`; `is_drained` tells from a success whether it took the last there was.
    pub(crate) fn try_drain<R>(
        &self,
        interest: Interest,
        operation: impl FnOnce(&S) -> io::Result<R>,
        is_drained: impl Fn(&R) -> bool,
    ) -> io::Result<R> {
        let answer = match self.registration.source().look(Aim::Try, interest) {
            Poll::Ready(seen) => self.attempt(seen?, interest, operation, is_drained),
            Poll::Pending => None,
        };
        answer.unwrap_or_else(|| Err(io::ErrorKind::WouldBlock.into()))
    }

    /// As `poll_io`; `is_drained` tells from a success whether it took the last there was.
    pub(crate) fn poll_drain<R>(
        &self,
        claim: Claim,
        interest: Interest,
        cx: &mut Context<'_>,
        mut operation: impl FnMut(&S) -> io::Result<R>,
        is_drained: impl Fn(&R) -> bool,
    ) -> Poll<io::Result<R>> {
        budget::poll_spending(cx, |cx| {
            loop {
                let seen = ready!(self.registration.source().poll_ready(Aim::Try, interest, cx, claim.place()))?;
                if let Some(answer) = self.attempt(seen, interest, &mut operation, &is_drained) {
                    return Poll::Ready(answer);
                }
            }
        })
    }

    /// As `io`; `is_drained` tells from a success whether it took the last there was.
    pub(crate) async fn drain<R>(
        &self,
        interest: Interest,
        mut operation: impl FnMut(&S) -> io::Result<R>,
        is_drained: impl Fn(&R) -> bool,
    ) -> io::Result<R> {
        loop {
            // An error spends too: a server that accepts again, whatever comes, gets a turn to be
            // cancelled in.
            let seen = self.wait(Aim::Try, interest).await.inspect_err(|_| budget::spend())?;
            if let Some(answer) = self.attempt(seen, interest, &mut operation, &is_drained) {
                budget::spend();
                return answer;
            }
        }
    }

    /// As `try_io`, ready or not: for an operation that may block for another reason than the last
    /// one did.
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

    /// None when the operation would block. What it proved is noted in the readiness word.
    fn attempt<R>(
        &self,
        seen: Seen,
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

    fn wait(&self, aim: Aim, interest: Interest) -> Wait<'_> {
        Wait { source: self.registration.source(), aim, interest, key: None }
    }
}

impl<S: mio::event::Source> Drop for Evented<S> {
    fn drop(&mut self) {
        if let Some(mut source) = self.source.take() {
            // A descriptor that the poll does not know any more is what we want anyway.
            let _ = self.registration.end(&mut source);
        }
    }
}

impl<S: mio::event::Source + fmt::Debug> fmt::Debug for Evented<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Evented").field("source", self.get_ref()).finish_non_exhaustive()
    }
}

/// How a poll-style waiter waits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Claim {
    /// Through `&mut self`: the only one of its direction.
    Sole,
    /// Through `&self`: one of any number.
    Shared,
}

impl Claim {
    fn place(self) -> Place<'static> {
        match self {
            Claim::Sole => Place::Sole,
            Claim::Shared => Place::Shared,
        }
    }
}

/// A future-style waiter: takes its waker out again when it is dropped. It minds the budget, and
/// leaves it to its owner to spend: being ready is worth nothing yet.
struct Wait<'a> {
    source: &'a Source,
    aim: Aim,
    interest: Interest,
    key: Option<usize>,
}

impl Future for Wait<'_> {
    type Output = io::Result<Seen>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        ready!(budget::poll_proceed(cx));
        this.source.poll_ready(this.aim, this.interest, cx, Place::Keyed(&mut this.key))
    }
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            self.source.withdraw(key);
        }
    }
}
