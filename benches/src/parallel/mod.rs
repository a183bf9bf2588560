//! Fork-join and parallel loops: wsrt, rayon, OpenMP, oneTBB and a shared queue of threads on the same work in the same run.
//!
//! As in [`compare`](crate::compare), each measurement happens in a process of its own, on the first cores that this one may
//! use, and the subjects take turns. Within a process serial and parallel runs take turns too, so that an efficiency, serial
//! time ÷ (processors × time), compares what was measured within milliseconds.
//!
//! From top to bottom: [`cli`] reads the command line; [`compare`] starts the children and collects; [`sections`] is the list
//! of what is measured; [`ceiling`], [`loops`], [`scenarios`], [`fib`] and [`mixed`] measure, on [`pools`] and [`cpp`], with
//! [`spin`], [`costs`] and [`rhythm`]; [`table`] and [`plot`] show.

use crate::Failure;

mod ceiling;
mod cli;
mod compare;
mod costs;
mod cpp;
mod fib;
mod loops;
mod mixed;
mod plot;
mod pools;
mod request;
mod results;
mod rhythm;
mod scenarios;
mod sections;
mod series;
mod spin;
mod table;

/// Is the program: the parent that compares, or one of the processes that it starts.
///
/// # Errors
///
/// Returns an error that names the argument that is wrong, or what went wrong with a measurement.
pub fn run(arguments: impl Iterator<Item = String>) -> Result<(), Failure> {
    match cli::parse(arguments)? {
        cli::Command::Help => {
            print!("{}", cli::help());
            Ok(())
        }
        cli::Command::Compare(options) => compare::run(&options),
        cli::Command::Child(request) => compare::serve(&request),
        cli::Command::Pace(pace) => mixed::pacer::serve(&pace),
    }
}
