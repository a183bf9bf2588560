//! Tasks that stay on their thread, spawned on a `LocalSet` or a current-thread runtime.

pub(crate) mod beside;
pub(crate) mod tasks;
