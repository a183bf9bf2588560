//! The connection of a client: bytes in, bytes out.

use std::future::Future;
use std::io::{self, Read, Write};

use wsrt::net::TcpStream;
use wsrt::task::{JoinHandle, block_in_place, spawn_blocking};

/// How much is read at a time.
const CHUNK: usize = 64 * 1024;

/// A way in and a way out.
pub(super) trait Wire: Send {
    /// Waits for more bytes; none at all mean that there will be no more.
    ///
    /// # Cancel safety
    ///
    /// Loses nothing if it is dropped.
    fn read(&mut self) -> impl Future<Output = io::Result<&[u8]>> + Send;

    /// Writes all of it.
    fn write(&mut self, bytes: &[u8]) -> impl Future<Output = io::Result<()>> + Send;
}

/// A TCP connection.
#[derive(Debug)]
pub(super) struct Socket {
    stream: TcpStream,
    chunk: Vec<u8>,
}

impl Socket {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self { stream, chunk: vec![0; CHUNK] }
    }
}

impl Wire for Socket {
    async fn read(&mut self) -> io::Result<&[u8]> {
        let count = self.stream.read(&mut self.chunk).await?;
        Ok(&self.chunk[..count])
    }

    async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes).await
    }
}

/// Standard input and output. Reading them blocks a thread, so it is one of those that are there
/// for it.
#[derive(Debug, Default)]
pub(super) struct Terminal {
    reading: Option<JoinHandle<io::Result<Vec<u8>>>>,
    chunk: Vec<u8>,
}

impl Wire for Terminal {
    async fn read(&mut self) -> io::Result<&[u8]> {
        let reading = self.reading.get_or_insert_with(|| spawn_blocking(read_standard_input));
        let outcome = reading.await;
        self.reading = None;
        self.chunk = outcome.map_err(io::Error::other)??;
        Ok(&self.chunk)
    }

    async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        block_in_place(|| {
            let mut output = io::stdout().lock();
            output.write_all(bytes)?;
            output.flush()
        })
    }
}

fn read_standard_input() -> io::Result<Vec<u8>> {
    let mut chunk = vec![0; CHUNK];
    let count = io::stdin().lock().read(&mut chunk)?;
    chunk.truncate(count);
    Ok(chunk)
}
