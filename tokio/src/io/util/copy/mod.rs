//! Copying from readers to writers.

mod both_ways;
mod buffer;
mod buffered;
mod one_way;

pub use self::both_ways::{copy_bidirectional, copy_bidirectional_with_sizes};
pub use self::buffered::copy_buf;
pub use self::one_way::copy;
