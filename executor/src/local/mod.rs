//! Tasks that stay on their thread, of a `LocalSet` or of a current-thread runtime.

pub(crate) mod beside;
pub(crate) mod tasks;
