//! Other processes: those that print their figures, those that are spoken to, and foreign programs.

use std::error::Error;
use std::fmt::{self, Display, Formatter};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::Series;
use crate::Failure;

/// Runs `command`, which measures, and returns its figures. Its complaints go to standard error.
pub(crate) fn collect(command: &mut Command) -> Result<Series, Failure> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cannot start {:?}: {error}", command.get_program()))?;
    if !output.status.success() {
        return Err(format!("the child failed ({})", output.status).into());
    }
    let series = Series::parse(&String::from_utf8_lossy(&output.stdout));
    if series.is_empty() {
        return Err("the child printed no result".into());
    }
    Ok(series)
}

/// Runs a foreign program to its end, and returns its output.
pub(crate) fn output_of(command: &mut Command) -> Result<String, Failure> {
    let output = command.output().map_err(|error| format!("cannot start {:?}: {error}", command.get_program()))?;
    judged(command, output.status, &output.stdout, &output.stderr)
}

/// Between two looks at a program that has a limit.
const LOOK: Duration = Duration::from_millis(10);

/// Runs a foreign program, as [`output_of`] does, and kills it if it has not ended after `limit`,
/// together with the programs that it has started: the error is a [`TooLong`] then.
pub(crate) fn output_within(command: &mut Command, limit: Duration) -> Result<String, Failure> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    end_with_this_process(command.process_group(0));
    let mut child = command.spawn().map_err(|error| format!("cannot start {:?}: {error}", command.get_program()))?;
    let output = read_aside(child.stdout.take().expect("the output is a pipe"));
    let complaint = read_aside(child.stderr.take().expect("the complaints are a pipe"));
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if start.elapsed() >= limit {
            kill_group(&child)?;
            child.wait()?;
            // The threads that read are left alone: a program that has left the group may hold the
            // pipes.
            let program = command.get_program().to_string_lossy().into_owned();
            return Err(TooLong { program, limit }.into());
        }
        thread::sleep(LOOK);
    };
    let read = |thread: JoinHandle<Vec<u8>>| thread.join().expect("reading a pipe does not panic");
    judged(command, status, &read(output), &read(complaint))
}

/// Kills `child` and all others of its process group, which it leads.
fn kill_group(child: &Child) -> io::Result<()> {
    let leader = libc::pid_t::try_from(child.id()).expect("process ids are of this type");
    // SAFETY: kill takes numbers and no pointer. The leader is not waited for yet, so that no other
    // group can have its number.
    match unsafe { libc::kill(-leader, libc::SIGKILL) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Has the program killed when the thread that starts it ends: a group of its own gets no Ctrl-C
/// from the terminal, and a program without an end would stay for ever.
#[cfg(target_os = "linux")]
fn end_with_this_process(command: &mut Command) {
    let ask = || {
        // SAFETY: this option takes a number and no pointer.
        match unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as libc::c_ulong) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    };
    // SAFETY: between fork and exec only a system call is made, and errno read.
    unsafe { command.pre_exec(ask) };
}

/// Other systems have no such setting.
#[cfg(not(target_os = "linux"))]
fn end_with_this_process(_command: &mut Command) {}

/// Reads a pipe to its end on a thread of its own, so that its writer is never held up.
fn read_aside(mut pipe: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // The bytes before an error count all the same.
        let _broken = pipe.read_to_end(&mut bytes);
        bytes
    })
}

/// Returns the output of a program that has ended, or its complaint.
fn judged(command: &Command, status: ExitStatus, output: &[u8], complaint: &[u8]) -> Result<String, Failure> {
    if !status.success() {
        let (program, complaint) = (command.get_program().to_string_lossy(), String::from_utf8_lossy(complaint));
        return Err(format!("{program} failed ({status}): {}", complaint.trim_end()).into());
    }
    Ok(String::from_utf8_lossy(output).into_owned())
}

/// A program was killed, since it did not end in time.
#[derive(Debug)]
pub(crate) struct TooLong {
    program: String,
    pub(crate) limit: Duration,
}

impl Display for TooLong {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} had not ended after {:?} and was killed", self.program, self.limit)
    }
}

impl Error for TooLong {}

/// A process that answers orders line by line, until its input ends. Killed when dropped.
#[derive(Debug)]
pub(crate) struct Dialogue {
    name: &'static str,
    child: Child,
    orders: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Dialogue {
    /// Starts `command`, which messages call `name`. Its complaints go to standard error.
    pub(crate) fn start(name: &'static str, command: &mut Command) -> Result<Self, Failure> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot start {:?}: {error}", command.get_program()))?;
        let orders = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().expect("the child's output is a pipe"));
        Ok(Self { name, child, orders, answers })
    }

    pub(crate) fn order(&mut self, line: &str) -> Result<(), Failure> {
        let orders = self.orders.as_mut().expect("the input is open until `finish`");
        Ok(writeln!(orders, "{line}")?)
    }

    /// Waits for a line, and returns `parse`'s reading of it.
    pub(crate) fn answer<T>(&mut self, parse: impl FnOnce(&str) -> Option<T>) -> Result<T, Failure> {
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            return Err(format!("{} ended early ({})", self.name, self.child.wait()?).into());
        }
        let line = line.trim_end();
        parse(line).ok_or_else(|| format!("unexpected answer of {}: {line:?}", self.name).into())
    }

    /// Ends the input and waits until the process has ended.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        drop(self.orders.take());
        match self.child.wait()? {
            status if status.success() => Ok(()),
            status => Err(format!("{} failed ({status})", self.name).into()),
        }
    }
}

impl Drop for Dialogue {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_program_is_named_with_its_complaint() {
        let failure = output_of(Command::new("sh").args(["-c", "echo no luck >&2; exit 3"])).unwrap_err().to_string();
        assert!(failure.starts_with("sh failed") && failure.ends_with("no luck"), "{failure}");
    }

    #[test]
    fn a_program_without_an_end_is_killed_at_its_limit() {
        let limit = Duration::from_millis(20);
        let failure = output_within(Command::new("sleep").arg("1000"), limit).unwrap_err();
        assert_eq!(failure.downcast_ref::<TooLong>().unwrap().limit, limit);
        assert!(failure.to_string().contains("sleep had not ended"), "{failure}");
    }

    #[test]
    fn what_a_killed_program_has_started_is_killed_too() {
        let trace = std::env::temp_dir().join(format!("wsrt-benches-outlived-{}", std::process::id()));
        // The shell waits for another one, which writes the file unless it is killed before.
        let script = format!("sh -c 'sleep 1; echo outlived >{}'; exit", trace.display());
        let failure = output_within(Command::new("sh").args(["-c", &script]), Duration::from_millis(50)).unwrap_err();
        assert!(failure.is::<TooLong>(), "{failure}");
        thread::sleep(Duration::from_millis(1500));
        assert!(!trace.exists(), "{} was written", trace.display());
    }

    #[test]
    fn a_program_that_ends_in_time_has_its_output() {
        let run = |script| output_within(Command::new("sh").args(["-c", script]), Duration::from_secs(1000));
        assert_eq!(run("echo fine").unwrap(), "fine\n");
        assert!(run("echo no luck >&2; exit 3").unwrap_err().to_string().ends_with("no luck"));
    }

    #[test]
    fn an_early_end_and_an_unexpected_answer_are_errors() {
        let start = |script| Dialogue::start("the echo", Command::new("sh").args(["-c", script])).unwrap();
        let mut echo = start("cat");
        echo.order("hello").unwrap();
        assert!(echo.answer(|_| None::<()>).unwrap_err().to_string().contains("\"hello\""));
        echo.finish().unwrap();
        assert!(start("exit 3").answer(|_| Some(())).unwrap_err().to_string().contains("the echo ended early"));
    }
}
