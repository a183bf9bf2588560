//! Channels of many senders and one receiver: values in order, room for some of them, and the end.

use super::line::Line;
use super::{Waiting, Wakes, explore, take_any};
use std::collections::VecDeque;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use wsrt_sync::mpsc::error::{SendError, TryRecvError, TrySendError};
use wsrt_sync::mpsc::{OwnedPermit, Receiver, Sender, channel, unbounded_channel};

/// The number of the receiver, among those that are woken.
const RECEIVER: usize = usize::MAX;

#[derive(Default)]
struct Model {
    /// Zero: without a limit.
    capacity: usize,
    room: Line,
    values: VecDeque<usize>,
    /// The receiver has left a waker that was not woken since.
    receiver_waits: bool,
}

impl Model {
    fn wake_receiver(&mut self) {
        if std::mem::take(&mut self.receiver_waits) {
            self.room.wakes.push(RECEIVER);
        }
    }

    fn is_over(&self) -> bool {
        self.room.is_closed && self.room.free == self.capacity
    }

    fn vacate(&mut self, count: usize) {
        if self.capacity > 0 {
            self.room.give(count);
        }
    }

    fn push(&mut self, value: usize) {
        self.values.push_back(value);
        self.wake_receiver();
    }

    /// Room that was asked for was not used: the receiver may wait for that.
    fn end_unused(&mut self) {
        if self.is_over() {
            self.wake_receiver();
        }
    }

    fn sent(&mut self, value: usize, taken: Poll<bool>) -> Poll<Result<(), SendError<usize>>> {
        taken.map(|taken| {
            if taken {
                self.push(value);
                return Ok(());
            }
            self.end_unused();
            Err(SendError(value))
        })
    }

    fn receive(&mut self, limit: usize) -> Poll<Vec<usize>> {
        let count = limit.min(self.values.len());
        if count == 0 && !self.is_over() && limit > 0 {
            self.receiver_waits = true;
            return Poll::Pending;
        }
        let received = self.values.drain(..count).collect();
        self.vacate(count);
        Poll::Ready(received)
    }

    fn try_receive(&mut self) -> Result<usize, TryRecvError> {
        let is_over = self.is_over();
        let value = self.values.pop_front().ok_or(match is_over {
            true => TryRecvError::Disconnected,
            false => TryRecvError::Empty,
        })?;
        self.vacate(1);
        Ok(value)
    }
}

type Sending = Waiting<Result<(), SendError<usize>>>;

struct History {
    sender: Sender<usize>,
    receiver: Receiver<usize>,
    model: Model,
    wakes: Wakes,
    /// With the value that each sends.
    waiting: Vec<(usize, Sending)>,
    reserved: Vec<OwnedPermit<usize>>,
}

impl History {
    fn step(&mut self, id: usize, random: &mut fastrand::Rng) {
        match random.u8(..16) {
            0..=3 => self.send(id),
            4 => self.try_send(id),
            5 => self.reserve(),
            6 => self.use_reserved(id, random),
            7 | 8 => {
                if let Some((value, mut one)) = take_any(random, &mut self.waiting) {
                    let answer = self.wakes.poll(&mut one);
                    let taken = self.model.room.poll(one.id);
                    assert_eq!(answer, self.model.sent(value, taken));
                    self.waiting.extend(answer.is_pending().then_some((value, one)));
                }
            }
            9 => {
                if let Some((_, one)) = take_any(random, &mut self.waiting) {
                    self.model.room.cancel(one.id);
                    self.model.end_unused();
                }
            }
            10 => assert_eq!(self.receiver.try_recv(), self.model.try_receive()),
            11 | 12 => self.receive_many(random.usize(..4)),
            13 | 14 => self.receive(),
            _ if random.u8(..30) == 0 => {
                self.receiver.close();
                self.model.room.close();
            }
            _ => {}
        }
        self.wakes.assert_are(&mut self.model.room.wakes);
        let expected = (self.model.values.len(), self.model.room.free, self.model.room.is_closed);
        assert_eq!((self.receiver.len(), self.sender.capacity(), self.sender.is_closed()), expected);
    }

    fn send(&mut self, id: usize) {
        let sender = self.sender.clone();
        let mut one = Waiting { id, future: Box::pin(async move { sender.send(id).await }) };
        let answer = self.wakes.poll(&mut one);
        let taken = self.model.room.enter(id, 1);
        assert_eq!(answer, self.model.sent(id, taken));
        self.waiting.extend(answer.is_pending().then_some((id, one)));
    }

    fn try_send(&mut self, value: usize) {
        let expected = if self.model.room.try_take(1) {
            self.model.push(value);
            Ok(())
        } else if self.model.room.is_closed {
            Err(TrySendError::Closed(value))
        } else {
            Err(TrySendError::Full(value))
        };
        assert_eq!(self.sender.try_send(value), expected);
    }

    fn reserve(&mut self) {
        let reserved = self.sender.clone().try_reserve_owned().ok();
        assert_eq!(reserved.is_some(), self.model.room.try_take(1));
        self.reserved.extend(reserved);
    }

    fn use_reserved(&mut self, value: usize, random: &mut fastrand::Rng) {
        let Some(reserved) = take_any(random, &mut self.reserved) else { return };
        if random.bool() {
            drop(reserved.send(value));
            self.model.push(value);
        } else {
            drop(reserved);
            self.model.room.give(1);
            self.model.end_unused();
        }
    }

    fn receive(&mut self) {
        let waker = self.wakes.waker(RECEIVER);
        let answer = pin!(self.receiver.recv()).poll(&mut Context::from_waker(&waker));
        self.wakes.discount(RECEIVER, answer.is_ready());
        assert_eq!(answer, self.model.receive(1).map(|values| values.first().copied()));
    }

    fn receive_many(&mut self, limit: usize) {
        let waker = self.wakes.waker(RECEIVER);
        let mut received = Vec::new();
        let answer = pin!(self.receiver.recv_many(&mut received, limit)).poll(&mut Context::from_waker(&waker));
        self.wakes.discount(RECEIVER, answer.is_ready());
        let expected = self.model.receive(limit);
        assert_eq!(answer, expected.clone().map(|values| values.len()));
        assert_eq!(Poll::Ready(received), expected.map_pending(Vec::new()));
    }

    /// All senders go: the receiver gets the rest, and then the end.
    fn end(mut self) {
        drop((self.waiting, self.reserved, self.sender));
        for value in self.model.values {
            assert_eq!(self.receiver.try_recv(), Ok(value));
        }
        assert_eq!(self.receiver.try_recv(), Err(TryRecvError::Disconnected));
    }
}

trait MapPending<T> {
    /// Ready with `value` where it is pending.
    fn map_pending(self, value: T) -> Self;
}

impl<T> MapPending<T> for Poll<T> {
    fn map_pending(self, value: T) -> Self {
        match self {
            Self::Ready(ready) => Self::Ready(ready),
            Self::Pending => Self::Ready(value),
        }
    }
}

#[test]
fn a_bounded_channel_agrees_with_its_model() {
    explore(|random| {
        let capacity = random.usize(1..5);
        let (sender, receiver) = channel(capacity);
        let model = Model { capacity, room: Line::new(capacity), ..Model::default() };
        let (waiting, reserved, wakes) = (Vec::new(), Vec::new(), Wakes::default());
        let mut history = History { sender, receiver, model, wakes, waiting, reserved };
        (0..300).for_each(|id| history.step(id, random));
        history.end();
    });
}

#[test]
fn an_unbounded_channel_agrees_with_its_model() {
    explore(|random| {
        let (sender, mut receiver) = unbounded_channel();
        let (mut model, mut wakes) = (Model::default(), Wakes::default());
        let value = Arc::new(());
        // Long enough for some blocks, and for empty ones.
        let likes_to_send = random.u8(1..7);
        for id in 0..400 {
            match random.u8(..8) {
                step if step < likes_to_send => {
                    let sent = sender.send((id, Arc::clone(&value)));
                    assert_eq!(sent.is_ok(), !model.room.is_closed);
                    if sent.is_ok() {
                        model.push(id);
                    }
                }
                7 if random.u8(..60) == 0 => {
                    receiver.close();
                    model.room.close();
                }
                _ => {
                    let waker = wakes.waker(RECEIVER);
                    let answer = receiver.poll_recv(&mut Context::from_waker(&waker));
                    wakes.discount(RECEIVER, answer.is_ready());
                    let received = answer.map(|received| received.map(|(id, _)| id));
                    assert_eq!(received, model.receive(1).map(|values| values.first().copied()));
                }
            }
            wakes.assert_are(&mut model.room.wakes);
            assert_eq!(receiver.len(), model.values.len());
            assert_eq!(Arc::strong_count(&value), 1 + model.values.len());
        }
        drop(receiver);
        assert_eq!(Arc::strong_count(&value), 1, "its rest is dropped with the receiver");
        assert!(sender.send((0, value)).is_err());
    });
}
