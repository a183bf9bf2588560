//! The list of programs.

use crate::spawning;

/// A program, and its name.
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) main: fn(),
}

/// Every program.
pub(crate) const PROGRAMS: &[Program] = &[Program { name: "spawn_and_join", main: spawning::spawn_and_join }];
