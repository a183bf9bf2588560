//! The loop of the server's thread: who comes, who is heard, and who is closed.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use mio::{Events, Poll, Token, Waker};

use super::connection::{Connection, Next};
use super::inbox::Inbox;
use super::listener::Listener;

/// The most connections. The program's own may need the descriptors.
const MOST_CONNECTIONS: usize = 256;
/// The most connections that are accepted before others are heard.
const MOST_AT_ONCE: usize = 16;
/// How long to wait when no descriptor can be had, and for the first request of a connection before
/// others may take its place.
const PAUSE: Duration = Duration::from_millis(10);

const LISTENER: Token = Token(0);
const INBOX: Token = Token(1);
const FIRST_CLIENT: usize = 2;

#[derive(Debug)]
pub(super) struct Reception {
    poll: Poll,
    listener: Listener,
    inbox: Arc<Inbox>,
    checks_host: bool,
    /// In the order in which they came.
    connections: BTreeMap<usize, Connection>,
    next: usize,
    /// Whether more may be waiting to be accepted.
    more: bool,
}

impl Reception {
    pub(super) fn new(mut listener: Listener, checks_host: bool) -> io::Result<(Self, Arc<Inbox>)> {
        let poll = Poll::new()?;
        listener.register(poll.registry(), LISTENER)?;
        let inbox = Arc::new(Inbox::new(Waker::new(poll.registry(), INBOX)?));
        let (connections, next) = (BTreeMap::new(), FIRST_CLIENT);
        let reception = Self { poll, listener, inbox: Arc::clone(&inbox), checks_host, connections, next, more: true };
        Ok((reception, inbox))
    }

    /// Serves until the inbox ends.
    pub(super) fn run(mut self) {
        let mut events = Events::with_capacity(MOST_CONNECTIONS);
        while let Some(answers) = self.inbox.take() {
            for (token, answer) in answers {
                // Its client may have gone.
                if let Some(connection) = self.connections.get_mut(&token.0) {
                    connection.answer(answer);
                    self.advance(token.0);
                }
            }
            // Those whose requests have come are heard before one of them has to go.
            for event in &events {
                match event.token() {
                    LISTENER => self.more = true,
                    INBOX => {}
                    Token(number) => self.advance(number),
                }
            }
            self.accept();
            self.close_late();
            if let Err(error) = self.poll.poll(&mut events, self.longest_wait()) {
                events.clear();
                if error.kind() != ErrorKind::Interrupted {
                    // Not for ever, and not all of the CPU.
                    thread::sleep(PAUSE);
                }
            }
        }
    }

    fn accept(&mut self) {
        for _ in 0..MOST_AT_ONCE {
            if !self.more {
                return;
            }
            match self.listener.accept() {
                Ok(mut stream) => {
                    let number = self.next;
                    self.next += 1;
                    if stream.register(self.poll.registry(), Token(number)).is_ok() {
                        self.make_room();
                        self.connections.insert(number, Connection::new(stream));
                        self.advance(number);
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.more = false,
                Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::ConnectionAborted) => {}
                // No descriptor is left, as a rule. The next event may never come, so `more` stays.
                Err(_) => return thread::sleep(PAUSE),
            }
        }
    }

    /// Closes a connection if there are too many: of those that never got an answer the one that
    /// has been silent for longest, then of all. One whose answer is being made stays, and one that
    /// has just come goes last: its request is on the way.
    fn make_room(&mut self) {
        if self.connections.len() < MOST_CONNECTIONS {
            return;
        }
        let silent = self.connections.iter().filter(|(_, connection)| connection.deadline().is_some());
        let longest = silent.min_by_key(|(_, connection)| {
            let has_just_come = !connection.was_served && connection.since.elapsed() < PAUSE;
            (has_just_come, connection.was_served, connection.since)
        });
        if let Some(number) = longest.map(|(number, _)| *number) {
            self.close(number);
        }
    }

    fn advance(&mut self, number: usize) {
        // Closed since its event.
        let Some(connection) = self.connections.get_mut(&number) else { return };
        loop {
            match connection.advance(self.checks_host) {
                Next::Event => return,
                Next::End => return self.close(number),
                Next::Answer(wanted) => match self.inbox.ask(Token(number), wanted) {
                    Ok(()) => return,
                    Err(refusal) => connection.answer(refusal),
                },
            }
        }
    }

    fn close(&mut self, number: usize) {
        if let Some(mut connection) = self.connections.remove(&number) {
            connection.stream.deregister(self.poll.registry());
        }
    }

    fn close_late(&mut self) {
        let now = Instant::now();
        let is_late = |connection: &Connection| connection.deadline().is_some_and(|deadline| deadline <= now);
        let late = self.connections.iter().filter(|(_, connection)| is_late(connection));
        let late: Vec<usize> = late.map(|(number, _)| *number).collect();
        late.into_iter().for_each(|number| self.close(number));
    }

    fn longest_wait(&self) -> Option<Duration> {
        if self.more {
            return Some(Duration::ZERO);
        }
        let first = self.connections.values().filter_map(Connection::deadline).min()?;
        Some(first.saturating_duration_since(Instant::now()))
    }
}
