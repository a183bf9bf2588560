//! A program from its command line to its exit status.

use std::process::ExitCode;

use super::Arguments;
use crate::Failure;

/// The work that a command line asks for.
pub type Job = Box<dyn FnOnce() -> Result<(), Failure>>;

/// Reads the options of a role; the word is the value of the option that asks for the role.
type Role = fn(String, &mut Arguments) -> Result<Job, Failure>;

/// A program that compares, or, when it was started by itself, has one of its other roles.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// The name in messages.
    pub name: &'static str,
    /// Writes the text of `--help`.
    pub help: fn() -> String,
    /// The other roles, by the options that ask for them.
    pub roles: &'static [(&'static str, Role)],
    /// Reads the options of the comparison.
    pub compare: fn(&mut Arguments) -> Result<Job, Failure>,
}

impl Program {
    /// Does the work that the command line of this process asks for, and prints why it failed.
    pub fn main(&self) -> ExitCode {
        let arguments = Arguments::read(std::env::args_os().skip(1)).map_err(Failure::from);
        match arguments.and_then(|arguments| self.job(arguments)).and_then(|job| job()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(failure) => {
                eprintln!("{}: {failure}", self.name);
                ExitCode::FAILURE
            }
        }
    }

    /// Reads a command line, without the program's name.
    ///
    /// # Errors
    ///
    /// Returns an error that names the argument that is unknown, incomplete or out of range.
    fn job(&self, mut arguments: Arguments) -> Result<Job, Failure> {
        if arguments.flag("--help") || arguments.flag("-h") {
            let text = (self.help)();
            return Ok(Box::new(move || {
                print!("{text}");
                Ok(())
            }));
        }
        for (option, role) in self.roles {
            if let Some(word) = arguments.value(option)? {
                let job = role(word, &mut arguments)?;
                return arguments.finish().map(|()| job);
            }
        }
        let job = (self.compare)(&mut arguments)?;
        arguments.finish().map(|()| job)
    }

    /// Checks that each line is refused with a message that names its culprit.
    #[cfg(test)]
    pub(crate) fn assert_refuses(&self, lines: &[(&str, &str)]) {
        for (line, culprit) in lines {
            let refusal = self.job(Arguments::of(line)).err().expect(line).to_string();
            assert!(refusal.contains(culprit), "{line:?} is refused with {refusal:?}");
        }
    }
}
