//! Other processes: those that print their figures, those that are spoken to, and foreign programs.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

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
    if !output.status.success() {
        let (program, complaint) = (command.get_program().to_string_lossy(), String::from_utf8_lossy(&output.stderr));
        return Err(format!("{program} failed ({}): {}", output.status, complaint.trim_end()).into());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

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
    fn an_early_end_and_an_unexpected_answer_are_errors() {
        let start = |script| Dialogue::start("the echo", Command::new("sh").args(["-c", script])).unwrap();
        let mut echo = start("cat");
        echo.order("hello").unwrap();
        assert!(echo.answer(|_| None::<()>).unwrap_err().to_string().contains("\"hello\""));
        echo.finish().unwrap();
        assert!(start("exit 3").answer(|_| Some(())).unwrap_err().to_string().contains("the echo ended early"));
    }
}
