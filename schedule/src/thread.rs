//! std's threads, as threads of the schedule.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::state::{On, Status};
use crate::{steps, time};

pub use std::thread::{AccessError, LocalKey, Result, ThreadId, available_parallelism, panicking};

/// A handle to a thread, as std's.
#[derive(Debug, Clone)]
pub struct Thread {
    thread: std::thread::Thread,
    number: Option<usize>,
}

impl Thread {
    /// Returns its id, as std does.
    #[must_use]
    pub fn id(&self) -> ThreadId {
        self.thread.id()
    }

    /// Returns its name, if it was given one.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.thread.name()
    }

    /// Ends its next [`park`], or the one that it is in.
    pub fn unpark(&self) {
        let Some(number) = self.number.filter(|_| steps::current().is_some()) else { return self.thread.unpark() };
        steps::step();
        steps::with_state(|state, _| {
            let thread = &mut state.threads[number];
            thread.token = true;
            if matches!(thread.status, Status::Waiting { on: On::Token, .. }) {
                thread.status = Status::Ready;
            }
        });
    }
}

/// Returns a handle to the calling thread.
#[must_use]
pub fn current() -> Thread {
    Thread { thread: std::thread::current(), number: steps::current() }
}

/// Sleeps until the thread is unparked.
pub fn park() {
    if steps::current().is_none() {
        return std::thread::park();
    }
    park_until(|_| None);
}

/// Sleeps until the thread is unparked, for `timeout` at most.
pub fn park_timeout(timeout: Duration) {
    if steps::current().is_none() {
        return std::thread::park_timeout(timeout);
    }
    park_until(|now| time::after(now, timeout));
}

fn park_until(until: impl FnOnce(u64) -> Option<u64>) {
    steps::step();
    let take = |state: &mut crate::state::State, number: usize| std::mem::take(&mut state.threads[number].token);
    if steps::with_state(take) == Some(false) {
        let until = steps::with_state(|state, _| until(state.now)).flatten();
        let _ = steps::wait(On::Token, until);
        steps::with_state(take);
    }
}

/// Sleeps for `duration`.
pub fn sleep(duration: Duration) {
    if steps::current().is_none() {
        return std::thread::sleep(duration);
    }
    let until = steps::with_state(|state, _| time::after(state.now, duration)).flatten();
    let _ = steps::wait(On::Time, until);
}

/// Lets other threads go first.
pub fn yield_now() {
    if !steps::give_way() {
        std::thread::yield_now();
    }
}

/// Starts threads, as std's does.
#[derive(Debug, Default)]
pub struct Builder {
    name: Option<String>,
    stack_size: Option<usize>,
}

impl Builder {
    /// Returns a builder of a thread without a name.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Names the thread.
    #[must_use]
    pub fn name(mut self, name: String) -> Self {
        self.name = Some(name);
        self
    }

    /// Sets the size of its stack, in bytes.
    #[must_use]
    pub fn stack_size(mut self, size: usize) -> Self {
        self.stack_size = Some(size);
        self
    }

    /// Starts a thread, which is one of the schedule if the calling one is.
    ///
    /// # Errors
    ///
    /// Returns the system's error.
    pub fn spawn<F, T>(self, main: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        steps::step();
        let listed = steps::with_state(|state, _| {
            let number = state.add(self.name.clone().unwrap_or_default());
            (number, Arc::clone(&state.threads[number].gate))
        });
        let number = listed.as_ref().map(|(number, _)| *number);
        let mut builder = std::thread::Builder::new();
        if let Some(name) = self.name {
            builder = builder.name(name);
        }
        if let Some(size) = self.stack_size {
            builder = builder.stack_size(size);
        }
        let handle = builder.spawn(move || {
            if let Some((number, gate)) = listed {
                steps::enter(number, &gate);
            }
            main()
        });
        if handle.is_err() {
            steps::with_state(|state, _| number.map(|number| state.threads[number].status = Status::Ended));
        }
        Ok(JoinHandle { handle: handle?, number })
    }
}

/// Starts a thread without a name.
///
/// # Panics
///
/// Panics if the system refuses it.
pub fn spawn<F, T>(main: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    Builder::new().spawn(main).expect("the system starts a thread")
}

/// Waits for a thread's end, as std's does.
#[derive(Debug)]
pub struct JoinHandle<T> {
    handle: std::thread::JoinHandle<T>,
    number: Option<usize>,
}

impl<T> JoinHandle<T> {
    /// Waits for the thread's end.
    ///
    /// # Errors
    ///
    /// Returns the payload of the thread's panic.
    pub fn join(self) -> Result<T> {
        steps::step();
        if let Some(number) = self.number {
            while steps::with_state(|state, _| state.threads[number].status != Status::Ended) == Some(true) {
                let _ = steps::wait(On::End(number), None);
            }
        }
        self.handle.join()
    }

    /// Returns whether the thread has ended.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        steps::step();
        let ended =
            self.number.and_then(|number| steps::with_state(|state, _| state.threads[number].status == Status::Ended));
        ended.unwrap_or_else(|| self.handle.is_finished())
    }

    /// Returns a handle to the thread.
    #[must_use]
    pub fn thread(&self) -> Thread {
        Thread { thread: self.handle.thread().clone(), number: self.number }
    }
}

/// Returns the calling thread's number in the schedule, from 1; 0 outside one.
#[must_use]
pub fn number() -> u32 {
    steps::current().map_or(0, |number| number as u32 + 1)
}

/// Returns whether the thread of this [`number`] waits; `None` outside a schedule.
#[must_use]
pub fn is_waiting(number: u32) -> Option<bool> {
    let number = (number as usize).checked_sub(1)?;
    let status = steps::with_state(|state, _| state.threads.get(number).map(|thread| thread.status))??;
    (status != Status::Ended).then_some(matches!(status, Status::Waiting { .. }))
}

/// Returns for how many nanoseconds the thread of this [`number`] has run; `None` outside a
/// schedule.
#[must_use]
pub fn time_run(number: u32) -> Option<u64> {
    let number = (number as usize).checked_sub(1)?;
    steps::with_state(|state, _| {
        let thread = state.threads.get(number).filter(|thread| thread.status != Status::Ended)?;
        Some(thread.steps * state.grain)
    })?
}
