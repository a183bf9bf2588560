//! Reaps children, so that no zombie remains.
//!
//! `Exit` is the event that reports a child's exit to the netpoller: a pidfd where the OS has them,
//! and otherwise SIGCHLD. An orphan is a child whose `Child` was dropped.
//!
//! While the runtime is running, the netpoller reports an orphan's exit, and the waker that it
//! wakes reaps the child: with one system call that does not block, and without a task, thread or
//! signal.
//! After the runtime has ended, a killed child is reaped by its own thread, since it is about
//! to exit; other children are checked whenever this process starts or drops another child.

use std::process::{Child, ExitStatus};
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll, Wake, Waker, ready};
use std::{io, thread};

#[cfg(target_os = "linux")]
use wsrt_reactor::Evented;
#[cfg(target_os = "linux")]
use wsrt_reactor::Interest;
use wsrt_reactor::{budget, context};

use crate::scheduler;
use crate::signal::SignalListener;
use crate::signal::unix::SignalKind;
use crate::util::sync::Mutex;

/// A child process, with the event that reports its exit.
#[derive(Debug)]
pub(super) struct RunningChild {
    pub(super) child: Child,
    exit: Exit,
    /// True if `kill` was called, so that the child is about to exit.
    pub(super) is_killed: bool,
}

impl RunningChild {
    /// Takes over a newly started child. Kills the child if its exit cannot be watched.
    pub(super) fn new(child: Child, netpoller: &wsrt_reactor::Handle) -> io::Result<Self> {
        match Exit::of(child.id(), netpoller) {
            Ok(exit) => Ok(Self { child, exit, is_killed: false }),
            Err(error) => {
                kill_and_reap(child);
                Err(error)
            }
        }
    }

    pub(super) fn kill(&mut self) -> io::Result<()> {
        self.exit.kill(&mut self.child)?;
        self.is_killed = true;
        Ok(())
    }

    pub(super) fn poll_wait(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<ExitStatus>> {
        match ready!(self.poll_exit(cx)) {
            // No OS error: the runtime that reports the end was shut down.
            Err(error) if error.raw_os_error().is_none() && self.move_to_current_runtime() => self.poll_exit(cx),
            outcome => Poll::Ready(outcome),
        }
    }

    fn poll_exit(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<ExitStatus>> {
        let child = &mut self.child;
        self.exit.poll(cx, || child.try_wait())
    }

    /// Makes the current runtime report the process's exit from now on. Returns `false` if there is
    /// no current runtime, or if it was shut down.
    fn move_to_current_runtime(&mut self) -> bool {
        let Some(scheduler) = scheduler::Context::current_scheduler() else { return false };
        let Ok(exit) = Exit::of(self.child.id(), scheduler.netpoller.handle()) else { return false };
        self.exit = exit;
        true
    }
}

/// Wakes a task when a child may have exited.
#[derive(Debug)]
pub(super) enum Exit {
    #[cfg(target_os = "linux")]
    Descriptor(Evented<pidfd::PidFd>),
    /// A SIGCHLD listener, which is woken by the exit of any child.
    Signal(SignalListener),
}

impl Exit {
    /// Starts to watch the child with process ID `id`, which has not been reaped yet.
    pub(super) fn of(id: u32, netpoller: &wsrt_reactor::Handle) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Ok(descriptor) = pidfd::PidFd::open(id) {
            return Evented::of_kind("process", descriptor, netpoller).map(Self::Descriptor);
        }
        // The kernel has no pidfd, or a sandbox forbids the call.
        let _ = id;
        Self::by_signal(netpoller)
    }

    fn by_signal(netpoller: &wsrt_reactor::Handle) -> io::Result<Self> {
        let mut listener = SignalListener::new(SignalKind::child())?;
        listener.attach_to(netpoller)?;
        Ok(Self::Signal(listener))
    }

    /// Kills the child. Its process ID may already belong to another process, if this process
    /// ignores SIGCHLD or reaps its children elsewhere, but the descriptor is the child's own.
    pub(super) fn kill(&self, child: &mut Child) -> io::Result<()> {
        match self {
            #[cfg(target_os = "linux")]
            Self::Descriptor(descriptor) => descriptor.get_ref().kill(),
            Self::Signal(_) => child.kill(),
        }
    }

    /// Returns the first result of `look`, which is called whenever the child may have exited.
    pub(super) fn poll<T>(
        &mut self,
        cx: &mut Context<'_>,
        mut look: impl FnMut() -> io::Result<Option<T>>,
    ) -> Poll<io::Result<T>> {
        match self {
            #[cfg(target_os = "linux")]
            Self::Descriptor(descriptor) => descriptor.poll_io(Interest::READABLE, cx, |_| {
                let found = look()?;
                found.ok_or_else(|| io::ErrorKind::WouldBlock.into())
            }),
            // The listener was made before the look, so it has received any signal since.
            Self::Signal(listener) => loop {
                if let Some(found) = look()? {
                    return Poll::Ready(Ok(found));
                }
                ready!(listener.poll_recv(cx))?;
            },
        }
    }
}

/// A file descriptor for a process, which becomes readable when the process exits.
#[cfg(target_os = "linux")]
mod pidfd {
    use std::io;
    use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

    use mio::unix::SourceFd;
    use mio::{Interest, Registry, Token};

    #[derive(Debug)]
    pub(crate) struct PidFd(OwnedFd);

    impl PidFd {
        pub(super) fn open(id: u32) -> io::Result<Self> {
            let id = libc::pid_t::try_from(id).map_err(|_| io::ErrorKind::InvalidInput)?;
            let flags: libc::c_uint = 0;
            // SAFETY: the call takes two numbers, and touches no memory of this process.
            let answer = unsafe { libc::syscall(libc::SYS_pidfd_open, id, flags) };
            if answer < 0 {
                return Err(io::Error::last_os_error());
            }
            let descriptor = i32::try_from(answer).expect("descriptors are of this type");
            // SAFETY: the OS has just opened the descriptor, and it has no other owner.
            Ok(Self(unsafe { OwnedFd::from_raw_fd(descriptor) }))
        }
    }

    impl PidFd {
        /// Kills the process. Fails if the process was reaped.
        pub(super) fn kill(&self) -> io::Result<()> {
            let (flags, no_info): (libc::c_uint, _) = (0, std::ptr::null::<libc::siginfo_t>());
            // SAFETY: the descriptor is open, and the call reads no memory of this process where it
            // is given none.
            let answer = unsafe {
                libc::syscall(libc::SYS_pidfd_send_signal, self.0.as_raw_fd(), libc::SIGKILL, no_info, flags)
            };
            if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
        }
    }

    impl mio::event::Source for PidFd {
        fn register(&mut self, registry: &Registry, token: Token, interest: Interest) -> io::Result<()> {
            SourceFd(&self.0.as_raw_fd()).register(registry, token, interest)
        }

        fn reregister(&mut self, registry: &Registry, token: Token, interest: Interest) -> io::Result<()> {
            SourceFd(&self.0.as_raw_fd()).reregister(registry, token, interest)
        }

        fn deregister(&mut self, registry: &Registry) -> io::Result<()> {
            SourceFd(&self.0.as_raw_fd()).deregister(registry)
        }
    }
}

/// The children that no runtime watches any more.
static LEFT_BEHIND: Mutex<Vec<Child>> = Mutex::new(Vec::new());

/// Reaps a child when it exits.
pub(super) fn adopt(running: RunningChild) {
    reap_left_behind();
    Arc::new(Orphan(Mutex::new(Some(running)))).look();
}

/// Kills and reaps a child that no netpoller watches.
fn kill_and_reap(mut child: Child) {
    // The only error is that it has ended.
    let _ = child.kill();
    leave_behind(child, true);
}

/// Reaps the unwatched children that have exited in the meantime.
pub(super) fn reap_left_behind() {
    // An error means that another part of the program has reaped the child.
    LEFT_BEHIND.lock().retain_mut(|child| matches!(child.try_wait(), Ok(None)));
}

fn leave_behind(child: Child, is_killed: bool) {
    match is_killed {
        true => reap_on_a_thread(child),
        false => LEFT_BEHIND.lock().push(child),
    }
}

/// Reaps a child on a new thread. The child is passed through a channel, so that it is not lost
/// with the closure if the OS refuses the thread.
fn reap_on_a_thread(child: Child) {
    let (sender, receiver) = mpsc::channel::<Child>();
    let started = thread::Builder::new().name("wsrt-reaper".to_owned()).spawn(move || {
        if let Ok(mut child) = receiver.recv() {
            let _ = child.wait();
        }
    });
    match started {
        Ok(_detached) => sender.send(child).expect("the thread receives it"),
        Err(_) => LEFT_BEHIND.lock().push(child),
    }
}

/// A child that the netpoller watches, owned by the waker that waits there.
struct Orphan(Mutex<Option<RunningChild>>);

impl Orphan {
    /// Reaps the child if it has exited, and otherwise leaves the waker with the netpoller.
    fn look(self: Arc<Self>) {
        let waker = Waker::from(Arc::clone(&self));
        // This may run in the poll of a task, whose budget must not be spent; and a spent budget
        // would wake this waker again, while it holds its lock.
        let _of_the_poll = budget::keep();
        budget::lift();
        // Nor is this the wait of a task that the end drops: an orphan has to learn of the end.
        let _outside = context::enter(None);
        let mut slot = self.0.lock();
        let Some(running) = &mut *slot else { return };
        let Poll::Ready(outcome) = running.poll_wait(&mut Context::from_waker(&waker)) else { return };
        let ended = slot.take();
        drop(slot);
        if outcome.is_err() {
            let RunningChild { child, is_killed, .. } = ended.expect("it was just looked at");
            leave_behind(child, is_killed);
        }
    }
}

impl Wake for Orphan {
    fn wake(self: Arc<Self>) {
        self.look();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::Builder;
    use crate::task::spawn::with_scheduler;
    use std::future::poll_fn;
    use std::process::{Command, Stdio};

    /// A child that ends with status 7 when its standard input is closed.
    fn patient_child() -> Child {
        let mut command = Command::new("sh");
        command.args(["-c", "read line; exit 7"]).stdin(Stdio::piped()).spawn().expect("there is a shell")
    }

    fn ends_when_asked_to(exit: impl FnOnce(u32, &wsrt_reactor::Handle) -> io::Result<Exit>) {
        Builder::new_current_thread().build().expect("a runtime").block_on(async {
            let netpoller = with_scheduler("a test", |scheduler| scheduler.netpoller.handle().clone());
            let (mut one, mut other) = (patient_child(), patient_child());
            let mut exit = exit(one.id(), &netpoller).expect("there are resources for it");
            poll_fn(|cx| {
                assert!(exit.poll(cx, || one.try_wait()).is_pending());
                Poll::Ready(())
            })
            .await;
            drop(other.stdin.take());
            other.wait().expect("it ends");
            drop(one.stdin.take());
            let status = poll_fn(|cx| exit.poll(cx, || one.try_wait())).await.expect("it can be waited for");
            assert_eq!(status.code(), Some(7));
        });
    }

    #[test]
    fn one_childs_exit_signal_does_no_harm_to_another() {
        ends_when_asked_to(|_, netpoller| Exit::by_signal(netpoller));
    }

    #[test]
    fn the_systems_own_means_reports_the_end() {
        ends_when_asked_to(Exit::of);
    }

    /// Starts children until one has the number of a process that was reaped. `None` if the OS lets
    /// this user choose no numbers, or another process was quicker to get it.
    #[cfg(target_os = "linux")]
    fn child_with_number(id: u32) -> Option<Child> {
        for _ in 0..64 {
            std::fs::write("/proc/sys/kernel/ns_last_pid", (id - 1).to_string()).ok()?;
            let mut child = patient_child();
            if child.id() == id {
                return Some(child);
            }
            // Another process was started in between.
            drop(child.stdin.take());
            child.wait().expect("it ends when its input does");
        }
        None
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn another_process_with_the_childs_number_is_not_killed() {
        Builder::new_current_thread().build().expect("a runtime").block_on(async {
            let netpoller = with_scheduler("a test", |scheduler| scheduler.netpoller.handle().clone());
            let mut child = patient_child();
            let exit = Exit::of(child.id(), &netpoller).expect("there are resources for it");
            drop(child.stdin.take());
            let number = child.id().try_into().expect("numbers of processes are small");
            // As another part of the program may do it: the child itself does not learn of this.
            // SAFETY: the call stores nothing where it is given no place for the status.
            assert_eq!(unsafe { libc::waitpid(number, std::ptr::null_mut(), 0) }, number);
            let other = child_with_number(child.id());
            let error = exit.kill(&mut child).expect_err("the child has been reaped");
            assert_eq!(error.raw_os_error(), Some(libc::ESRCH));
            match other {
                Some(mut other) => {
                    drop(other.stdin.take());
                    let status = other.wait().expect("it ends when its input does");
                    assert_eq!(status.code(), Some(7), "it was not killed");
                }
                None => eprintln!("skipped: no process could be given the child's number, which takes root"),
            }
            // By its number, which is free again.
            child.wait().expect_err("the child has been reaped");
        });
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_that_is_not_there_has_no_descriptor() {
        let mut child = patient_child();
        let id = child.id();
        child.wait().expect("it ends when its input does");
        assert!(pidfd::PidFd::open(id).is_err());
        assert!(pidfd::PidFd::open(u32::MAX).is_err());
    }
}
