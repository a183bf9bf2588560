//! The standard streams of the process.

mod keyboard;
mod output;
mod stdin;
mod writer;

pub use self::output::{Stderr, Stdout, stderr, stdout};
pub use self::stdin::{Stdin, stdin};
