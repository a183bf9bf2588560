//! The core: the data that the machines of one runtime share, and what they own, with no scheduler
//! in it. Loom models all of it.
//!
//! The functions over this data are the modules beside this folder.
#![cfg_attr(wsrt_loom, allow(dead_code))]

mod alarm;
pub(crate) mod fairness;
pub(crate) mod found;
pub(crate) mod helpers;
pub(crate) mod idle;
pub(crate) mod limits;
pub(crate) mod machine;
pub(crate) mod parker;
pub(crate) mod poll_owner;
pub(crate) mod poll_watch;
pub(crate) mod presence;
pub(crate) mod processor;
pub(crate) mod processors;
pub(crate) mod queue;
pub(crate) mod sleep;
pub(crate) mod watcher_sleep;

#[cfg(all(test, wsrt_loom))]
pub(crate) mod loom_models;
