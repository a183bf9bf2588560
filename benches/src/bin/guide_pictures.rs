//! Draws the pictures of the guide, and puts them into `executor/docs`.
//!
//! ```text
//! cargo run -p wsrt-benches --bin guide_pictures
//! ```

use std::io;

fn main() -> io::Result<()> {
    wsrt_benches::guide::write()
}
