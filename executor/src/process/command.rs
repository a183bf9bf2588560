//! `Command`: a builder that configures and starts a program.

use std::ffi::OsStr;
use std::future::Future;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command as StdCommand, ExitStatus, Output, Stdio};

use wsrt_sync::drop_in::IS_ON;

use super::{Child, reap};
use crate::blocking::in_place;
use crate::scheduler::drop_in::require_io;
use crate::task::spawn::with_scheduler;

/// A builder, like [`std::process::Command`], that configures a program and starts it any number of
/// times.
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
    /// Creates a command for `program`, without arguments, that inherits the environment, working
    /// directory and standard streams of this process. `PATH` is searched unless `program` contains
    /// a slash.
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

    /// Returns a shared reference to the wrapped standard library command.
    #[must_use]
    pub fn as_std(&self) -> &StdCommand {
        &self.std
    }

    /// Returns a mutable reference to the wrapped standard library command, for settings that this
    /// type does not offer. [`output`](Self::output) does not know of standard streams that are set
    /// this way, and replaces them.
    pub fn as_std_mut(&mut self) -> &mut StdCommand {
        &mut self.std
    }

    /// Converts the command into the wrapped standard library command. The
    /// [`kill_on_drop`](Self::kill_on_drop) setting is lost.
    #[must_use]
    pub fn into_std(self) -> StdCommand {
        self.std
    }

    /// Adds one argument to pass to the program.
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

    /// Adds several arguments to pass to the program.
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

    /// Sets the first argument (`argv[0]`) that the program sees, instead of the program's path.
    pub fn arg0<S: AsRef<OsStr>>(&mut self, name: S) -> &mut Self {
        self.std.arg0(name);
        self
    }

    /// Sets an environment variable for the program.
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

    /// Sets several environment variables for the program.
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

    /// Removes an environment variable, so that the program does not inherit it.
    pub fn env_remove<K: AsRef<OsStr>>(&mut self, key: K) -> &mut Self {
        self.std.env_remove(key);
        self
    }

    /// Removes all environment variables, so that the program inherits none.
    pub fn env_clear(&mut self) -> &mut Self {
        self.std.env_clear();
        self
    }

    /// Sets the working directory of the program. Whether a relative path of the program itself is
    /// resolved from this directory is unspecified, so use an absolute path.
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

    /// Sets the standard input of the program. By default the program inherits this process's
    /// standard input, or reads from an empty input when started by [`output`](Self::output).
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

    /// Sets the standard output of the program. By default the program inherits this process's
    /// standard output, or writes to a pipe when started by [`output`](Self::output).
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

    /// Sets the standard error of the program. By default the program inherits this process's
    /// standard error, or writes to a pipe when started by [`output`](Self::output).
    pub fn stderr<T: Into<Stdio>>(&mut self, stderr: T) -> &mut Self {
        self.is_set[2] = true;
        self.std.stderr(stderr);
        self
    }

    /// Sets the user ID that the program runs as. If this process runs as root, the program's
    /// supplementary groups are cleared as well.
    pub fn uid(&mut self, id: u32) -> &mut Self {
        self.std.uid(id);
        self
    }

    /// Sets the group ID that the program runs as.
    pub fn gid(&mut self, id: u32) -> &mut Self {
        self.std.gid(id);
        self
    }

    /// Sets the ID of the process group that the program joins. 0 creates a new process group,
    /// which a ctrl-c in the terminal does not reach.
    pub fn process_group(&mut self, group: i32) -> &mut Self {
        self.std.process_group(group);
        self
    }

    /// Schedules a closure to run in the new process, right before the program is executed.
    ///
    /// # Safety
    ///
    /// The requirements of [`CommandExt::pre_exec`] apply: the new process has a single thread, and
    /// locks that other threads of this process held are never released there. The closure must
    /// only do what is safe in a signal handler: no locking and no allocation.
    pub unsafe fn pre_exec<F>(&mut self, call: F) -> &mut Self
    where
        F: FnMut() -> io::Result<()> + Send + Sync + 'static,
    {
        // SAFETY: the caller of this function meets the same requirements.
        unsafe { self.std.pre_exec(call) };
        self
    }

    /// Sets whether the process is killed with SIGKILL when its [`Child`] is dropped before a call
    /// has returned the exit status, for example together with the task that waits for it.
    /// Processes that the child has started are not killed. The default is `false`.
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

    /// Returns whether dropping the [`Child`] kills the process: the
    /// [`kill_on_drop`](Self::kill_on_drop) setting.
    #[must_use]
    pub fn get_kill_on_drop(&self) -> bool {
        self.kill_on_drop
    }

    /// Starts the program and returns a handle to the child process.
    ///
    /// The call blocks until the program has started, usually for less than a millisecond. If
    /// starting takes longer, other processors run the tasks that wait on this processor, as with
    /// [`block_in_place`](crate::task::block_in_place).
    ///
    /// # Panics
    ///
    /// Panics if called outside a wsrt runtime.
    ///
    /// # Errors
    ///
    /// Returns the OS error when the program cannot be started. The error does not name the
    /// program. If the process or its pipes cannot be registered with the netpoller, for example
    /// because no file descriptor is left, the process is killed and the OS error is returned.
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
        self.spawn_by(std::process::Command::spawn)
    }

    /// Starts the program by calling `spawn` with the command of the standard library, for programs
    /// that need a way of their own to start a process.
    ///
    /// # Panics
    ///
    /// Panics if called outside a wsrt runtime.
    ///
    /// # Errors
    ///
    /// Returns the error of `spawn`, and the errors of [`spawn`](Self::spawn).
    #[cfg(feature = "drop-in")]
    #[track_caller]
    pub fn spawn_with(
        &mut self,
        spawn: impl FnOnce(&mut std::process::Command) -> io::Result<std::process::Child>,
    ) -> io::Result<Child> {
        self.spawn_by(spawn)
    }

    #[track_caller]
    fn spawn_by(
        &mut self,
        spawn: impl FnOnce(&mut std::process::Command) -> io::Result<std::process::Child>,
    ) -> io::Result<Child> {
        require_io();
        let netpoller = with_scheduler("Command::spawn", |scheduler| scheduler.netpoller.handle().clone());
        netpoller.check_accepts("process")?;
        reap::reap_left_behind();
        let child = in_place::block_in_place(|| spawn(&mut self.std))?;
        Child::new(child, self.kill_on_drop, &netpoller)
    }

    /// Starts the program, waits until it exits, and returns its exit status. Piped standard
    /// streams are closed.
    ///
    /// The program starts with this call, before the returned future is polled.
    ///
    /// # Panics
    ///
    /// Panics if called outside a wsrt runtime.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`spawn`](Self::spawn) and [`Child::wait`].
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: if the future is dropped before it completes, the child is dropped, and the
    /// process keeps running or is killed, depending on [`kill_on_drop`](Self::kill_on_drop).
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

    /// Starts the program, waits until it exits, and returns its exit status and output, like
    /// [`Child::wait_with_output`].
    ///
    /// For this call, standard output and error are piped and standard input is empty, unless they
    /// were set explicitly. The program starts with this call, before the returned future is
    /// polled.
    ///
    /// # Panics
    ///
    /// Panics if called outside a wsrt runtime.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`spawn`](Self::spawn) and [`Child::wait_with_output`].
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: if the future is dropped before it completes, the output is lost, and the
    /// process keeps running or is killed, depending on [`kill_on_drop`](Self::kill_on_drop).
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
    /// Wraps a standard library command. [`output`](Command::output) does not know of standard
    /// streams that are set in `std`, and replaces them.
    fn from(std: StdCommand) -> Self {
        Self { std, is_set: [false; 3], kill_on_drop: false }
    }
}
