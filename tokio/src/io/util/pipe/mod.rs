//! In-memory pipes.

mod duplex;
mod simplex;

pub use self::duplex::{DuplexStream, duplex};
pub use self::simplex::{SimplexStream, simplex};
