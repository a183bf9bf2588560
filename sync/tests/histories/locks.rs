//! Semaphores, mutexes and readers-writer locks: three faces of one line.

use super::line::Line;
use super::{Waiting, Wakes, explore, take_any};
use std::any::Any;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use wsrt_sync::{Mutex, RwLock, Semaphore};

/// A guard, or permits: given back when it is dropped.
type Held = Box<dyn Any>;

trait Lock {
    /// The permits that one call may ask for.
    const WANTS: &'static [usize];
    const PERMITS: usize;

    fn new() -> Arc<Self>;

    fn take(self: Arc<Self>, wants: usize) -> Pin<Box<dyn Future<Output = Option<Held>>>>;

    fn try_take(self: Arc<Self>, wants: usize) -> Option<Held>;

    fn semaphore(&self) -> Option<&Semaphore> {
        None
    }
}

impl Lock for Semaphore {
    const WANTS: &'static [usize] = &[0, 1, 1, 2, 3];
    const PERMITS: usize = 3;

    fn new() -> Arc<Self> {
        Arc::new(Self::new(3))
    }

    fn take(self: Arc<Self>, wants: usize) -> Pin<Box<dyn Future<Output = Option<Held>>>> {
        Box::pin(async move { Some(Box::new(self.acquire_many_owned(wants as u32).await.ok()?) as Held) })
    }

    fn try_take(self: Arc<Self>, wants: usize) -> Option<Held> {
        Some(Box::new(self.try_acquire_many_owned(wants as u32).ok()?))
    }

    fn semaphore(&self) -> Option<&Semaphore> {
        Some(self)
    }
}

impl Lock for Mutex<u8> {
    const WANTS: &'static [usize] = &[1];
    const PERMITS: usize = 1;

    fn new() -> Arc<Self> {
        Arc::new(Self::new(0))
    }

    fn take(self: Arc<Self>, _: usize) -> Pin<Box<dyn Future<Output = Option<Held>>>> {
        Box::pin(async move { Some(Box::new(self.lock_owned().await) as Held) })
    }

    fn try_take(self: Arc<Self>, _: usize) -> Option<Held> {
        Some(Box::new(self.try_lock_owned().ok()?))
    }
}

impl Lock for RwLock<u8> {
    const WANTS: &'static [usize] = &[1, 1, 4];
    const PERMITS: usize = 4;

    fn new() -> Arc<Self> {
        Arc::new(Self::with_max_readers(0, 4))
    }

    fn take(self: Arc<Self>, wants: usize) -> Pin<Box<dyn Future<Output = Option<Held>>>> {
        Box::pin(async move {
            let held: Held =
                if wants == 1 { Box::new(self.read_owned().await) } else { Box::new(self.write_owned().await) };
            Some(held)
        })
    }

    fn try_take(self: Arc<Self>, wants: usize) -> Option<Held> {
        if wants == 1 {
            Some(Box::new(self.try_read_owned().ok()?))
        } else {
            Some(Box::new(self.try_write_owned().ok()?))
        }
    }
}

struct History<L> {
    lock: Arc<L>,
    line: Line,
    wakes: Wakes,
    waiting: Vec<(usize, Waiting<Option<Held>>)>,
    /// With the permits that each holds.
    held: Vec<(usize, Held)>,
    /// All permits that there are, free or not.
    all: usize,
}

impl<L: Lock> History<L> {
    fn step(&mut self, id: usize, random: &mut fastrand::Rng) {
        let wants = L::WANTS[random.usize(..L::WANTS.len())];
        match random.u8(..12) {
            0..=3 => {
                let mut waiting = Waiting { id, future: Arc::clone(&self.lock).take(wants) };
                let (answer, expected) = (self.wakes.poll(&mut waiting), self.line.enter(id, wants));
                self.note(wants, waiting, answer, expected);
            }
            4 => {
                let taken = Arc::clone(&self.lock).try_take(wants);
                assert_eq!(taken.is_some(), self.line.try_take(wants));
                self.held.extend(taken.map(|held| (wants, held)));
            }
            5..=7 => {
                if let Some((count, held)) = take_any(random, &mut self.held) {
                    drop(held);
                    self.line.give(count);
                }
            }
            8 | 9 => {
                if let Some((wants, mut waiting)) = take_any(random, &mut self.waiting) {
                    let (answer, expected) = (self.wakes.poll(&mut waiting), self.line.poll(waiting.id));
                    self.note(wants, waiting, answer, expected);
                }
            }
            10 => {
                if let Some((_, waiting)) = take_any(random, &mut self.waiting) {
                    self.line.cancel(waiting.id);
                    drop(waiting);
                }
            }
            _ => self.change(random),
        }
        self.wakes.assert_are(&mut self.line.wakes);
    }

    /// Does to a semaphore what only semaphores can.
    fn change(&mut self, random: &mut fastrand::Rng) {
        let Some(semaphore) = self.lock.semaphore() else { return };
        assert_eq!((semaphore.available_permits(), semaphore.is_closed()), (self.line.free, self.line.is_closed));
        match random.u8(..20) {
            0 => {
                semaphore.close();
                self.line.close();
            }
            1..=9 => {
                semaphore.add_permits(2);
                self.line.give(2);
                self.all += 2;
            }
            _ => {
                let count = self.line.free.min(2);
                assert_eq!(semaphore.forget_permits(2), count);
                self.line.free -= count;
                self.all -= count;
            }
        }
    }

    #[track_caller]
    fn note(&mut self, wants: usize, waiting: Waiting<Option<Held>>, answer: Poll<Option<Held>>, expected: Poll<bool>) {
        let is_given = match &answer {
            Poll::Ready(held) => Poll::Ready(held.is_some()),
            Poll::Pending => Poll::Pending,
        };
        assert_eq!(is_given, expected);
        match answer {
            Poll::Ready(held) => self.held.extend(held.map(|held| (wants, held))),
            Poll::Pending => self.waiting.push((wants, waiting)),
        }
    }

    /// All permits are free at the end.
    fn end(mut self) {
        self.waiting.clear();
        self.held.clear();
        if let Some(semaphore) = self.lock.semaphore() {
            assert_eq!(semaphore.available_permits(), self.all);
        } else {
            assert!(Arc::clone(&self.lock).try_take(L::PERMITS).is_some());
        }
    }
}

fn agrees<L: Lock>() {
    explore(|random| {
        let mut history = History {
            lock: L::new(),
            line: Line::new(L::PERMITS),
            wakes: Wakes::default(),
            waiting: Vec::new(),
            held: Vec::new(),
            all: L::PERMITS,
        };
        (0..200).for_each(|id| history.step(id, random));
        history.end();
    });
}

#[test]
fn a_semaphore_agrees_with_its_model() {
    agrees::<Semaphore>();
}

#[test]
fn a_mutex_agrees_with_its_model() {
    agrees::<Mutex<u8>>();
}

#[test]
fn a_rw_lock_agrees_with_its_model() {
    agrees::<RwLock<u8>>();
}
