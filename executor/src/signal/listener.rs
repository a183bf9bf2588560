//! `SignalListener`: waits for one signal, from the listener's creation on.
//!
//! `Bell` counts a signal, and knows the runtimes in which tasks wait for it. Each signal that was
//! ever listened for has one bell, until the process ends.
//!
//! The handler increments the count, and then writes a byte to a socket of each listening runtime,
//! its `Ear`. The count is the only record of a signal; the byte merely makes the tasks look at the
//! count. A listener is therefore just a number, the count at its creation. A byte for which there
//! is no room is no loss, and an extra byte, such as one from a forked process that still has the
//! sockets, only causes a look that finds nothing.

use std::collections::BTreeMap;
use std::ffi::c_int;
use std::io::{self, Read};
use std::panic::RefUnwindSafe;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::{Arc, Weak};
use std::task::{Context as TaskContext, Poll};

use mio::net::UnixStream;
use parking_lot::Mutex;
use wsrt_reactor::{Evented, Handle, Interest, WaiterKey, budget};
use wsrt_sync::drop_in::OUTSIDE;

use crate::scheduler::Context;
use crate::scheduler::drop_in::HEARS_WHAT_NO_TURN_HAS_SEEN;
use crate::signal::action::Action;
use crate::signal::unix::SignalKind;

/// A listener that receives each signal that arrives after its creation; signals between two polls
/// count as one. A task can wait for the listener once it is attached to a runtime.
#[derive(Debug)]
pub(crate) struct SignalListener {
    bell: Arc<Bell>,
    /// The count of signals that came before the listener's creation, or were received.
    seen: usize,
    attached: Option<Attached>,
}

/// An entry among the waiters of a runtime.
#[derive(Debug)]
struct Attached {
    ear: Arc<Ear>,
    key: WaiterKey,
}

impl SignalListener {
    pub(crate) fn new(kind: SignalKind) -> io::Result<Self> {
        // A handler stays for as long as the process.
        if let Some(scheduler) = Context::current_scheduler() {
            scheduler.netpoller.handle().check_accepts("signal")?;
        }
        let bell = Bell::of(kind)?;
        let seen = bell.arrivals();
        Ok(Self { bell, seen, attached: None })
    }

    /// Attaches the listener to the current runtime, unless it is already attached. Returns `false`
    /// if there is no current runtime.
    pub(super) fn attach(&mut self) -> io::Result<bool> {
        if self.attached.is_some() {
            return Ok(true);
        }
        let Some(scheduler) = Context::current_scheduler() else { return Ok(false) };
        // The runtime keeps the ear, since programs make a listener anew each time that they wait.
        let keep = |ear: &Arc<Ear>| scheduler.kept.keep(ear);
        let ear = self.bell.ear_in(scheduler.netpoller.handle(), keep)?;
        if HEARS_WHAT_NO_TURN_HAS_SEEN {
            self.seen = ear.old_at(self.seen);
        }
        self.attached = Some(Attached::to(ear));
        Ok(true)
    }

    /// Attaches the listener to the runtime of `netpoller`, unless it is already attached.
    #[cfg(feature = "process")]
    pub(crate) fn attach_to(&mut self, netpoller: &Handle) -> io::Result<()> {
        if self.attached.is_none() {
            self.attached = Some(Attached::to(self.bell.ear_in(netpoller, |_| {})?));
        }
        Ok(())
    }

    /// Returns ready if a signal has arrived since it last did. The listener must be attached.
    pub(crate) fn poll_recv(&mut self, cx: &mut TaskContext<'_>) -> Poll<io::Result<()>> {
        let Self { bell, seen, attached } = self;
        let Attached { ear, key } = attached.as_mut().expect("a listener is attached before it is waited for");
        budget::poll_spending(cx, |cx| {
            ear.stream().poll_announced(
                key,
                cx,
                |stream| drain(stream),
                || {
                    let arrivals = bell.arrivals();
                    ear.note_heard(arrivals);
                    (arrivals != *seen).then(|| *seen = arrivals)
                },
            )
        })
    }
}

impl Attached {
    fn to(ear: Arc<Ear>) -> Self {
        Self { ear, key: WaiterKey::default() }
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        self.ear.stream().withdraw(std::mem::take(&mut self.key));
    }
}

/// Panics with a message that says that `what` must happen inside a runtime.
#[track_caller]
pub(super) fn needs_runtime(what: &str) -> ! {
    panic!(
        "wsrt: {OUTSIDE}{what} outside a wsrt runtime: do it inside `#[wsrt::main]`, a spawned task or `Runtime::block_on`"
    )
}

/// All bells, by signal number.
static BELLS: Mutex<BTreeMap<c_int, Arc<Bell>>> = Mutex::new(BTreeMap::new());

#[derive(Debug)]
pub(super) struct Bell {
    kind: SignalKind,
    arrivals: Arc<SignalCount>,
    /// The counting action, never removed, so that the count continues. It is registered first for
    /// its signal, so that an ear's byte is written after the signal was counted.
    _count: Action,
    /// The ears: at most one for each runtime with listening tasks, and some that are gone.
    ears: Mutex<Vec<Weak<Ear>>>,
}

// No foreign code runs while the lock is held.
impl RefUnwindSafe for Bell {}

impl Bell {
    /// Returns the signal's bell. The signal is counted from now on.
    pub(super) fn of(kind: SignalKind) -> io::Result<Arc<Self>> {
        let mut bells = BELLS.lock();
        if let Some(bell) = bells.get(&kind.as_raw_value()) {
            return Ok(Arc::clone(bell));
        }
        let bell = Arc::new(Self::cast(kind)?);
        bells.insert(kind.as_raw_value(), Arc::clone(&bell));
        Ok(bell)
    }

    fn cast(kind: SignalKind) -> io::Result<Self> {
        let arrivals = Arc::new(SignalCount::default());
        let counter = Arc::clone(&arrivals);
        // SAFETY: `announce` is one operation on an atomic, which a signal handler may make.
        let count = unsafe { Action::register(kind, move || counter.announce()) }?;
        Ok(Self { kind, arrivals, _count: count, ears: Mutex::new(Vec::new()) })
    }

    /// Returns how often the signal has arrived. The count wraps.
    pub(super) fn arrivals(&self) -> usize {
        self.arrivals.count()
    }

    /// Returns the ear in the runtime of `netpoller`. A new ear is passed to `keep`, and lives as
    /// long as any reference to it.
    fn ear_in(&self, netpoller: &Handle, keep: impl FnOnce(&Arc<Ear>)) -> io::Result<Arc<Ear>> {
        let mut ears = self.ears.lock();
        let known = ears.iter().filter_map(Weak::upgrade).find(|ear| ear.stream.handle() == netpoller);
        if let Some(ear) = known {
            return Ok(ear);
        }
        let ear = Arc::new(Ear::open(self.kind, netpoller, self.arrivals())?);
        ears.retain(|ear| ear.strong_count() > 0);
        ears.push(Arc::downgrade(&ear));
        keep(&ear);
        Ok(ear)
    }
}

/// The count of a signal's arrivals, which the handler writes and the listeners read.
#[derive(Debug, Default)]
struct SignalCount(AtomicUsize);

impl SignalCount {
    /// Counts an arrival of the signal. Called in the signal handler.
    fn announce(&self) {
        // Pairs with the Acquire of `count`: the handler's thread came here before the listener.
        self.0.fetch_add(1, Release);
    }

    #[must_use]
    fn count(&self) -> usize {
        // Pairs with the Release of `announce`.
        self.0.load(Acquire)
    }
}

/// The pair of sockets through which a signal's handler wakes the tasks of one runtime.
#[derive(Debug)]
pub(super) struct Ear {
    // The first field, so that the handler's end of the pair is closed before ours: the handler
    // must not write to a closed socket.
    _action: Action,
    stream: Evented<UnixStream>,
    heard: Heard,
}

/// The arrivals that the listeners of one runtime know of, as a value of the bell's count: from
/// when the ear was opened, or when a listener last looked.
///
/// Relaxed: the number is only compared with the bell's count, and publishes nothing.
#[derive(Debug)]
struct Heard(AtomicUsize);

impl Heard {
    fn note(&self, arrivals: usize) {
        self.0.store(arrivals, Relaxed);
    }

    fn count(&self) -> usize {
        self.0.load(Relaxed)
    }
}

impl Ear {
    fn open(kind: SignalKind, netpoller: &Handle, arrivals: usize) -> io::Result<Self> {
        let (action, reader) = Action::open_pair(kind)?;
        reader.set_nonblocking(true)?;
        let stream = Evented::of_kind("signal", UnixStream::from_std(reader), netpoller)?;
        Ok(Self { _action: action, stream, heard: Heard(AtomicUsize::new(arrivals)) })
    }

    /// Records that a listener of the runtime has seen the count `arrivals`.
    fn note_heard(&self, arrivals: usize) {
        self.heard.note(arrivals);
    }

    /// Returns the count up to which arrivals are old in this runtime, for a listener that was
    /// created at `arrivals`. The result is smaller if signals have arrived that neither a listener
    /// nor a netpoller turn has noticed.
    fn old_at(&self, arrivals: usize) -> usize {
        let heard = self.heard.count();
        let are_unheard = (arrivals.wrapping_sub(heard) as isize) > 0;
        let are_new = are_unheard && !self.stream.is_ready(Interest::READABLE);
        if are_new { heard } else { arrivals }
    }

    /// Returns the source whose events tell that the count may have changed.
    pub(super) fn stream(&self) -> &Evented<UnixStream> {
        &self.stream
    }
}

/// Reads all bytes from the socket. Their number has no meaning.
pub(super) fn drain(mut stream: impl Read) {
    let mut bytes = [0; 64];
    loop {
        match stream.read(&mut bytes) {
            Ok(count) if count == bytes.len() => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // Fewer than there is room for, so no more were there; or none.
            Ok(_) | Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::Builder;
    use crate::signal::tests::{in_own_process, send};
    use crate::signal::unix::signal;
    use std::io::Write;
    use std::os::fd::AsFd;
    use std::os::unix::net::UnixStream as StdStream;

    #[test]
    fn a_drain_leaves_nothing_behind() {
        let (mut writer, mut reader) = StdStream::pair().expect("sockets are to be had");
        reader.set_nonblocking(true).expect("a socket can be non-blocking");
        for count in [0, 1, 64, 1_000] {
            writer.write_all(&vec![1; count]).expect("there is room");
            drain(&reader);
            let error = reader.read(&mut [0; 1]).expect_err("all was read");
            assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
        }
    }

    #[test]
    fn the_listeners_of_a_runtime_share_one_pair() {
        in_own_process(module_path!(), "the_listeners_of_a_runtime_share_one_pair", || {
            let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime is to be had");
            let bell = Bell::of(SignalKind::hangup()).expect("the system lets us listen");
            let _listeners: Vec<_> = runtime.block_on(async {
                (0..10).map(|_| signal(SignalKind::hangup()).expect("the system lets us listen")).collect()
            });
            let ears: Vec<_> = bell.ears.lock().iter().filter_map(Weak::upgrade).collect();
            assert_eq!(ears.len(), 1);
        });
    }

    #[test]
    fn the_end_of_a_runtime_closes_the_handlers_end() {
        in_own_process(module_path!(), "the_end_of_a_runtime_closes_the_handlers_end", || {
            let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime is to be had");
            let bell = Bell::of(SignalKind::hangup()).expect("the system lets us listen");
            let listener = runtime.block_on(async { signal(SignalKind::hangup()) });
            let ear = bell.ears.lock().first().and_then(Weak::upgrade).expect("the listener's");
            let mut witness = StdStream::from(ear.stream.get_ref().as_fd().try_clone_to_owned().expect("a descriptor"));
            witness.set_nonblocking(false).expect("a socket can block");
            drop((ear, listener));
            send(SignalKind::hangup());
            assert_eq!(witness.read(&mut [0; 1]).expect("the runtime listens still"), 1);
            drop(runtime);
            assert_eq!(witness.read(&mut [0; 1]).expect("end of stream, at once"), 0);
        });
    }
}
