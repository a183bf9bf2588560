//! The netpoller: the poll itself, and the rule that one thread at a time is in it.

mod events_per_turn;
mod gate;
#[cfg(all(test, loom))]
mod loom_models;
mod timer_fd;

use self::events_per_turn::EventBuffers;
pub use self::events_per_turn::EventsPerTurn;
use self::gate::{Stay, TurnGate, Turned};
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

/// Watches every registered socket and collects the wakers of those that became ready.
///
/// Any thread may ask for a [turn](Netpoller::turn); one at a time gets it. The netpoller calls no
/// waker itself: the thread that took the turn wakes the collected wakers, with no lock held.
///
/// Dropping it shuts it down and wakes all tasks that wait on one of its sockets.
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
/// // Would wait for ever, were it not interrupted.
/// let turn = netpoller.turn(None, &mut wakers)?;
/// assert_eq!(turn, Turn::Polled { events: 0, interrupted: true });
/// wakers.into_iter().for_each(Waker::wake);
/// # std::io::Result::Ok(())
/// ```
#[derive(Debug)]
pub struct Netpoller {
    gate: TurnGate,
    /// Locked by the holder of the gate's poll lock only, so never contended.
    state: Mutex<State>,
    interrupter: mio::Waker,
    handle: Handle,
}

#[derive(Debug)]
struct State {
    poll: mio::Poll,
    buffers: EventBuffers,
    timer_fd: TimerFd,
}

/// The time limit of a turn.
#[derive(Clone, Debug)]
enum Limit {
    Timeout(Option<Duration>),
    /// Any of these moments will do.
    Deadline(RangeInclusive<Instant>),
}

/// Reports the outcome of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// The turn took place.
    Polled {
        /// Events that reached a socket. Events for sockets that were dropped are not counted.
        events: usize,
        /// True if an interrupt ended it. Always false for a non-blocking turn, which leaves the
        /// interrupt to a blocking one.
        interrupted: bool,
    },
    /// Another thread is having a look without blocking, and will be done soon.
    Busy,
    /// Another thread is blocked in the netpoller.
    ///
    /// It may be on its way out already: a thread that relies on this answer relies on that thread
    /// to come back or to wake a successor.
    Kept,
}

impl Netpoller {
    /// Opens a poll with no sockets in it.
    ///
    /// # Errors
    ///
    /// Returns the OS error when the system is out of file descriptors (four are needed on Linux)
    /// or memory.
    pub fn new() -> io::Result<Netpoller> {
        Self::with_events_per_turn(EventsPerTurn::default())
    }

    /// Opens a poll with no sockets in it, whose turns take no more events than `most` says.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`new`](Self::new).
    pub fn with_events_per_turn(most: EventsPerTurn) -> io::Result<Netpoller> {
        let poll = mio::Poll::new()?;
        let interrupter = mio::Waker::new(poll.registry(), INTERRUPT)?;
        let handle = Handle::new(poll.registry().try_clone()?);
        let timer_fd = TimerFd::new(poll.registry())?;
        let state = Mutex::new(State { poll, buffers: EventBuffers::new(most), timer_fd });
        Ok(Netpoller { gate: TurnGate::new(), state, interrupter, handle })
    }

    /// Returns the registration side.
    #[must_use]
    pub fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Takes one turn: waits for events, marks their sockets ready, and adds the wakers of the
    /// waiting tasks to `wakers`.
    ///
    /// `timeout` bounds the wait: `None` waits for an event or an
    /// [interrupt](Netpoller::interrupt), `Some(Duration::ZERO)` does not wait, and anything else
    /// waits [until](Netpoller::turn_until) that time has passed. The wait can end early, with no
    /// events: at a signal, and at the deadline of an earlier turn.
    ///
    /// # Errors
    ///
    /// Returns the OS error when the system's poll fails, which means a defect (a closed
    /// descriptor): there is no use in trying again.
    pub fn turn(&self, timeout: Option<Duration>, wakers: &mut Vec<Waker>) -> io::Result<Turn> {
        match timeout {
            Some(Duration::ZERO) | None => self.take_turn(timeout, Limit::Timeout(timeout), wakers),
            Some(timeout) => match now().checked_add(timeout) {
                Some(deadline) => self.turn_until(deadline, wakers),
                // Longer than the clock can count.
                None => self.turn(None, wakers),
            },
        }
    }

    /// Takes one turn that waits no longer than until `deadline`.
    ///
    /// On Linux the wait ends as soon as the system has woken the thread, within some tens of
    /// microseconds, and a deadline equal to the previous turn's costs nothing. Elsewhere the
    /// wait is rounded up to a millisecond.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`turn`](Netpoller::turn).
    pub fn turn_until(&self, deadline: Instant, wakers: &mut Vec<Waker>) -> io::Result<Turn> {
        self.turn_until_one_of(deadline..=deadline, wakers)
    }

    /// Takes one turn that waits no longer than until one of `moments`, whichever costs least:
    /// where the deadline of the turn before was one of them it is that one, which costs nothing,
    /// otherwise the last.
    ///
    /// For a crowd of deadlines that may share a wake.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`turn`](Netpoller::turn).
    pub fn turn_until_one_of(&self, moments: RangeInclusive<Instant>, wakers: &mut Vec<Waker>) -> io::Result<Turn> {
        self.take_turn(None, Limit::Deadline(moments), wakers)
    }

    fn take_turn(&self, stay: Option<Duration>, limit: Limit, wakers: &mut Vec<Waker>) -> io::Result<Turn> {
        let poll = |allowed| match allowed {
            // An interrupt is pending: it must not wait, whatever its limit.
            Some(Duration::ZERO) => self.poll(Limit::Timeout(allowed), wakers),
            _ => self.poll(limit.clone(), wakers),
        };
        match self.gate.turn(stay, poll) {
            Ok(Turned { outcome, interrupted }) => Ok(Turn::Polled { events: outcome?, interrupted }),
            Err(Stay::Look) => Ok(Turn::Busy),
            Err(Stay::Block) => Ok(Turn::Kept),
        }
    }

    fn poll(&self, limit: Limit, wakers: &mut Vec<Waker>) -> io::Result<usize> {
        if let Some(events) = self.handle.lender().take_events() {
            return Ok(self.handle.registry().dispatch(events, wakers));
        }
        let mut state = self.state.lock();
        let State { poll, buffers, timer_fd } = &mut *state;
        let timeout = match limit {
            Limit::Timeout(timeout) => timeout,
            Limit::Deadline(moments) => timer_fd.set(&moments),
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

    /// Ends the blocking turn under way, or the next one at once when there is none.
    ///
    /// Any number of calls before that turn ends cost one system call together. The thread whose
    /// turn it ends sees all writes that the caller made before.
    ///
    /// # Panics
    ///
    /// Panics if the wake-up descriptor cannot be written, which no state of the program leads to.
    pub fn interrupt(&self) {
        self.gate.interrupt(|| {
            if let Err(error) = self.interrupter.wake() {
                panic!("wsrt: the netpoller's wake-up descriptor cannot be written: {error}");
            }
            tell_poll();
        });
    }

    /// Returns whether no socket is registered, so that a non-blocking turn can be skipped.
    ///
    /// A hint: a socket that another thread registers at this moment may be missed.
    #[must_use]
    pub fn is_unused(&self) -> bool {
        self.handle.registry().is_empty()
    }

    /// Makes `network` lend the sockets from now on, and no events of the system come.
    /// Registrations of other sources fail with the error that `why` makes from their kind; after
    /// [`shut_down`](Self::shut_down) with that one's.
    #[doc(hidden)]
    pub fn lend(&self, network: std::sync::Arc<dyn crate::lent::Network>, why: fn(&str) -> io::Error) {
        self.handle.lender().begin(network);
        self.handle.registry().refuse(why);
    }

    /// Shows `f` the waker of each task that waits for a source of events, and that source.
    ///
    /// The waker may be compared, and its data looked at: it is not to be cloned, woken or dropped
    /// in `f`, which is called with locks held that sockets and the netpoller need, nor is a socket
    /// to be used there. They are held for some tens of microseconds at a time. A waiter that comes
    /// or goes during the walk may be shown or not. A waker that waits for both directions may be
    /// shown for each.
    pub fn for_each_waiter(&self, f: impl FnMut(&Waker, &WatchedSource<'_>)) {
        self.handle.registry().for_each_waiter(f);
    }

    /// Ends all waiting: collects every waiter in `wakers` and makes later operations that would
    /// wait, and later registrations, fail with an error that says the runtime was shut down.
    ///
    /// Operations that need not wait still work on sockets that exist. Calling it again does
    /// nothing more.
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
