//! One client: it sends a request, waits for the answer, takes it, and may go on.

use std::io::{ErrorKind, Read};
use std::time::{Duration, Instant};

use super::head::{self, Head, Request};
use super::listener::Stream;
use super::outgoing::{Outgoing, Sent};
use crate::answer::Answer;
use crate::pages::Wanted;

/// How long a client may take for the head of a request, from the end of the answer before.
const HEAD_TIME: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(super) struct Connection {
    pub(super) stream: Stream,
    /// What was read and is of no request yet.
    read: Vec<u8>,
    state: State,
    /// When the client last did what it has to do: come, take an answer, take a part of one.
    pub(super) since: Instant,
    /// Whether it has got an answer.
    pub(super) was_served: bool,
}

#[derive(Debug)]
enum State {
    /// The head of a request has not come yet.
    Reading,
    /// A thread makes the answer.
    Waiting {
        wants_body: bool,
        keep_alive: bool,
    },
    Sending {
        outgoing: Box<Outgoing>,
        keep_alive: bool,
    },
}

/// What a connection needs next.
#[derive(Debug)]
pub(super) enum Next {
    /// An event of its socket.
    Event,
    /// The answer to a request.
    Answer(Wanted),
    /// To be closed.
    End,
}

impl Connection {
    pub(super) fn new(stream: Stream) -> Self {
        Self { stream, read: Vec::new(), state: State::Reading, since: Instant::now(), was_served: false }
    }

    /// Returns until when the client has to do something, or `None` if it is not its turn.
    pub(super) fn deadline(&self) -> Option<Instant> {
        match &self.state {
            State::Reading => Some(self.since + HEAD_TIME),
            State::Waiting { .. } => None,
            State::Sending { outgoing, .. } => Some(outgoing.deadline),
        }
    }

    /// Sends an answer to the request that is waiting.
    pub(super) fn answer(&mut self, answer: Answer) {
        if let State::Waiting { wants_body, keep_alive } = self.state {
            self.since = Instant::now();
            let outgoing = Box::new(Outgoing::new(answer, wants_body, keep_alive));
            self.state = State::Sending { outgoing, keep_alive };
        }
    }

    /// Does all that can be done without waiting.
    pub(super) fn advance(&mut self, checks_host: bool) -> Next {
        loop {
            match &mut self.state {
                State::Waiting { .. } => return Next::Event,
                State::Reading => match self.read_head(checks_host) {
                    Ok(Some(Request { wanted, keep_alive })) => {
                        self.state = State::Waiting { wants_body: wanted.wants_body, keep_alive };
                        return Next::Answer(wanted);
                    }
                    // Refused, or more to come.
                    Ok(None) if matches!(self.state, State::Sending { .. }) => {}
                    Ok(None) => return Next::Event,
                    Err(Gone) => return Next::End,
                },
                State::Sending { outgoing, keep_alive } => {
                    let mut moved = false;
                    let sent = outgoing.send(&mut self.stream, &mut moved);
                    if moved {
                        self.since = Instant::now();
                    }
                    match sent {
                        Ok(Sent::Part) => return Next::Event,
                        Ok(Sent::All) if *keep_alive => {
                            self.was_served = true;
                            self.state = State::Reading;
                        }
                        Ok(Sent::All) | Err(_) => return Next::End,
                    }
                }
            }
        }
    }

    /// Returns a request once it is there. A head that is refused leaves an answer to be sent.
    fn read_head(&mut self, checks_host: bool) -> Result<Option<Request>, Gone> {
        let mut buffer = [0; 2048];
        // What came with the request before is looked at first.
        let mut is_new = !self.read.is_empty();
        loop {
            match if is_new { head::parse(&self.read, checks_host) } else { Head::Partial } {
                Head::Partial => {}
                Head::Whole(request, len) => {
                    // A new buffer: the old one may have grown to hold a large head.
                    self.read = self.read.split_off(len);
                    return Ok(Some(request));
                }
                Head::Refused(answer) => {
                    self.state = State::Waiting { wants_body: true, keep_alive: false };
                    self.answer(answer);
                    self.read = Vec::new();
                    return Ok(None);
                }
            }
            match self.stream.read(&mut buffer) {
                Ok(0) => return Err(Gone),
                Ok(count) => self.read.extend_from_slice(&buffer[..count]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(Gone),
            }
            is_new = true;
        }
    }
}

/// The client has closed the connection.
struct Gone;
