//! `Command`: a program to start, with its arguments and environment.

use std::ffi::OsStr;
use std::future::Future;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command as StdCommand, ExitStatus, Output, Stdio};

use wsrt_sync::drop_in::IS_ON;

use super::{Child, orphans};
use crate::blocking::in_place;
use crate::scheduler::drop_in::require_io;
use crate::task::spawn::with_scheduler;

/// Describes a program, as [`std::process::Command`] does, and starts it any number of times.
///
/// # Examples
///
/// ```
/// use wsrt::process::Command;
///
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let status = Command::new("sh").args(["-c", "exit $ANSWER"]).env("ANSWER", "42").status().await?;
/// assert_eq!(status.code(), Some(42));
///
/// let error = Command::new("no-such-program").spawn().unwrap_err();
/// assert_eq!((error.kind(), error.raw_os_error()), (std::io::ErrorKind::NotFound, Some(2)));
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
#[derive(Debug)]
pub struct Command {
    std: StdCommand,
    /// True if the user has set the standard input, output and error.
    is_set: [bool; 3],
    kill_on_drop: bool,
}

impl Command {
    /// Returns a command for `program`, which is searched in `PATH` unless it contains a slash,
    /// without arguments, with this process's environment, directory and standard streams.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let output = wsrt::process::Command::new("echo").arg("hello").output().await?;
    /// assert_eq!(output.stdout, b"hello\n");
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[must_use]
    pub fn new<S: AsRef<OsStr>>(program: S) -> Self {
        Self::from(StdCommand::new(program))
    }

    /// Returns the standard library's command that this one wraps.
    #[must_use]
    pub fn as_std(&self) -> &StdCommand {
        &self.std
    }

    /// Returns the standard library's command that this one wraps, for settings without a method
    /// here. [`output`](Self::output) does not see standard streams that are set there, and
    /// replaces them.
    pub fn as_std_mut(&mut self) -> &mut StdCommand {
        &mut self.std
    }

    /// Returns the standard library's command, without the setting of
    /// [`kill_on_drop`](Self::kill_on_drop).
    #[must_use]
    pub fn into_std(self) -> StdCommand {
        self.std
    }

    /// Adds an argument.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let output = wsrt::process::Command::new("echo").arg("two").arg("words").output().await?;
    /// assert_eq!(output.stdout, b"two words\n");
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub fn arg<S: AsRef<OsStr>>(&mut self, argument: S) -> &mut Self {
        self.std.arg(argument);
        self
    }

    /// Adds several arguments.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let output = wsrt::process::Command::new("echo").args(["two", "words"]).output().await?;
    /// assert_eq!(output.stdout, b"two words\n");
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub fn args<I, S>(&mut self, arguments: I) -> &mut Self
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        self.std.args(arguments);
        self
    }

    /// Sets the name that the program gets as its first argument, instead of the path to it.
    pub fn arg0<S: AsRef<OsStr>>(&mut self, name: S) -> &mut Self {
        self.std.arg0(name);
        self
    }

    /// Sets a variable of the environment.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let output = wsrt::process::Command::new("sh").args(["-c", "echo $WHERE"]).env("WHERE", "here").output().await?;
    /// assert_eq!(output.stdout, b"here\n");
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub fn env<K, V>(&mut self, key: K, value: V) -> &mut Self
    where
        K: AsRef<OsStr>,
        V: AsRef<OsStr>,
    {
        self.std.env(key, value);
        self
    }

    /// Sets several variables of the environment.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let output = wsrt::process::Command::new("sh").args(["-c", "echo $A$B"]).envs([("A", "1"), ("B", "2")]).output().await?;
    /// assert_eq!(output.stdout, b"12\n");
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub fn envs<I, K, V>(&mut self, variables: I) -> &mut Self
    where
        I: IntoIterator<Item = (K, V)>,
        K: AsRef<OsStr>,
        V: AsRef<OsStr>,
    {
        self.std.envs(variables);
        self
    }

    /// Removes a variable from the environment.
    pub fn env_remove<K: AsRef<OsStr>>(&mut self, key: K) -> &mut Self {
        self.std.env_remove(key);
        self
    }

    /// Removes all variables from the environment.
    pub fn env_clear(&mut self) -> &mut Self {
        self.std.env_clear();
        self
    }

    /// Sets the directory to start in. It is unspecified whether a relative path of the program is
    /// resolved from there: use an absolute one.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let output = wsrt::process::Command::new("pwd").current_dir("/").output().await?;
    /// assert_eq!(output.stdout, b"/\n");
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub fn current_dir<P: AsRef<Path>>(&mut self, directory: P) -> &mut Self {
        self.std.current_dir(directory);
        self
    }

    /// Sets the program's standard input. The default is this process's own, and an empty one for
    /// [`output`](Self::output).
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// use std::process::Stdio;
    ///
    /// let status = wsrt::process::Command::new("cat").stdin(Stdio::null()).status().await?;
    /// assert!(status.success());
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub fn stdin<T: Into<Stdio>>(&mut self, stdin: T) -> &mut Self {
        self.is_set[0] = true;
        self.std.stdin(stdin);
        self
    }

    /// Sets the program's standard output. The default is this process's own, and a pipe for
    /// [`output`](Self::output).
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// use std::process::Stdio;
    ///
    /// let mut child = wsrt::process::Command::new("echo").arg("hello").stdout(Stdio::piped()).spawn()?;
    /// let mut heard = String::new();
    /// child.stdout.take().expect("it is piped").read_to_string(&mut heard).await?;
    /// child.wait().await?;
    /// assert_eq!(heard, "hello\n");
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub fn stdout<T: Into<Stdio>>(&mut self, stdout: T) -> &mut Self {
        self.is_set[1] = true;
        self.std.stdout(stdout);
        self
    }

    /// Sets the program's standard error. The default is this process's own, and a pipe for
    /// [`output`](Self::output).
    pub fn stderr<T: Into<Stdio>>(&mut self, stderr: T) -> &mut Self {
        self.is_set[2] = true;
        self.std.stderr(stderr);
        self
    }

    /// Sets the user to run as, by number. If this process runs as root, the supplementary groups
    /// are removed too.
    pub fn uid(&mut self, id: u32) -> &mut Self {
        self.std.uid(id);
        self
    }

    /// Sets the group to run as, by number.
    pub fn gid(&mut self, id: u32) -> &mut Self {
        self.std.gid(id);
        self
    }

    /// Sets the process group to join; 0 makes a new one, which the terminal's ctrl-c does not
    /// reach.
    pub fn process_group(&mut self, group: i32) -> &mut Self {
        self.std.process_group(group);
        self
    }

    /// Adds a closure that the new process calls before the program begins.
    ///
    /// # Safety
    ///
    /// The requirements of [`CommandExt::pre_exec`]: the new process has one thread, and locks that
    /// other threads of this process held are never released in it. So the closure must be safe in
    /// a signal handler: it must not take locks or allocate memory.
    pub unsafe fn pre_exec<F>(&mut self, call: F) -> &mut Self
    where
        F: FnMut() -> io::Result<()> + Send + Sync + 'static,
    {
        // SAFETY: the caller of this function meets the same requirements.
        unsafe { self.std.pre_exec(call) };
        self
    }

    /// Sets whether the process is killed (SIGKILL) when its [`Child`] is dropped before a call has
    /// returned the exit status: with the task that waits for it, for example. The default is
    /// `false`. Processes that the child has started are not killed.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let child = wsrt::process::Command::new("sleep").arg("600").kill_on_drop(true).spawn()?;
    /// drop(child);
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub fn kill_on_drop(&mut self, kill_on_drop: bool) -> &mut Self {
        self.kill_on_drop = kill_on_drop;
        self
    }

    /// Returns whether [`kill_on_drop`](Self::kill_on_drop) is set.
    #[must_use]
    pub fn get_kill_on_drop(&self) -> bool {
        self.kill_on_drop
    }

    /// Starts the program.
    ///
    /// The call returns when the program is started, usually within a millisecond. If it takes
    /// longer, other processors run the tasks that wait on this one, as with
    /// [`block_in_place`](crate::task::block_in_place).
    ///
    /// # Panics
    ///
    /// Panics outside a wsrt runtime.
    ///
    /// # Errors
    ///
    /// Returns the OS error, which does not name the program, when the program cannot be started.
    /// Returns it too, and kills the process, when its end or its pipes cannot be registered with
    /// the netpoller, for example because no descriptor is left.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut child = wsrt::process::Command::new("true").spawn()?;
    /// assert!(child.wait().await?.success());
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn spawn(&mut self) -> io::Result<Child> {
        require_io();
        let netpoller = with_scheduler("Command::spawn", |scheduler| scheduler.netpoller.handle().clone());
        netpoller.check_accepts("process")?;
        orphans::reap_left_behind();
        let child = in_place::block_in_place(|| self.std.spawn())?;
        Child::new(child, self.kill_on_drop, &netpoller)
    }

    /// Starts the program, waits for its end, and returns its exit status. Standard streams that
    /// are piped are closed.
    ///
    /// The program is started by this call, not by the first poll.
    ///
    /// # Panics
    ///
    /// Panics outside a wsrt runtime.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`spawn`](Self::spawn) and [`Child::wait`].
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: if the future is dropped while it waits, the child is dropped; its process
    /// continues or is killed ([`kill_on_drop`](Self::kill_on_drop)).
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let status = wsrt::process::Command::new("sh").args(["-c", "exit 3"]).status().await?;
    /// assert_eq!(status.code(), Some(3));
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn status(&mut self) -> impl Future<Output = io::Result<ExitStatus>> + use<> {
        let child = self.spawn();
        async {
            let mut child = child?;
            drop((child.stdin.take(), child.stdout.take(), child.stderr.take()));
            child.wait().await
        }
    }

    /// Starts the program, waits for its end, and returns its exit status and its output: see
    /// [`Child::wait_with_output`].
    ///
    /// Unless they were set, its standard output and error are piped and its standard input is
    /// empty, for this one call. The program is started by this call, not by the first poll.
    ///
    /// # Panics
    ///
    /// Panics outside a wsrt runtime.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`spawn`](Self::spawn) and [`Child::wait_with_output`].
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: if the future is dropped while it waits, the child is dropped; its process
    /// continues or is killed ([`kill_on_drop`](Self::kill_on_drop)), and its output so far is
    /// lost.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let output = wsrt::process::Command::new("echo").arg("hello").output().await?;
    /// assert!(output.status.success());
    /// assert_eq!(String::from_utf8_lossy(&output.stdout), "hello\n");
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn output(&mut self) -> impl Future<Output = io::Result<Output>> + use<> {
        if IS_ON {
            // tokio's ways: the output is returned whatever was set, and the input is left alone.
            self.std.stdout(Stdio::piped()).stderr(Stdio::piped());
        } else {
            self.set_unset_streams(Stdio::null, Stdio::piped);
        }
        let child = self.spawn();
        if !IS_ON {
            self.set_unset_streams(Stdio::inherit, Stdio::inherit);
        }
        async { child?.wait_with_output().await }
    }

    fn set_unset_streams(&mut self, input: fn() -> Stdio, output: fn() -> Stdio) {
        if !self.is_set[0] {
            self.std.stdin(input());
        }
        if !self.is_set[1] {
            self.std.stdout(output());
        }
        if !self.is_set[2] {
            self.std.stderr(output());
        }
    }
}

impl From<StdCommand> for Command {
    /// Wraps a command of the standard library. [`output`](Command::output) does not see standard
    /// streams that are set in it, and replaces them.
    fn from(std: StdCommand) -> Self {
        Self { std, is_set: [false; 3], kill_on_drop: false }
    }
}
