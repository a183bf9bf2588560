//! Runs a simulation test (`wsrt::sim`) with many seeds, and shrinks the fault plan of a seed that
//! fails.
//!
//! Each run of the test is a separate process. The process receives its seeds in `WSRT_SIM_SEED`
//! or `WSRT_SIM_SEEDS` and its fault plan in `WSRT_SIM_PLAN`, and reports failures in the file that
//! `WSRT_SIM_REPORT` names.

mod cargo;
pub mod cli;
mod findings;
mod plan;
mod process;
mod reports;
mod shell;
mod shrinking;
mod sweep;
