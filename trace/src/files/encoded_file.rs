//! A file with one timeline.

use std::fs::File;
use std::io::{self, Write};

use crate::encode::{EncodeContext, Encoder, EventBatch};

/// A file with a timeline in Perfetto's format, written batch by batch.
#[derive(Debug)]
pub struct EncodedFile {
    encoder: Encoder,
    file: File,
    written: u64,
    bytes: Vec<u8>,
}

/// What a complete file has.
#[derive(Clone, Copy, Debug)]
pub struct FileSummary {
    /// The number of events in the file.
    pub events: u64,
    /// The number of events that were dropped before they could be written.
    pub dropped: u64,
    /// The length of the file in bytes.
    pub bytes: u64,
}

impl EncodedFile {
    /// Creates the timeline of an empty file.
    pub fn begin(file: File) -> Self {
        Self { encoder: Encoder::begin(), file, written: 0, bytes: Vec::new() }
    }

    /// Writes a batch of events.
    ///
    /// # Errors
    ///
    /// Returns the error of the write. The file is of no use then.
    pub fn add(&mut self, batch: &EventBatch, context: EncodeContext<'_>) -> io::Result<()> {
        self.encoder.add(batch, context);
        self.write()
    }

    /// Completes the file: its last batch ends at `until`.
    ///
    /// # Errors
    ///
    /// Returns the error of the write.
    pub fn end(mut self, until: u64, context: EncodeContext<'_>) -> io::Result<FileSummary> {
        self.encoder.end(until, context);
        self.write()?;
        let ((events, dropped), bytes) = (self.encoder.counts(), self.written);
        Ok(FileSummary { events, dropped, bytes })
    }

    /// Returns the number of bytes written so far.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Returns whether there are events in the file.
    pub fn has_events(&self) -> bool {
        self.encoder.counts().0 > 0
    }

    fn write(&mut self) -> io::Result<()> {
        self.encoder.take(&mut self.bytes);
        self.file.write_all(&self.bytes)?;
        self.written += self.bytes.len() as u64;
        Ok(())
    }
}
