//! sysmon: the watcher thread, which puts spare processors in for stuck polls.

pub(crate) mod cpu_meter;
mod patrol;
mod quota;
pub(crate) mod reporter;
pub(crate) mod stall;
pub(crate) mod watcher;
