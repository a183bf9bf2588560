//! Notifications: one is kept, and one that comes too late passes to the next waiter.

use super::{Wakes, explore};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use wsrt_sync::{Notify, OwnedNotified};

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    /// Made after so many calls for all.
    Fresh(usize),
    /// In line; woken by a waker, or by none where it was enabled only.
    InLine {
        has_waker: bool,
    },
    GivenOne {
        is_last: bool,
    },
    Ready,
}

#[derive(Default)]
struct Model {
    is_kept: bool,
    calls: usize,
    line: Vec<usize>,
    states: Vec<State>,
    wakes: Vec<usize>,
}

impl Model {
    fn notify(&mut self, is_last: bool) {
        if self.line.is_empty() {
            self.is_kept = true;
            return;
        }
        let id = if is_last { self.line.pop().unwrap() } else { self.line.remove(0) };
        self.give(id, State::GivenOne { is_last });
    }

    fn notify_all(&mut self) {
        self.calls += 1;
        for id in std::mem::take(&mut self.line) {
            self.give(id, State::Ready);
        }
    }

    fn give(&mut self, id: usize, given: State) {
        if self.states[id] == (State::InLine { has_waker: true }) {
            self.wakes.push(id);
        }
        self.states[id] = given;
    }

    fn poll(&mut self, id: usize, has_waker: bool) -> bool {
        self.states[id] = match self.states[id] {
            State::Fresh(calls) if calls != self.calls => State::Ready,
            State::Fresh(_) if std::mem::take(&mut self.is_kept) => State::Ready,
            State::Fresh(_) => {
                self.line.push(id);
                State::InLine { has_waker }
            }
            State::InLine { .. } => State::InLine { has_waker },
            State::GivenOne { .. } | State::Ready => State::Ready,
        };
        self.states[id] == State::Ready
    }

    fn cancel(&mut self, id: usize) {
        self.line.retain(|waiter| *waiter != id);
        if let State::GivenOne { is_last } = self.states[id] {
            self.notify(is_last);
        }
        self.states[id] = State::Ready;
    }
}

#[test]
fn notify_agrees_with_its_model() {
    explore(|random| {
        let (notify, mut model, mut wakes) = (Arc::new(Notify::new()), Model::default(), Wakes::default());
        let mut waiting: Vec<(usize, Pin<Box<OwnedNotified>>)> = Vec::new();
        for _ in 0..200 {
            let at = random.usize(..waiting.len().max(1));
            match random.u8(..10) {
                0..=2 => {
                    waiting.push((model.states.len(), Box::pin(Arc::clone(&notify).notified_owned())));
                    model.states.push(State::Fresh(model.calls));
                }
                3 | 4 if !waiting.is_empty() => {
                    let (id, future) = &mut waiting[at];
                    let waker = wakes.waker(*id);
                    let is_ready = future.as_mut().poll(&mut Context::from_waker(&waker)).is_ready();
                    assert_eq!(is_ready, model.poll(*id, true));
                }
                5 if !waiting.is_empty() => {
                    let (id, future) = &mut waiting[at];
                    assert_eq!(future.as_mut().enable(), model.poll(*id, false));
                }
                6 if !waiting.is_empty() => {
                    let (id, future) = waiting.swap_remove(at);
                    drop(future);
                    model.cancel(id);
                }
                7 => {
                    notify.notify_one();
                    model.notify(false);
                }
                8 => {
                    notify.notify_last();
                    model.notify(true);
                }
                9 => {
                    notify.notify_waiters();
                    model.notify_all();
                }
                _ => {}
            }
            wakes.assert_are(&mut model.wakes);
        }
        for (id, future) in waiting {
            drop(future);
            model.cancel(id);
        }
        let mut last: Pin<Box<dyn Future<Output = ()>>> = Box::pin(notify.notified());
        let is_kept = last.as_mut().poll(&mut Context::from_waker(&wakes.waker(0))) == Poll::Ready(());
        assert_eq!(is_kept, model.is_kept);
    });
}
