//! Channels for one value: it arrives, or comes back, or is dropped once.

use super::{Wakes, explore};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use wsrt_sync::oneshot::error::TryRecvError;
use wsrt_sync::oneshot::{Receiver, Sender, channel};

const RECEIVER: usize = 0;
const SENDER: usize = 1;

#[derive(Default)]
struct Model {
    /// The sender is done, with a value or without.
    is_sent: bool,
    is_closed: bool,
    has_value: bool,
    receiver_waits: bool,
    sender_waits: bool,
    wakes: Vec<usize>,
}

impl Model {
    /// The sender is done. True if that counts.
    fn complete(&mut self, has_value: bool) -> bool {
        if self.is_closed {
            return false;
        }
        self.is_sent = true;
        self.has_value = has_value;
        if self.receiver_waits {
            self.wakes.push(RECEIVER);
        }
        true
    }

    fn close(&mut self) {
        if self.sender_waits && !self.is_sent && !self.is_closed {
            self.wakes.push(SENDER);
        }
        self.is_closed = true;
    }
}

struct History {
    sender: Option<Sender<Arc<()>>>,
    receiver: Option<Receiver<Arc<()>>>,
    value: Arc<()>,
    model: Model,
    wakes: Wakes,
}

impl History {
    fn step(&mut self, random: &mut fastrand::Rng) {
        match random.u8(..9) {
            0 => {
                if let Some(sender) = self.sender.take() {
                    let is_sent = sender.send(Arc::clone(&self.value)).is_ok();
                    assert_eq!(is_sent, self.model.complete(true));
                }
            }
            1 if random.bool() && self.sender.take().is_some() => {
                self.model.complete(false);
            }
            2 | 3 => self.poll_closed(),
            4 | 5 => self.poll_receiver(),
            6 => self.try_receive(),
            7 if random.bool() => {
                if let Some(receiver) = &mut self.receiver {
                    receiver.close();
                    self.model.close();
                }
            }
            8 if random.bool() && self.receiver.take().is_some() => {
                self.model.close();
                self.model.has_value = false;
            }
            _ => {}
        }
        self.wakes.assert_are(&mut self.model.wakes);
        assert_eq!(Arc::strong_count(&self.value), 1 + usize::from(self.model.has_value));
    }

    fn poll_closed(&mut self) {
        let Some(sender) = &mut self.sender else { return };
        assert_eq!(sender.is_closed(), self.model.is_closed);
        let waker = self.wakes.waker(SENDER);
        let answer = sender.poll_closed(&mut Context::from_waker(&waker));
        assert_eq!(answer.is_ready(), self.model.is_closed);
        self.model.sender_waits |= answer.is_pending();
    }

    fn poll_receiver(&mut self) {
        let Some(receiver) = &mut self.receiver else { return };
        let waker = self.wakes.waker(RECEIVER);
        let answer = Pin::new(receiver).poll(&mut Context::from_waker(&waker));
        assert_eq!(answer.is_ready(), self.model.is_sent || self.model.is_closed);
        match answer {
            Poll::Ready(outcome) => {
                assert_eq!(outcome.is_ok(), std::mem::take(&mut self.model.has_value));
                self.receiver = None;
                self.model.close();
            }
            Poll::Pending => self.model.receiver_waits = true,
        }
    }

    fn try_receive(&mut self) {
        let Some(receiver) = &mut self.receiver else { return };
        assert_eq!(receiver.is_empty(), !self.model.has_value);
        let expected = if std::mem::take(&mut self.model.has_value) {
            Ok(())
        } else if self.model.is_sent || self.model.is_closed {
            Err(TryRecvError::Closed)
        } else {
            Err(TryRecvError::Empty)
        };
        assert_eq!(receiver.try_recv().map(drop), expected);
        if expected != Err(TryRecvError::Empty) {
            assert!(receiver.is_terminated());
            self.receiver = None;
            self.model.close();
        }
    }
}

#[test]
fn a_oneshot_channel_agrees_with_its_model() {
    explore(|random| {
        for _ in 0..10 {
            let (sender, receiver) = channel();
            let (value, model, wakes) = (Arc::new(()), Model::default(), Wakes::default());
            let mut history = History { sender: Some(sender), receiver: Some(receiver), value, model, wakes };
            (0..20).for_each(|_| history.step(random));
        }
    });
}
