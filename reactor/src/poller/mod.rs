//! The netpoller: the OS's poll, and the rule that only one thread at a time is in it.

mod events_per_turn;
mod gate;
#[cfg(all(test, wsrt_loom))]
mod loom_models;
mod timer_fd;

use self::events_per_turn::EventBuffers;
pub use self::events_per_turn::EventsPerTurn;
use self::gate::{Stay, TurnGate, Turned};
#[cfg(all(target_os = "linux", not(wsrt_loom), not(wsrt_schedule)))]
pub(crate) use self::timer_fd::KernelTimer;
use self::timer_fd::TimerFd;
use crate::handle::Handle;
use crate::readiness::EventBits;
use crate::registry::{ALARM, INTERRUPT};
use crate::sync::{Mutex, now, tell_poll, wait_in};
use crate::waiters::wake_all;
use crate::walk::WatchedSource;
use std::io;
use std::ops::RangeInclusive;
use std::task::Waker;
use std::time::{Duration, Instant};

/// The netpoller: watches all registered sockets, and collects the wakers of the tasks whose
/// sockets have become ready.
///
/// Any thread may take a [turn](Netpoller::turn), but only one thread at a time gets one. The
/// netpoller does not call wakers itself: the thread that took the turn wakes the collected wakers,
/// without holding a lock.
///
/// Dropping the netpoller shuts it down and wakes all tasks that wait on one of its sockets.
///
/// # Examples
///
/// ```
/// use std::task::Waker;
/// # use wsrt_reactor::{Netpoller, Turn};
///
/// let netpoller = Netpoller::new()?;
/// netpoller.interrupt();
/// let mut wakers = Vec::new();
/// // Would wait forever, were it not interrupted.
/// let turn = netpoller.turn(None, &mut wakers)?;
/// assert_eq!(turn, Turn::Polled { events: 0, interrupted: true });
/// wakers.into_iter().for_each(Waker::wake);
/// # std::io::Result::Ok(())
/// ```
#[derive(Debug)]
pub struct Netpoller {
    gate: TurnGate,
    /// Locked by the holder of the gate's poll lock only, so never contended.
    state: Mutex<PollerState>,
    interrupter: mio::Waker,
    handle: Handle,
}

#[derive(Debug)]
struct PollerState {
    poll: mio::Poll,
    buffers: EventBuffers,
    timer_fd: TimerFd,
}

/// The time limit of a turn.
#[derive(Clone, Debug)]
enum TurnLimit {
    Timeout(Option<Duration>),
    /// Any of these moments will do.
    Deadline(RangeInclusive<Instant>),
}

/// The outcome of a [turn](Netpoller::turn).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// The thread got the turn and has polled.
    Polled {
        /// The number of events that were delivered to sockets. Events for sockets that have been
        /// dropped are not counted.
        events: usize,
        /// Set to `true` if an interrupt ended the turn. Always `false` for a non-blocking turn,
        /// which leaves the interrupt pending for a blocking turn.
        interrupted: bool,
    },
    /// Another thread is polling without blocking, and will finish soon.
    Busy,
    /// Another thread is blocked in the netpoller.
    ///
    /// The other thread may already be about to return. A thread that relies on this answer relies
    /// on the other thread to come back, or to wake a successor.
    Kept,
}

impl Netpoller {
    /// Creates a netpoller with no registered sockets.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the process has run out of file descriptors (Linux requires four) or
    /// memory.
    pub fn new() -> io::Result<Netpoller> {
        Self::with_events_per_turn(EventsPerTurn::default())
    }

    /// Creates a netpoller with no registered sockets, each of whose turns takes at most `most`
    /// events.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`new`](Self::new).
    pub fn with_events_per_turn(most: EventsPerTurn) -> io::Result<Netpoller> {
        let poll = mio::Poll::new()?;
        let interrupter = mio::Waker::new(poll.registry(), INTERRUPT)?;
        let handle = Handle::new(poll.registry().try_clone()?);
        let timer_fd = TimerFd::new(poll.registry())?;
        let state = Mutex::new(PollerState { poll, buffers: EventBuffers::new(most), timer_fd });
        Ok(Netpoller { gate: TurnGate::new(), state, interrupter, handle })
    }

    /// Returns the handle with which sockets are registered.
    #[must_use]
    pub fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Takes one turn: waits for events, marks the corresponding sockets as ready, and appends the
    /// wakers of the waiting tasks to `wakers`.
    ///
    /// `timeout` limits the wait. With `None`, the turn waits for an event or an
    /// [interrupt](Netpoller::interrupt). With `Some(Duration::ZERO)`, the turn does not wait. Any
    /// other value makes the turn wait as [`turn_until`](Netpoller::turn_until) does, until the
    /// duration has passed. The wait may end early without events: on a signal, or at the deadline
    /// of an earlier turn.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the OS's poll fails. A failure indicates a bug, such as a descriptor
    /// that was closed by mistake, so there is no point in retrying.
    pub fn turn(&self, timeout: Option<Duration>, wakers: &mut Vec<Waker>) -> io::Result<Turn> {
        match timeout {
            Some(Duration::ZERO) | None => self.take_turn(timeout, TurnLimit::Timeout(timeout), wakers),
            Some(timeout) => match now().checked_add(timeout) {
                Some(deadline) => self.turn_until(deadline, wakers),
                // Longer than the clock can count.
                None => self.turn(None, wakers),
            },
        }
    }

    /// Runs one turn that blocks until `deadline` at the latest.
    ///
    /// On Linux, the wait ends as soon as the OS has woken the thread, within some tens of
    /// microseconds, and a deadline equal to the previous turn's costs nothing extra. On other
    /// systems, the wait is rounded up to a millisecond.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`turn`](Netpoller::turn).
    pub fn turn_until(&self, deadline: Instant, wakers: &mut Vec<Waker>) -> io::Result<Turn> {
        self.turn_until_one_of(deadline..=deadline, wakers)
    }

    /// Runs one turn that blocks no later than a deadline within `moments`. If the previous turn's
    /// deadline is within that range, the turn keeps it, which costs nothing extra; otherwise the
    /// deadline is the end of the range.
    ///
    /// Use this method for many nearby deadlines that may share one wake-up.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`turn`](Netpoller::turn).
    pub fn turn_until_one_of(&self, moments: RangeInclusive<Instant>, wakers: &mut Vec<Waker>) -> io::Result<Turn> {
        self.take_turn(None, TurnLimit::Deadline(moments), wakers)
    }

    fn take_turn(&self, stay: Option<Duration>, limit: TurnLimit, wakers: &mut Vec<Waker>) -> io::Result<Turn> {
        let poll = |allowed| match allowed {
            // An interrupt is pending: it must not wait, whatever its limit.
            Some(Duration::ZERO) => self.poll(TurnLimit::Timeout(allowed), wakers),
            _ => self.poll(limit.clone(), wakers),
        };
        match self.gate.turn(stay, poll) {
            Ok(Turned { outcome, interrupted }) => Ok(Turn::Polled { events: outcome?, interrupted }),
            Err(Stay::Look) => Ok(Turn::Busy),
            Err(Stay::Block) => Ok(Turn::Kept),
        }
    }

    fn poll(&self, limit: TurnLimit, wakers: &mut Vec<Waker>) -> io::Result<usize> {
        if let Some(events) = self.handle.network().take_events() {
            return Ok(self.handle.registry().dispatch(events, wakers));
        }
        let mut state = self.state.lock();
        let PollerState { poll, buffers, timer_fd } = &mut *state;
        let timeout = match limit {
            TurnLimit::Timeout(timeout) => timeout,
            TurnLimit::Deadline(moments) => timer_fd.set(&moments),
        };
        let events = buffers.of_turn(timeout);
        match wait_in(poll, events, timeout) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(0),
            Err(error) => return Err(error),
        }
        if events.iter().any(|event| event.token() == ALARM) {
            timer_fd.note_rung();
        }
        // The interrupt's own event carries no information: the gate's flag has it.
        let of_sources = events.iter().filter(|event| event.token() != INTERRUPT && event.token() != ALARM);
        let marked = of_sources.map(|event| (event.token().into(), EventBits::of(event)));
        Ok(self.handle.registry().dispatch(marked, wakers))
    }

    /// Ends the blocking turn that is in progress. If there is none, the next blocking turn returns
    /// at once.
    ///
    /// All calls made before that turn ends cost a single system call together. The thread whose
    /// turn is ended observes all writes that the caller made before the call.
    ///
    /// # Panics
    ///
    /// Panics if the wake-up descriptor cannot be written to, which no state of the program leads
    /// to.
    pub fn interrupt(&self) {
        self.gate.interrupt(|| {
            if let Err(error) = self.interrupter.wake() {
                panic!("wsrt: the netpoller's wake-up descriptor cannot be written: {error}");
            }
            tell_poll();
        });
    }

    /// Returns whether no socket is registered, in which case a non-blocking turn can be skipped.
    ///
    /// The result is a hint: a socket that another thread is registering at the same time may be
    /// missed.
    #[must_use]
    pub fn is_unused(&self) -> bool {
        self.handle.registry().is_empty()
    }

    /// Returns how many sockets have been registered, and how many of them were removed again.
    #[doc(hidden)]
    #[must_use]
    pub fn registrations(&self) -> (usize, usize) {
        self.handle.registry().registrations()
    }

    /// Makes `network` provide the sockets from now on. The OS reports no events any more.
    ///
    /// Any other registration fails with the error that `why` creates from the kind of the source;
    /// after [`shut_down`](Self::shut_down), with the error of a netpoller that has been shut down.
    #[doc(hidden)]
    pub fn lend(
        &self,
        network: std::sync::Arc<dyn crate::simulated_net::SimulatedNetwork>,
        why: fn(&str) -> io::Error,
    ) {
        self.handle.network().begin(network);
        self.handle.registry().refuse(why);
    }

    /// Calls `f` with the waker of each task that waits for a source of events, and with the
    /// source.
    ///
    /// `f` is called while locks are held that sockets and the netpoller need, for some tens of
    /// microseconds at a time. `f` may compare the waker and inspect its data, but must not clone,
    /// wake or drop it, and must not use a socket. A waiter that comes or goes during the walk may
    /// or may not be included. A waker that waits for both directions may be passed once for each
    /// direction.
    pub fn for_each_waiter(&self, f: impl FnMut(&Waker, &WatchedSource<'_>)) {
        self.handle.registry().for_each_waiter(f);
    }

    /// Shuts the netpoller down: appends the wakers of all waiting tasks to `wakers`, and makes
    /// later registrations and later operations that would have to wait fail with an error that
    /// reports the shutdown.
    ///
    /// Operations that need not wait still work on existing sockets. Calling this method again has
    /// no further effect.
    pub fn shut_down(&self, wakers: &mut Vec<Waker>) {
        self.handle.registry().shut_down(wakers);
    }
}

impl Drop for Netpoller {
    fn drop(&mut self) {
        let mut wakers = Vec::new();
        self.shut_down(&mut wakers);
        wake_all(wakers);
    }
}
