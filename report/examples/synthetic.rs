//! Writes the trace of a server that never ran, as long as you like:
//! `cargo run --release -p wsrt-report --example synthetic -- 1000000 demo.perfetto-trace`.

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};

#[path = "../tests/support/mod.rs"]
mod support;

use support::program::Program;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(polls), Some(path), None) = (arguments.next(), arguments.next(), arguments.next()) else {
        return Err("how many polls, and into which file?".into());
    };
    let polls = polls.parse().map_err(|_| format!("`{polls}` is no number of polls"))?;
    let mut file = BufWriter::new(File::create(&path).map_err(|error| format!("cannot write `{path}`: {error}"))?);
    let mut result = Ok(());
    Program::usual(polls).run(|part| {
        if result.is_ok() {
            result = file.write_all(part);
        }
    });
    Ok(result.and_then(|()| file.flush())?)
}
