//! Runs a test of a simulation (`wsrt::sim`) by many seeds, and shrinks the plan of the faults of
//! one that fails.
//!
//! The test is run in processes. It learns the seeds from `WSRT_SIM_SEED` or `WSRT_SIM_SEEDS`, the
//! plan from `WSRT_SIM_PLAN`, and tells of its failures in the file that `WSRT_SIM_REPORT` names.

mod cargo;
pub mod cli;
mod findings;
mod plan;
mod process;
mod reports;
mod shell;
mod shrinking;
mod sweep;
