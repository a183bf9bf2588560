//! Other systems: a process cannot choose its cores, and the figures are those of the system's
//! choice.

use std::thread;

use crate::Failure;

/// Returns as many numbers as this process may use cores.
pub(crate) fn allowed() -> Result<Vec<usize>, Failure> {
    Ok((0..thread::available_parallelism()?.get()).collect())
}

/// Does nothing, and cannot fail.
pub(crate) fn stay_on(_cores: &[usize]) -> Result<(), Failure> {
    Ok(())
}
