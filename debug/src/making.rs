//! Threads that make answers, and how many may be at work at a time.

use std::borrow::Borrow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;

use crate::answer::{Answer, BUSY};
use crate::pages::{self, Wanted};

/// The most answers that are made at a time.
const MOST_THREADS: usize = 16;

/// Counts one of a limited number until it is dropped. Relaxed: it is a number, and guards nothing.
#[derive(Debug)]
pub(crate) struct Counted<C: Borrow<AtomicUsize>>(C);

impl<C: Borrow<AtomicUsize>> Counted<C> {
    /// Counts one more. Returns a refusal that says what is `busy` if there are `most` already.
    pub(crate) fn begin(count: C, most: usize, busy: &str) -> Result<Self, Answer> {
        let counted = count.borrow().fetch_update(Relaxed, Relaxed, |count| (count < most).then_some(count + 1));
        match counted {
            Ok(_) => Ok(Self(count)),
            Err(_) => Err(Answer::refusal(BUSY, format!("{most} {busy}: ask again"))),
        }
    }
}

impl<C: Borrow<AtomicUsize>> Drop for Counted<C> {
    fn drop(&mut self) {
        self.0.borrow().fetch_sub(1, Relaxed);
    }
}

/// The threads that make the answers of one server or service.
#[derive(Clone, Debug, Default)]
pub(crate) struct Makers(Arc<AtomicUsize>);

impl Makers {
    /// Has a thread make the answer and call `put` with it. Returns a refusal if there is no thread
    /// for it.
    pub(crate) fn make(
        &self,
        wanted: Wanted,
        prefix: Arc<str>,
        put: impl FnOnce(Answer) + Send + 'static,
    ) -> Result<(), Answer> {
        let counted = Counted::begin(Arc::clone(&self.0), MOST_THREADS, "answers are being made")?;
        let make = move || {
            let answer = catch_unwind(AssertUnwindSafe(|| pages::answer(&wanted, &prefix)));
            // First, so that whoever has the answer may ask again.
            drop(counted);
            put(answer.unwrap_or_else(|_| Answer::panicked()));
        };
        let thread = thread::Builder::new().name("wsrt-debug-page".into()).spawn(make);
        thread.map(drop).map_err(|error| Answer::refusal(BUSY, format!("no thread can be had for the answer: {error}")))
    }
}
