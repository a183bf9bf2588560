//! Building a runtime, running futures on it, and ending it.

mod builder;
mod drain;
mod handle;
#[allow(clippy::module_inception)]
mod runtime;

pub use builder::Builder;
pub use drain::{Drained, LeftTask};
pub use handle::{EnterGuard, Handle, TryCurrentError};
pub use runtime::Runtime;

pub use crate::policy::stall::Stall;
