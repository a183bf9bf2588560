//! Any signal of Unix, any number of times.

use std::ffi::c_int;
use std::fmt;
use std::future::poll_fn;
use std::io;
use std::task::{Context, Poll};

use super::listener::{Listener, needs_runtime};
use crate::scheduler::drop_in::require_io;

/// Names a signal.
///
/// There is a constructor for each signal that servers use; [`from_raw`](Self::from_raw) takes the
/// number of any other, from the libc crate's constants.
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

/// The constructors, and the names that `Display` shows.
macro_rules! kinds {
    ($($(#[$attribute:meta])* $constructor:ident $name:ident)*) => {
        impl SignalKind {
            $($(#[$attribute])*
            #[must_use]
            pub const fn $constructor() -> Self {
                Self(libc::$name)
            })*

            /// Returns the signal with that name, with or without the `SIG`, if there is a
            /// constructor for it.
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
    /// Names SIGALRM, which the OS's own timers send. Ends a process by default.
    alarm SIGALRM
    /// Names SIGCHLD: a child process has ended, stopped or continued. Ignored by default.
    child SIGCHLD
    /// Names SIGHUP: the terminal is gone, or, to a server, "read the configuration again". Ends a
    /// process by default.
    hangup SIGHUP
    /// Names SIGINT, which ctrl-c sends. Ends a process by default.
    interrupt SIGINT
    /// Names SIGIO: a descriptor for which it was requested can be read or written. Ends a process
    /// by default.
    io SIGIO
    /// Names SIGPIPE: a write to a pipe without a reader. Ends a process by default; a Rust program
    /// ignores it, unless it was built otherwise, and gets the write's error.
    pipe SIGPIPE
    /// Names SIGQUIT. Ends a process by default, with a core dump.
    quit SIGQUIT
    /// Names SIGTERM, the usual request to end, sent by supervisors. Ends a process by default.
    terminate SIGTERM
    /// Names SIGUSR1, whose meaning the program defines. Ends a process by default.
    user_defined1 SIGUSR1
    /// Names SIGUSR2, whose meaning the program defines. Ends a process by default.
    user_defined2 SIGUSR2
    /// Names SIGWINCH: the terminal's window has another size. Ignored by default.
    window_change SIGWINCH
}

impl SignalKind {
    /// Names SIGINFO, which ctrl-t sends. Ignored by default. On macOS and the BSDs only.
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

    /// Names the signal with a number, which may be any: [`signal`] fails if there is no such
    /// signal.
    #[must_use]
    pub const fn from_raw(number: c_int) -> Self {
        Self(number)
    }

    /// Returns the signal's number.
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

/// Listens for a signal, from this call on.
///
/// The signal loses its default effect for the life of the process, even when the [`Signal`] is
/// dropped. Any number of listeners may exist for one signal; each receives it.
///
/// # Panics
///
/// Panics outside a wsrt runtime.
///
/// # Errors
///
/// Returns an error of kind [`InvalidInput`](io::ErrorKind::InvalidInput) that names the signal
/// when it is one that a program cannot handle: SIGKILL, SIGSTOP, SIGSEGV, SIGILL or SIGFPE.
/// Returns the OS error when there is no such signal, or listening is impossible, for example
/// because no file descriptor is left.
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
    let mut listener = Listener::new(kind)?;
    if !listener.attach()? {
        needs_runtime("`signal::unix::signal` was called");
    }
    Ok(Signal { listener })
}

/// Listens for one signal, any number of times. Returned by [`signal`].
///
/// Signals that arrive while no task waits are not lost, but merged: as elsewhere on Unix, several
/// may be received as one.
#[derive(Debug)]
#[must_use = "the signal has lost its default effect, and no task waits for it"]
pub struct Signal {
    listener: Listener,
}

impl Signal {
    /// Waits until the signal has arrived since the last call returned, or since the listener was
    /// made. Returns `None` if no signal will be received any more, because the runtime was shut
    /// down.
    ///
    /// # Cancel safety
    ///
    /// This call is cancel safe: a signal that was not returned is returned by the next call.
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

    /// Polls for the result of [`recv`](Self::recv); wakes `cx`'s task when the signal arrives.
    pub fn poll_recv(&mut self, cx: &mut Context<'_>) -> Poll<Option<()>> {
        self.listener.poll_recv(cx).map(Result::ok)
    }
}
