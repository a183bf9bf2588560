//! Listeners for any Unix signal.

use std::ffi::c_int;
use std::future::poll_fn;
use std::task::{Context, Poll};
use std::{fmt, io};

use super::listener::{SignalListener, needs_runtime};
use crate::scheduler::drop_in::require_io;

/// The kind of a Unix signal, such as SIGINT or SIGTERM.
///
/// Each signal that servers commonly use has a constructor. [`from_raw`](Self::from_raw) accepts
/// the number of any other signal, such as a constant from the libc crate.
///
/// # Examples
///
/// ```
/// use wsrt::signal::unix::SignalKind;
///
/// assert_eq!(SignalKind::terminate().as_raw_value(), 15);
/// assert_eq!(SignalKind::from_raw(15), SignalKind::terminate());
/// assert_eq!(SignalKind::user_defined1().to_string(), "SIGUSR1");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SignalKind(c_int);

/// Generates the constructors, and the names that `Display` shows.
macro_rules! kinds {
    ($($(#[$attribute:meta])* $constructor:ident $name:ident)*) => {
        impl SignalKind {
            $($(#[$attribute])*
            #[must_use]
            pub const fn $constructor() -> Self {
                Self(libc::$name)
            })*

            /// Returns the signal named `name`, with or without the prefix `SIG`, if it has a
            /// constructor.
            pub(crate) fn from_name(name: &str) -> Option<Self> {
                let names = [$((stringify!($name), libc::$name),)*];
                let is_called = |known: &str| known == name || known.strip_prefix("SIG") == Some(name);
                names.into_iter().find_map(|(known, number)| is_called(known).then_some(Self(number)))
            }

            const fn name(self) -> Option<&'static str> {
                match self.0 {
                    $(libc::$name => Some(stringify!($name)),)*
                    libc::SIGKILL => Some("SIGKILL"),
                    libc::SIGSTOP => Some("SIGSTOP"),
                    libc::SIGSEGV => Some("SIGSEGV"),
                    libc::SIGILL => Some("SIGILL"),
                    libc::SIGFPE => Some("SIGFPE"),
                    _ => None,
                }
            }
        }
    };
}

kinds! {
    /// Returns SIGALRM, which the OS's timers send. Ends the process by default.
    alarm SIGALRM
    /// Returns SIGCHLD, sent when a child process has exited, stopped or continued. Ignored by
    /// default.
    child SIGCHLD
    /// Returns SIGHUP, sent when the terminal is closed. By convention, servers reload their
    /// configuration on SIGHUP. Ends the process by default.
    hangup SIGHUP
    /// Returns SIGINT, which ctrl-c sends. Ends the process by default.
    interrupt SIGINT
    /// Returns SIGIO, sent when a descriptor that requested the signal becomes readable or
    /// writable. Ends the process by default.
    io SIGIO
    /// Returns SIGPIPE, sent on a write to a pipe that has no reader. Ends the process by default,
    /// but Rust programs usually ignore SIGPIPE and receive the write's error instead.
    pipe SIGPIPE
    /// Returns SIGQUIT. Ends the process with a core dump by default.
    quit SIGQUIT
    /// Returns SIGTERM, the usual request to terminate. Ends the process by default.
    terminate SIGTERM
    /// Returns SIGUSR1, whose meaning the program defines. Ends the process by default.
    user_defined1 SIGUSR1
    /// Returns SIGUSR2, whose meaning the program defines. Ends the process by default.
    user_defined2 SIGUSR2
    /// Returns SIGWINCH, sent when the terminal window is resized. Ignored by default.
    window_change SIGWINCH
}

impl SignalKind {
    /// Returns SIGINFO, which ctrl-t sends. Ignored by default. Available on macOS and the BSDs
    /// only.
    #[cfg(any(
        target_os = "macos",
        target_os = "ios",
        target_os = "freebsd",
        target_os = "netbsd",
        target_os = "openbsd",
        target_os = "dragonfly",
    ))]
    #[must_use]
    pub const fn info() -> Self {
        Self(libc::SIGINFO)
    }

    /// Creates a kind from any signal number. If no signal with this number exists, [`signal`]
    /// returns an error.
    #[must_use]
    pub const fn from_raw(number: c_int) -> Self {
        Self(number)
    }

    /// Returns the number of the signal.
    #[must_use]
    pub const fn as_raw_value(&self) -> c_int {
        self.0
    }
}

impl From<c_int> for SignalKind {
    fn from(number: c_int) -> Self {
        Self::from_raw(number)
    }
}

impl From<SignalKind> for c_int {
    fn from(kind: SignalKind) -> Self {
        kind.as_raw_value()
    }
}

impl fmt::Display for SignalKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "signal {}", self.0),
        }
    }
}

impl fmt::Debug for SignalKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SignalKind({self})")
    }
}

/// Creates a listener that receives each signal of `kind` that arrives after this call.
///
/// The signal's default action is disabled for the rest of the process's life, even after the
/// [`Signal`] is dropped. If a signal has several listeners, each of them receives it.
///
/// # Panics
///
/// Panics if called outside a wsrt runtime.
///
/// # Errors
///
/// Returns an error of kind [`InvalidInput`](io::ErrorKind::InvalidInput) that names the signal if
/// programs cannot handle it: SIGKILL, SIGSTOP, SIGSEGV, SIGILL and SIGFPE. Returns the OS error if
/// no such signal exists, or if no listener can be created, for example because no file descriptor
/// is left.
///
/// # Examples
///
/// ```
/// use wsrt::signal::unix::{SignalKind, signal};
///
/// # let runtime = wsrt::runtime::Runtime::new().unwrap();
/// # runtime.block_on(async {
/// let hangup = signal(SignalKind::hangup());
/// assert!(hangup.is_ok());
///
/// let error = signal(SignalKind::from_raw(9)).unwrap_err();
/// assert!(error.to_string().starts_with("cannot listen for SIGKILL"), "{error}");
/// # });
/// ```
#[track_caller]
pub fn signal(kind: SignalKind) -> io::Result<Signal> {
    require_io();
    let mut listener = SignalListener::new(kind)?;
    if !listener.attach()? {
        needs_runtime("`signal::unix::signal` was called");
    }
    Ok(Signal { listener })
}

/// A listener that receives one kind of signal any number of times. Returned by [`signal`].
///
/// Signals that arrive while no task is waiting are not lost, but coalesced: as usual on Unix,
/// several signals may be received as one.
#[derive(Debug)]
#[must_use = "the signal has lost its default effect, and no task waits for it"]
pub struct Signal {
    listener: SignalListener,
}

impl Signal {
    /// Waits for the signal. Completes if the signal has arrived since the previous call completed
    /// or, on the first call, since the listener was created. Returns `None` if the runtime was
    /// shut down, so that no further signal can be received.
    ///
    /// # Cancel safety
    ///
    /// This call is cancel safe: a signal that a dropped call did not return is not lost.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use wsrt::signal::unix::{SignalKind, signal};
    ///
    /// # fn main() -> std::io::Result<()> {
    /// # let runtime = wsrt::runtime::Runtime::new()?;
    /// # runtime.block_on(async {
    /// let mut hangup = signal(SignalKind::hangup())?;
    /// while hangup.recv().await.is_some() {
    ///     println!("reading the configuration again");
    /// }
    /// # Ok(())
    /// # })
    /// # }
    /// ```
    pub async fn recv(&mut self) -> Option<()> {
        poll_fn(|cx| self.poll_recv(cx)).await
    }

    /// Polls [`recv`](Self::recv), and wakes `cx`'s task when the signal arrives.
    pub fn poll_recv(&mut self, cx: &mut Context<'_>) -> Poll<Option<()>> {
        self.listener.poll_recv(cx).map(Result::ok)
    }
}
