//! Answers on their way from the threads that make them to the thread that sends them.

use std::io;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use mio::{Token, Waker};

use crate::answer::{Answer, BUSY, FAILED};
use crate::pages;

/// The most answers that are made at a time.
const MOST_THREADS: usize = 16;

#[derive(Debug)]
pub(super) struct Inbox {
    waker: Waker,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    answers: Vec<(Token, Answer)>,
    threads: usize,
    is_over: bool,
}

impl Inbox {
    pub(super) fn new(waker: Waker) -> Self {
        Self { waker, state: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has a thread make the answer for the connection `token`. Returns an answer that says why
    /// not if none can be had.
    pub(super) fn ask(self: &Arc<Self>, token: Token, target: String) -> Result<(), Answer> {
        {
            let mut state = self.lock();
            if state.threads == MOST_THREADS {
                return Err(Answer::refusal(BUSY, format!("{MOST_THREADS} answers are being made: ask again")));
            }
            state.threads += 1;
        }
        let inbox = Arc::clone(self);
        let make = move || {
            let answer = catch_unwind(AssertUnwindSafe(|| pages::answer(&target, "")));
            let failed = |_| Answer::refusal(FAILED, "this page has panicked: see the program's standard error");
            inbox.put(token, answer.unwrap_or_else(failed));
        };
        let thread = thread::Builder::new().name("wsrt-debug-page".into()).spawn(make);
        thread.map(drop).map_err(|error: io::Error| {
            self.lock().threads -= 1;
            Answer::refusal(BUSY, format!("no thread can be had for the answer: {error}"))
        })
    }

    fn put(&self, token: Token, answer: Answer) {
        {
            let mut state = self.lock();
            state.threads -= 1;
            if state.is_over {
                return;
            }
            state.answers.push((token, answer));
        }
        self.wake();
    }

    /// Takes the answers that are there, or returns `None` once the server is to end.
    pub(super) fn take(&self) -> Option<Vec<(Token, Answer)>> {
        let mut state = self.lock();
        (!state.is_over).then(|| mem::take(&mut state.answers))
    }

    pub(super) fn end(&self) {
        self.lock().is_over = true;
        self.wake();
    }

    fn wake(&self) {
        // It fails where the system has no memory for an event. Then the next event of any other
        // kind, or the next time limit, wakes the thread.
        let _ = self.waker.wake();
    }
}
