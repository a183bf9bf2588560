//! Other systems: nobody can be told which cores to use, so that the system's own choice is what is measured.

use std::thread;

use crate::Failure;

/// Answers as many numbers as this process may use cores.
///
/// # Errors
///
/// Returns an error if the system does not know.
pub(crate) fn allowed() -> Result<Vec<usize>, Failure> {
    Ok((0..thread::available_parallelism()?.get()).collect())
}

/// Does nothing, and cannot fail.
pub(crate) fn stay_on(_cores: &[usize]) -> Result<(), Failure> {
    Ok(())
}
