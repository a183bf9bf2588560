//! Extension traits for I/O, and adapters for readers and writers.

mod buf_read;
mod buf_reader;
mod buf_stream;
mod buf_writer;
mod chain;
mod copy;
mod empty;
mod interrupted;
mod pipe;
mod read;
mod ready;
mod repeat;
mod seek;
mod sink;
mod take;
mod text;
mod write;

pub use self::buf_read::AsyncBufReadExt;
pub use self::buf_read::lines::Lines;
pub use self::buf_read::segments::Split;
pub use self::buf_reader::BufReader;
pub use self::buf_stream::BufStream;
pub use self::buf_writer::BufWriter;
pub use self::chain::Chain;
pub use self::copy::{copy, copy_bidirectional, copy_bidirectional_with_sizes, copy_buf};
pub use self::empty::{Empty, empty};
pub use self::pipe::{DuplexStream, SimplexStream, duplex, simplex};
pub use self::read::AsyncReadExt;
pub use self::repeat::{Repeat, repeat};
pub use self::seek::AsyncSeekExt;
pub use self::sink::{Sink, sink};
pub use self::take::Take;
pub use self::write::AsyncWriteExt;

/// The length of a buffer in bytes, unless the user chooses another one.
const BUFFER_SIZE: usize = 8 * 1024;
