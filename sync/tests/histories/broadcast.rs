//! Channels in which each receiver gets each value, or learns how many it has lost.

use super::{Waiting, Wakes, explore, take_any};
use std::sync::Arc;
use std::task::Poll;
use wsrt_sync::broadcast::error::{RecvError, TryRecvError};
use wsrt_sync::broadcast::{Receiver, Sender, channel};

/// A value, which counts its copies.
type Value = (usize, Arc<()>);

/// A receiver, with the position of its next value.
type Reader = (usize, Receiver<Value>);

type Reading = (usize, Waiting<(Result<usize, RecvError>, Receiver<Value>)>);

const CAPACITY: usize = 4;

struct History {
    sender: Option<Sender<Value>>,
    copies: Arc<()>,
    sent: Vec<usize>,
    idle: Vec<Reader>,
    waiting: Vec<Reading>,
    line: Vec<usize>,
    wakes: Wakes,
    expected: Vec<usize>,
}

impl History {
    fn step(&mut self, id: usize, random: &mut fastrand::Rng) {
        match random.u8(..12) {
            0..=2 => self.send(id),
            3 => {
                let Some(sender) = &self.sender else { return };
                self.idle.push((self.sent.len(), sender.subscribe()));
            }
            4 | 5 => {
                if let Some((next, mut receiver)) = take_any(random, &mut self.idle) {
                    let future = Box::pin(async move {
                        let received = receiver.recv().await.map(|(id, _)| id);
                        (received, receiver)
                    });
                    self.poll(next, Waiting { id, future });
                }
            }
            6..=8 => {
                if let Some((next, waiting)) = take_any(random, &mut self.waiting) {
                    self.poll(next, waiting);
                }
            }
            9 => self.try_receive(random),
            10 => {
                if let Some((_, waiting)) = take_any(random, &mut self.waiting) {
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
        self.assert_values_are_kept();
    }

    /// The channel keeps the values that a receiver has yet to receive, and drops the others.
    fn assert_values_are_kept(&self) {
        let nexts = self.idle.iter().map(|(next, _)| *next).chain(self.waiting.iter().map(|(next, _)| *next));
        let kept = nexts.map(|next| self.sent.len() - next.max(self.oldest())).max().unwrap_or(0);
        assert_eq!(Arc::strong_count(&self.copies), 1 + kept);
        if let Some(sender) = &self.sender {
            assert_eq!((sender.len(), sender.is_empty()), (kept, kept == 0));
        }
    }

    /// The position of the oldest value that is not overwritten.
    fn oldest(&self) -> usize {
        self.sent.len().saturating_sub(CAPACITY)
    }

    fn send(&mut self, id: usize) {
        let Some(sender) = &self.sender else { return };
        let receivers = self.idle.len() + self.waiting.len();
        let sent = sender.send((id, Arc::clone(&self.copies))).ok();
        assert_eq!(sent, (receivers > 0).then_some(receivers));
        if sent.is_some() {
            self.sent.push(id);
            self.expected.append(&mut self.line);
        }
    }

    /// The answer to a receiver, and its next position.
    fn receive(&self, next: usize) -> (Result<usize, TryRecvError>, usize) {
        let oldest = self.oldest();
        match self.sent.get(next) {
            _ if next < oldest => (Err(TryRecvError::Lagged((oldest - next) as u64)), oldest),
            Some(id) => (Ok(*id), next + 1),
            None if self.sender.is_none() => (Err(TryRecvError::Closed), next),
            None => (Err(TryRecvError::Empty), next),
        }
    }

    fn poll(&mut self, next: usize, mut waiting: Waiting<(Result<usize, RecvError>, Receiver<Value>)>) {
        let (expected, after) = self.receive(next);
        match self.wakes.poll(&mut waiting) {
            Poll::Ready((received, receiver)) => {
                assert_eq!(received.map_err(as_tried), expected);
                self.idle.push((after, receiver));
            }
            Poll::Pending => {
                assert_eq!(expected, Err(TryRecvError::Empty));
                if !self.line.contains(&waiting.id) {
                    self.line.push(waiting.id);
                }
                self.waiting.push((next, waiting));
            }
        }
    }

    fn try_receive(&mut self, random: &mut fastrand::Rng) {
        let Some((next, mut receiver)) = take_any(random, &mut self.idle) else { return };
        let (expected, after) = self.receive(next);
        assert_eq!(receiver.len(), self.sent.len() - next);
        assert_eq!(receiver.try_recv().map(|(id, _)| id), expected);
        self.idle.push((after, receiver));
    }
}

#[test]
fn a_broadcast_channel_agrees_with_its_model() {
    explore(|random| {
        let (sender, receiver) = channel(CAPACITY);
        let mut history = History {
            sender: Some(sender),
            copies: Arc::new(()),
            sent: Vec::new(),
            idle: vec![(0, receiver)],
            waiting: Vec::new(),
            line: Vec::new(),
            wakes: Wakes::default(),
            expected: Vec::new(),
        };
        (0..200).for_each(|id| history.step(id, random));
    });
}

fn as_tried(error: RecvError) -> TryRecvError {
    match error {
        RecvError::Closed => TryRecvError::Closed,
        RecvError::Lagged(count) => TryRecvError::Lagged(count),
    }
}
