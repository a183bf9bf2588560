//! What to start, and how.

use std::ffi::OsStr;
use std::future::Future;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command as StdCommand, ExitStatus, Output, Stdio};

use super::{Child, orphans};
use crate::blocking::in_place;
use crate::task::spawn::with_scheduler;

/// Describes a program to start, as [`std::process::Command`] does, and starts it any number of
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
    /// Which of the standard streams were set by the user: input, output, error.
    is_set: [bool; 3],
    kill_on_drop: bool,
}

impl Command {
    /// Begins with a program, which is looked for in `PATH` unless it has a slash in it, without
    /// arguments, with this process's environment, directory and standard streams.
    #[must_use]
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        Self::from(StdCommand::new(program))
    }

    /// Returns the standard library's command inside.
    #[must_use]
    pub fn as_std(&self) -> &StdCommand {
        &self.std
    }

    /// Returns the standard library's command inside, for what this type has no method for.
    /// Standard streams that are set there are not known to [`output`](Self::output), which
    /// replaces them.
    pub fn as_std_mut(&mut self) -> &mut StdCommand {
        &mut self.std
    }

    /// Turns it into the standard library's; [`kill_on_drop`](Self::kill_on_drop) is lost.
    #[must_use]
    pub fn into_std(self) -> StdCommand {
        self.std
    }

    /// Adds an argument.
    pub fn arg(&mut self, argument: impl AsRef<OsStr>) -> &mut Self {
        self.std.arg(argument);
        self
    }

    /// Adds several arguments.
    pub fn args(&mut self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> &mut Self {
        self.std.args(arguments);
        self
    }

    /// Sets what the program is told to be its name, in place of the path that it was found by.
    pub fn arg0(&mut self, name: impl AsRef<OsStr>) -> &mut Self {
        self.std.arg0(name);
        self
    }

    /// Sets a variable of the environment.
    pub fn env(&mut self, key: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> &mut Self {
        self.std.env(key, value);
        self
    }

    /// Sets several variables of the environment.
    pub fn envs(&mut self, variables: impl IntoIterator<Item = (impl AsRef<OsStr>, impl AsRef<OsStr>)>) -> &mut Self {
        self.std.envs(variables);
        self
    }

    /// Takes a variable out of the environment.
    pub fn env_remove(&mut self, key: impl AsRef<OsStr>) -> &mut Self {
        self.std.env_remove(key);
        self
    }

    /// Takes all variables out of the environment.
    pub fn env_clear(&mut self) -> &mut Self {
        self.std.env_clear();
        self
    }

    /// Sets the directory to start in. Whether a relative path of the program is meant from there
    /// is open: use an absolute one.
    pub fn current_dir(&mut self, directory: impl AsRef<Path>) -> &mut Self {
        self.std.current_dir(directory);
        self
    }

    /// Sets the program's standard input. This process's own if it is not set; for
    /// [`output`](Self::output) nothing.
    pub fn stdin(&mut self, stdin: impl Into<Stdio>) -> &mut Self {
        self.is_set[0] = true;
        self.std.stdin(stdin);
        self
    }

    /// Sets the program's standard output. This process's own if it is not set; for
    /// [`output`](Self::output) a pipe.
    pub fn stdout(&mut self, stdout: impl Into<Stdio>) -> &mut Self {
        self.is_set[1] = true;
        self.std.stdout(stdout);
        self
    }

    /// Sets the program's standard error. This process's own if it is not set; for
    /// [`output`](Self::output) a pipe.
    pub fn stderr(&mut self, stderr: impl Into<Stdio>) -> &mut Self {
        self.is_set[2] = true;
        self.std.stderr(stderr);
        self
    }

    /// Sets the user to run as, by number. Takes the groups away too, if this process runs as root.
    pub fn uid(&mut self, id: u32) -> &mut Self {
        self.std.uid(id);
        self
    }

    /// Sets the group to run as, by number.
    pub fn gid(&mut self, id: u32) -> &mut Self {
        self.std.gid(id);
        self
    }

    /// Sets the process group to join; 0 makes one of its own, out of reach of the terminal's
    /// ctrl-c.
    pub fn process_group(&mut self, group: i32) -> &mut Self {
        self.std.process_group(group);
        self
    }

    /// Adds a closure for the new process to call before the program begins.
    ///
    /// # Safety
    ///
    /// As [`CommandExt::pre_exec`]: the new process has one thread, whatever the others of this
    /// process held, so the closure must only do what a signal handler may, which excludes taking
    /// locks and allocating memory.
    pub unsafe fn pre_exec(&mut self, call: impl FnMut() -> io::Result<()> + Send + Sync + 'static) -> &mut Self {
        // SAFETY: our caller keeps the promise that this asks for.
        unsafe { self.std.pre_exec(call) };
        self
    }

    /// Kills the program (SIGKILL) when its [`Child`] is dropped before the end was learnt of: with
    /// the task that waits for it, for example. Off at first. The processes that the program has
    /// started are not killed.
    pub fn kill_on_drop(&mut self, kill_on_drop: bool) -> &mut Self {
        self.kill_on_drop = kill_on_drop;
        self
    }

    /// Tells whether [`kill_on_drop`](Self::kill_on_drop) is set.
    #[must_use]
    pub fn get_kill_on_drop(&self) -> bool {
        self.kill_on_drop
    }

    /// Starts the program.
    ///
    /// It is started by this call, which takes as long as that (a millisecond or so); tasks that
    /// wait on this processor go on elsewhere if it takes longer, as with
    /// [`block_in_place`](crate::task::block_in_place).
    ///
    /// # Panics
    ///
    /// Outside a wsrt runtime.
    ///
    /// # Errors
    ///
    /// When it cannot be started: the system's, as it is, which does not name the program. When the
    /// system is out of what it takes to wait for it or to talk with it, such as descriptors: then
    /// it is killed again.
    #[track_caller]
    pub fn spawn(&mut self) -> io::Result<Child> {
        let netpoller = with_scheduler("Command::spawn", |scheduler| scheduler.netpoller.handle().clone());
        orphans::reap_left_behind();
        let child = in_place::block_in_place(|| self.std.spawn())?;
        Child::new(child, self.kill_on_drop, &netpoller)
    }

    /// Starts the program, waits for its end, and returns its status. Standard streams that are
    /// piped are closed.
    ///
    /// The program is started by this call, not by the first poll.
    ///
    /// # Panics
    ///
    /// Outside a wsrt runtime.
    ///
    /// # Errors
    ///
    /// Those of [`spawn`](Self::spawn) and [`Child::wait`].
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: dropped while it waits, it drops the child, which then goes on or is killed
    /// ([`kill_on_drop`](Self::kill_on_drop)).
    #[track_caller]
    pub fn status(&mut self) -> impl Future<Output = io::Result<ExitStatus>> + use<> {
        let child = self.spawn();
        async {
            let mut child = child?;
            drop((child.stdin.take(), child.stdout.take(), child.stderr.take()));
            child.wait().await
        }
    }

    /// Starts the program, waits for its end, and returns its status and what it has written: see
    /// [`Child::wait_with_output`].
    ///
    /// Unless they were set, its standard output and error are piped and its standard input is
    /// empty, for this one time. The program is started by this call, not by the first poll.
    ///
    /// # Panics
    ///
    /// Outside a wsrt runtime.
    ///
    /// # Errors
    ///
    /// Those of [`spawn`](Self::spawn) and [`Child::wait_with_output`].
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: dropped while it waits, it drops the child, which then goes on or is killed
    /// ([`kill_on_drop`](Self::kill_on_drop)), and what was read is lost.
    #[track_caller]
    pub fn output(&mut self) -> impl Future<Output = io::Result<Output>> + use<> {
        self.set_unset_streams(Stdio::null, Stdio::piped);
        let child = self.spawn();
        self.set_unset_streams(Stdio::inherit, Stdio::inherit);
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
    /// Standard streams that are set in it are not known to [`output`](Command::output), which
    /// replaces them.
    fn from(std: StdCommand) -> Self {
        Self { std, is_set: [false; 3], kill_on_drop: false }
    }
}
