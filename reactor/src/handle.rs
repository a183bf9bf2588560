//! `Handle`: the registration side of the netpoller, of which each socket holds a clone.

#[cfg(unix)]
use crate::descriptor::RawDescriptor;
use crate::interest::Interest;
#[cfg(unix)]
use crate::late_entry::LateEntry;
use crate::readiness::SeenReadiness;
use crate::registry::{Registry, SourceToken};
use crate::simulated_net::NetworkSlot;
use crate::source::{Condition, SourceState};
use crate::sync::Arc;
use crate::waiters::WaiterKind;
use crate::walk::Label;
#[cfg(unix)]
use mio::unix::SourceFd;
use std::io;
use std::task::{Context, Poll};

/// A handle to a netpoller, with which sockets are registered. Cloning a handle increments a
/// reference count.
///
/// Each socket keeps a clone of the handle, so operations on the socket work on any thread, inside
/// or outside a runtime. After the netpoller has been shut down, operations that would have to wait
/// fail instead.
#[derive(Clone, Debug)]
pub struct Handle(Arc<ReactorState>);

/// Two handles are equal if they refer to the same netpoller.
impl PartialEq for Handle {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Handle {}

const BOTH: Interest = Interest::READABLE.add(Interest::WRITABLE);

#[derive(Debug)]
struct ReactorState {
    system: mio::Registry,
    registry: Registry,
    /// The network that provides the sockets of a simulated runtime.
    network: NetworkSlot,
}

impl Handle {
    pub(crate) fn new(system: mio::Registry) -> Self {
        Self(Arc::new(ReactorState { system, registry: Registry::new(), network: NetworkSlot::new() }))
    }

    pub(crate) fn network(&self) -> &NetworkSlot {
        &self.0.network
    }

    /// Returns an error if this netpoller, which belongs to a simulated runtime, does not accept
    /// sources of the OS. Call this before starting something of the given `kind` that cannot be
    /// undone.
    #[doc(hidden)]
    pub fn check_accepts(&self, kind: &str) -> io::Result<()> {
        self.registry().check_accepts(kind)
    }

    pub(crate) fn registry(&self) -> &Registry {
        &self.0.registry
    }

    /// Registers the directions of `watched`, edge-triggered, until [`Registration::end`]. The
    /// source counts as untried in the directions of `untried`; a walk shows `label`.
    pub(crate) fn register<S: mio::event::Source + ?Sized>(
        &self,
        source: &mut S,
        watched: Interest,
        untried: Interest,
        label: Label,
    ) -> io::Result<Registration> {
        let (token, entry) = self.0.registry.insert(untried, label)?;
        if let Err(error) = self.0.system.register(source, token.into(), watched.into()) {
            self.0.registry.remove(token);
            return Err(error);
        }
        Ok(Registration {
            handle: self.clone(),
            token,
            source: entry,
            #[cfg(unix)]
            late: None,
        })
    }

    /// Like `register` for a connection, in both directions: it enters the poll late, unless it is
    /// a simulated one.
    pub(crate) fn register_late<S: mio::event::Source + ?Sized>(
        &self,
        source: &mut S,
        untried: Interest,
        label: Label,
    ) -> io::Result<Registration> {
        #[cfg(unix)]
        if let Some(descriptor) = label.own_descriptor() {
            let (token, source) = self.0.registry.insert(untried, label)?;
            let late = Some(LateEntry::of(descriptor));
            return Ok(Registration { handle: self.clone(), token, source, late });
        }
        self.register(source, BOTH, untried, label)
    }
}

/// One socket's entry in the netpoller. The owner of the socket ends it before it closes the
/// descriptor.
#[derive(Debug)]
pub(crate) struct Registration {
    handle: Handle,
    token: SourceToken,
    source: Arc<SourceState>,
    /// `None` if the source has entered the poll from the start.
    #[cfg(unix)]
    late: Option<LateEntry>,
}

impl Registration {
    pub(crate) fn source(&self) -> &SourceState {
        &self.source
    }

    pub(crate) fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Polls like [`SourceState::poll_ready`], and sees to it that an event can come.
    pub(crate) fn poll_ready(
        &self,
        condition: Condition,
        interest: Interest,
        cx: &mut Context<'_>,
        kind: WaiterKind<'_>,
    ) -> Poll<io::Result<SeenReadiness>> {
        let answer = self.source.poll_ready(condition, interest, cx, kind);
        #[cfg(unix)]
        if answer.is_pending() {
            if let Some(late) = self.outside() {
                return late.approach(&self.source, cx, |raw| self.enter_poll(raw));
            }
        }
        answer
    }

    /// Checks like [`SourceState::look`], and sees to it that the next look can tell more.
    pub(crate) fn look(&self, condition: Condition, interest: Interest) -> Poll<io::Result<SeenReadiness>> {
        let answer = self.source.look(condition, interest);
        #[cfg(unix)]
        if answer.is_pending() {
            if let Some(late) = self.outside() {
                late.enter(&self.source, |raw| self.enter_poll(raw))?;
            }
        }
        answer
    }

    /// Returns the connection's way into the poll, if it has not gone that yet.
    #[cfg(unix)]
    fn outside(&self) -> Option<&LateEntry> {
        self.late.as_ref().filter(|late| !late.is_entered())
    }

    #[cfg(unix)]
    fn enter_poll(&self, descriptor: RawDescriptor) -> io::Result<()> {
        self.handle.0.system.register(&mut SourceFd(&descriptor), self.token.into(), BOTH.into())
    }

    /// Takes the socket out of the poll and its key out of the slab, in this order: a key must not
    /// get a new entry while the OS still reports events for the old one under its old token. (Such
    /// an event would be ignored; the order saves the check.)
    pub(crate) fn end<S: mio::event::Source + ?Sized>(&self, source: &mut S) -> io::Result<()> {
        let outcome = self.leave_poll(source);
        self.handle.0.registry.remove(self.token);
        outcome
    }

    fn leave_poll<S: mio::event::Source + ?Sized>(&self, source: &mut S) -> io::Result<()> {
        let system = &self.handle.0.system;
        #[cfg(unix)]
        if let Some(late) = &self.late {
            return if late.is_entered() { system.deregister(&mut SourceFd(&late.descriptor())) } else { Ok(()) };
        }
        system.deregister(source)
    }
}

#[cfg(all(test, unix, not(wsrt_loom)))]
mod tests {
    use super::*;
    use crate::poller::Netpoller;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use std::task::{Wake, Waker};

    #[derive(Default)]
    struct Wakes(AtomicUsize);

    impl Wake for Wakes {
        fn wake(self: std::sync::Arc<Self>) {
            self.0.fetch_add(1, SeqCst);
        }
    }

    /// A socket whose descriptor no poll accepts.
    struct Refused;

    impl mio::event::Source for Refused {
        fn register(&mut self, _: &mio::Registry, _: mio::Token, _: mio::Interest) -> io::Result<()> {
            unreachable!("it enters by its descriptor")
        }

        fn reregister(&mut self, _: &mio::Registry, _: mio::Token, _: mio::Interest) -> io::Result<()> {
            unreachable!("it enters by its descriptor")
        }

        fn deregister(&mut self, _: &mio::Registry) -> io::Result<()> {
            unreachable!("it has never entered")
        }
    }

    #[test]
    fn a_connection_that_the_poll_refuses_tells_all_waiters() {
        let netpoller = Netpoller::new().unwrap();
        let label = Label::of_socket("test", -1);
        let registration = netpoller.handle().register_late(&mut Refused, Interest::NONE, label).unwrap();
        let wakes: [_; 2] = std::array::from_fn(|_| std::sync::Arc::new(Wakes::default()));
        let poll = |index: usize| {
            let waker = Waker::from(std::sync::Arc::clone(&wakes[index]));
            let mut cx = Context::from_waker(&waker);
            registration.poll_ready(Condition::Reported, Interest::READABLE, &mut cx, WaiterKind::Shared)
        };
        let woken = |index: usize| wakes[index].0.load(SeqCst);

        assert!(poll(0).is_pending());
        assert_eq!(woken(0), 1, "its first wait is put off");
        for index in [1, 0] {
            let Poll::Ready(Err(error)) = poll(index) else { panic!("waiter {index} waits for an event") };
            assert_eq!(error.raw_os_error(), Some(libc::EBADF));
        }
        assert_eq!(woken(0), 2 + 1, "by the other's failure, and by its own");
        assert!(registration.look(Condition::Reported, Interest::READABLE).is_ready(), "the error of a try");
        registration.end(&mut Refused).unwrap();
    }
}
