//! Cells that are written once: the right to write them goes from one to the next.

use super::line::Line;
use super::{Waiting, Wakes, explore, take_any};
use std::cell::Cell;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;
use wsrt_sync::{OnceCell, SetError};

type Outcome = Result<u32, &'static str>;

/// The outcome of the computation that runs, once there is one.
type Verdict = Rc<Cell<Option<Outcome>>>;

struct Model {
    line: Line,
    value: Option<u32>,
    verdict: Verdict,
    /// Computes at the moment.
    holder: Option<usize>,
}

impl Model {
    /// A poll that has the right, has learned that there is a value, or waits.
    fn go_on(&mut self, id: usize, taken: Poll<bool>) -> Poll<Outcome> {
        match taken {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(false) => return Poll::Ready(Ok(self.value.unwrap())),
            Poll::Ready(true) => self.holder = Some(id),
        }
        self.compute()
    }

    fn compute(&mut self) -> Poll<Outcome> {
        let Some(outcome) = self.verdict.get() else { return Poll::Pending };
        self.holder = None;
        match outcome {
            Ok(value) => self.fill(value),
            Err(_) => self.line.give(1),
        }
        Poll::Ready(outcome)
    }

    fn fill(&mut self, value: u32) {
        self.value = Some(value);
        self.line.close();
    }

    fn enter(&mut self, id: usize) -> Poll<Outcome> {
        if let Some(value) = self.value {
            return Poll::Ready(Ok(value));
        }
        let taken = self.line.enter(id, 1);
        self.go_on(id, taken)
    }

    fn poll(&mut self, id: usize) -> Poll<Outcome> {
        if self.holder == Some(id) {
            return self.compute();
        }
        let taken = self.line.poll(id);
        self.go_on(id, taken)
    }

    fn cancel(&mut self, id: usize) {
        if self.holder == Some(id) {
            self.holder = None;
            self.line.give(1);
        } else {
            self.line.cancel(id);
        }
    }

    fn set(&mut self, value: u32) -> Result<(), SetError<u32>> {
        if self.value.is_some() {
            return Err(SetError::AlreadyInitializedError(value));
        }
        if !self.line.try_take(1) {
            return Err(SetError::InitializingError(value));
        }
        self.fill(value);
        Ok(())
    }
}

fn one(id: usize, cell: &Rc<OnceCell<u32>>, verdict: &Verdict) -> Waiting<Outcome> {
    let (cell, verdict) = (Rc::clone(cell), Rc::clone(verdict));
    let compute = move || poll_fn(move |_| verdict.get().map_or(Poll::Pending, Poll::Ready));
    Waiting { id, future: Box::pin(async move { cell.get_or_try_init(compute).await.copied() }) }
}

#[test]
fn a_once_cell_agrees_with_its_model() {
    explore(|random| {
        let (cell, verdict, mut wakes) = (Rc::new(OnceCell::new()), Verdict::default(), Wakes::default());
        let mut model = Model { line: Line::new(1), value: None, verdict: Rc::clone(&verdict), holder: None };
        let mut waiting = Vec::new();
        for id in 0..60 {
            verdict.set(match random.u8(..20) {
                0 => Some(Ok(7)),
                1..=3 => Some(Err("not now")),
                _ => None,
            });
            match random.u8(..8) {
                0..=2 => {
                    let mut new = one(id, &cell, &verdict);
                    let answer = wakes.poll(&mut new);
                    assert_eq!(answer, model.enter(id));
                    waiting.extend(answer.is_pending().then_some(new));
                }
                3..=5 => {
                    if let Some(mut old) = take_any(random, &mut waiting) {
                        let answer = wakes.poll(&mut old);
                        assert_eq!(answer, model.poll(old.id));
                        waiting.extend(answer.is_pending().then_some(old));
                    }
                }
                6 => {
                    if let Some(old) = take_any(random, &mut waiting) {
                        model.cancel(old.id);
                        drop(old);
                    }
                }
                _ if random.u8(..8) == 0 => assert_eq!(cell.set(8), model.set(8)),
                _ => assert_eq!(cell.get(), model.value.as_ref()),
            }
            wakes.assert_are(&mut model.line.wakes);
        }
    });
}
