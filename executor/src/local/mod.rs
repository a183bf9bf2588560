//! Tasks that stay on their thread: those of a `LocalSet`, and those of a current-thread runtime.

pub(crate) mod beside;
pub(crate) mod tasks;
