//! An answer that is being sent.

use std::fmt::Write as _;
use std::io::{self, ErrorKind, Write};
use std::time::{Duration, Instant};

use crate::answer::{Answer, Content, HEADERS, Recorded};

/// The time that each answer has, whatever its length.
const PATIENCE: Duration = Duration::from_secs(5);
/// The least bytes a second that a client takes.
const SLOWEST: u64 = 64 << 10;

/// What is left to be sent.
#[derive(Debug)]
pub(super) struct Outgoing {
    bytes: Vec<u8>,
    sent: usize,
    file: Option<Recorded>,
    /// Until when all of it has to be sent.
    pub(super) deadline: Instant,
}

/// How far a call has come.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sent {
    All,
    /// The client has to take some first.
    Part,
}

impl Outgoing {
    pub(super) fn new(answer: Answer, wants_body: bool, keep_alive: bool) -> Self {
        let mut bytes = head(&answer, keep_alive).into_bytes();
        let len = answer.content.len().unwrap_or(0);
        let mut file = None;
        match answer.content {
            Content::Bytes(body) if wants_body => bytes.extend(body),
            Content::File(recorded) if wants_body => file = Some(recorded),
            _ => {}
        }
        let deadline = Instant::now() + PATIENCE + Duration::from_secs(len / SLOWEST);
        Self { bytes, sent: 0, file, deadline }
    }

    /// Sends as much as `stream` takes. Sets `moved` if it takes any.
    pub(super) fn send(&mut self, stream: &mut impl Write, moved: &mut bool) -> io::Result<Sent> {
        loop {
            while self.sent < self.bytes.len() {
                match stream.write(&self.bytes[self.sent..]) {
                    Ok(0) => return Err(ErrorKind::WriteZero.into()),
                    Ok(count) => {
                        self.sent += count;
                        *moved = true;
                    }
                    Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(Sent::Part),
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
            if !self.refill()? {
                return Ok(Sent::All);
            }
        }
    }

    /// Reads the next piece of the file. Returns `false` at its end.
    fn refill(&mut self) -> io::Result<bool> {
        let Some(recorded) = &mut self.file else { return Ok(false) };
        self.sent = 0;
        recorded.read_piece(&mut self.bytes)?;
        if recorded.len == 0 {
            self.file = None;
        }
        Ok(!self.bytes.is_empty())
    }
}

fn head(answer: &Answer, keep_alive: bool) -> String {
    let (status, reason) = (answer.status.0, answer.status.1);
    let mut head = format!("HTTP/1.1 {status} {reason}\r\ncontent-type: {}\r\n", answer.content_type);
    let mut put = |name: &str, value: &str| _ = write!(head, "{name}: {value}\r\n");
    if let Some(len) = answer.content.len() {
        put("content-length", &len.to_string());
    }
    HEADERS.iter().for_each(|(name, value)| put(name, value));
    if let Some(disposition) = answer.disposition() {
        put("content-disposition", &disposition);
    }
    put("connection", if keep_alive { "keep-alive" } else { "close" });
    head.push_str("\r\n");
    head
}
