//! The process's standard streams.

use super::door::{read_through_door, write_through_door};

pub use wsrt::io::{Stderr, Stdin, Stdout, stderr, stdin, stdout};

read_through_door!(Stdin);
write_through_door!(Stdout, Stderr);
