//! A cluster node: work stealing between machines, asked for by JSON messages, on wsrt.
//!
//! | module | contents |
//! |---|---|
//! | [`protocol`] | bytes to commands, replies to bytes |
//! | [`store`] | where the jobs are: in memory, or in a Redis that many processes share |
//! | [`node`] | a command in, a reply out |
//! | [`server`] | clients on standard input or a port |
//! | [`worker`], [`job`] | a worker of the cluster, and its work on a job |
//! | [`simulation`] | the worth of stealing, tried out |
//! | [`arguments`] | the command line |
//!
//! `docs/CLUSTER.md` has the messages and the promises.

pub mod arguments;
pub mod job;
pub mod node;
pub mod protocol;
pub mod server;
pub mod simulation;
pub mod store;
pub mod worker;
