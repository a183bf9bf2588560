//! Channels that keep the last value: each receiver sees whether it has changed.

use super::{Waiting, Wakes, explore, take_any};
use std::task::Poll;
use wsrt_sync::watch::{Receiver, Sender, channel};

/// A receiver, with the version that it has seen.
type Watcher = (usize, Receiver<usize>);

/// One that waits for a change or for a value that is a multiple of seven; true for the latter.
type Watching = (usize, bool, Waiting<(bool, Receiver<usize>)>);

struct History {
    sender: Option<Sender<usize>>,
    version: usize,
    value: usize,
    idle: Vec<Watcher>,
    waiting: Vec<Watching>,
    /// Waits for a change, in this order.
    line: Vec<usize>,
    wakes: Wakes,
    expected: Vec<usize>,
}

impl History {
    fn step(&mut self, id: usize, random: &mut fastrand::Rng) {
        match random.u8(..12) {
            0..=2 => self.send(id, random.bool()),
            3 => {
                let Some(sender) = &self.sender else { return };
                self.idle.push((self.version, sender.subscribe()));
            }
            4 | 5 => {
                if let Some((seen, mut receiver)) = take_any(random, &mut self.idle) {
                    let wants_seven = random.bool();
                    let future = Box::pin(async move {
                        let is_ok = match wants_seven {
                            true => receiver.wait_for(|value| value % 7 == 0).await.is_ok(),
                            false => receiver.changed().await.is_ok(),
                        };
                        (is_ok, receiver)
                    });
                    self.poll(seen, wants_seven, true, Waiting { id, future });
                }
            }
            6..=8 => {
                if let Some((seen, wants_seven, waiting)) = take_any(random, &mut self.waiting) {
                    self.poll(seen, wants_seven, false, waiting);
                }
            }
            9 => self.look(random),
            10 => {
                if let Some((_, _, waiting)) = take_any(random, &mut self.waiting) {
                    self.line.retain(|waiter| *waiter != waiting.id);
                }
            }
            _ if random.u8(..20) == 0 => {
                if self.sender.take().is_some() {
                    self.expected.append(&mut self.line);
                }
            }
            _ => drop(take_any(random, &mut self.idle)),
        }
        self.wakes.assert_are(&mut self.expected);
        if let Some(sender) = &self.sender {
            assert_eq!(sender.receiver_count(), self.idle.len() + self.waiting.len());
        }
    }

    fn send(&mut self, value: usize, by_modifying: bool) {
        let Some(sender) = &self.sender else { return };
        let is_sent = if by_modifying {
            sender.send_if_modified(|old| {
                *old = value;
                value % 2 == 0
            })
        } else {
            sender.send(value).is_ok()
        };
        let is_watched = !self.idle.is_empty() || !self.waiting.is_empty();
        assert_eq!(is_sent, if by_modifying { value % 2 == 0 } else { is_watched });
        if is_sent {
            self.version += 1;
            self.expected.append(&mut self.line);
        }
        if is_sent || by_modifying {
            self.value = value;
        }
    }

    fn poll(&mut self, seen: usize, wants_seven: bool, is_first: bool, mut waiting: Waiting<(bool, Receiver<usize>)>) {
        let answer = self.wakes.poll(&mut waiting);
        let has_changed = seen != self.version;
        let is_closed = self.sender.is_none();
        // `wait_for` looks at once, and then at each new version. So its first look alone finds a
        // value that was modified without a new version.
        let is_found = has_changed || wants_seven && is_first;
        let does = !wants_seven || self.value % 7 == 0;
        let expected = match (is_found && does, is_closed) {
            (true, _) => Poll::Ready(true),
            (false, true) => Poll::Ready(false),
            (false, false) => Poll::Pending,
        };
        match answer {
            Poll::Ready((is_ok, receiver)) => {
                assert_eq!(Poll::Ready(is_ok), expected);
                let seen = if wants_seven || is_ok { self.version } else { seen };
                self.idle.push((seen, receiver));
            }
            Poll::Pending => {
                assert_eq!(expected, Poll::Pending);
                if !self.line.contains(&waiting.id) {
                    self.line.push(waiting.id);
                }
                self.waiting.push((self.version, wants_seven, waiting));
            }
        }
    }

    fn look(&mut self, random: &mut fastrand::Rng) {
        let Some((mut seen, mut receiver)) = take_any(random, &mut self.idle) else { return };
        assert_eq!(receiver.has_changed().ok(), self.sender.is_some().then_some(seen != self.version));
        let borrowed = receiver.borrow();
        assert_eq!((*borrowed, borrowed.has_changed()), (self.value, seen != self.version));
        drop(borrowed);
        match random.u8(..3) {
            0 => {
                assert_eq!(*receiver.borrow_and_update(), self.value);
                seen = self.version;
            }
            1 => {
                receiver.mark_unchanged();
                seen = self.version;
            }
            _ => {}
        }
        self.idle.push((seen, receiver));
    }
}

#[test]
fn a_watch_channel_agrees_with_its_model() {
    explore(|random| {
        let (sender, receiver) = channel(0);
        let mut history = History {
            sender: Some(sender),
            version: 0,
            value: 0,
            idle: vec![(0, receiver)],
            waiting: Vec::new(),
            line: Vec::new(),
            wakes: Wakes::default(),
            expected: Vec::new(),
        };
        (1..200).for_each(|id| history.step(id, random));
    });
}
