//! The files of timelines: a single one, and a directory of segments.

mod encoded_file;
mod lock;
mod segments;

pub use encoded_file::{EncodedFile, FileSummary};
pub use segments::{PAUSE, Segments};
