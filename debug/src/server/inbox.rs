//! Answers on their way from the threads that make them to the thread that sends them.

use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mio::{Token, Waker};

use crate::answer::Answer;
use crate::making::Makers;
use crate::pages::Wanted;

#[derive(Debug)]
pub(super) struct Inbox {
    waker: Waker,
    makers: Makers,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    answers: Vec<(Token, Answer)>,
    is_over: bool,
}

impl Inbox {
    pub(super) fn new(waker: Waker) -> Self {
        Self { waker, makers: Makers::default(), state: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has a thread make the answer for the connection `token`. Returns a refusal if there is none.
    pub(super) fn ask(self: &Arc<Self>, token: Token, wanted: Wanted) -> Result<(), Answer> {
        let inbox = Arc::clone(self);
        self.makers.make(wanted, Arc::default(), move |answer| inbox.put(token, answer))
    }

    fn put(&self, token: Token, answer: Answer) {
        {
            let mut state = self.lock();
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
