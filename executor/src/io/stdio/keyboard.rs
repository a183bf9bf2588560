//! The single thread that reads standard input, and the tasks that wait for its bytes.

use std::io;
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

use crate::io::buffer::Buffer;
use crate::io::target::Target;
use crate::util::sync::{Condvar, Mutex};
use crate::util::unwind::wake_quietly;

/// The maximum number of bytes read at once: the size of the standard library's own buffer.
const CHUNK: usize = 8 * 1024;

/// The number of waiting readers from which some may have been dropped: a crowd.
const CROWD: usize = 64;
/// The minimum time between two dispersals of a crowd, since all of its readers may still wait.
const PERIOD: Duration = Duration::from_secs(1);

pub(super) static KEYBOARD: Keyboard = Keyboard::reading(read_stdin);

fn read_stdin(buffer: &mut Buffer) -> io::Result<()> {
    buffer.read_from(&mut io::stdin().lock(), CHUNK)
}

/// A blocking source, read by a thread whenever a task waits.
#[derive(Debug)]
pub(super) struct Keyboard {
    state: Mutex<State>,
    /// Wakes the thread when a task demands a read.
    on_demand: Condvar,
    /// Reads once and replaces the contents of the buffer with the bytes read.
    read: fn(&mut Buffer) -> io::Result<()>,
}

#[derive(Debug)]
struct State {
    has_thread: bool,
    phase: ReadState,
    /// The wakers of waiting tasks. A task that stops waiting cannot remove its waker: see
    /// `disperse`.
    waiters: Vec<Waker>,
    /// The time at which a crowd was last woken.
    dispersed: Option<Instant>,
}

impl State {
    /// Takes the waiters if they are a crowd, for the caller to wake after unlocking: a task that
    /// still waits polls again, and the waker of a task that has ended is dropped.
    fn disperse(&mut self) -> Vec<Waker> {
        if self.waiters.len() < CROWD {
            return Vec::new();
        }
        let now = Instant::now();
        if self.dispersed.is_some_and(|last| now.saturating_duration_since(last) < PERIOD) {
            return Vec::new();
        }
        self.dispersed = Some(now);
        std::mem::take(&mut self.waiters)
    }
}

#[derive(Debug)]
enum ReadState {
    /// The thread is idle. The buffer holds bytes that were read and not yet taken.
    Idle(Buffer),
    /// The thread is reading, or about to take the buffer and read.
    Reading(Buffer),
    /// The result of a read that no task has taken yet. An empty buffer means the end of the input,
    /// which a terminal may report several times.
    Answered(Buffer, io::Result<()>),
}

impl Keyboard {
    const fn reading(read: fn(&mut Buffer) -> io::Result<()>) -> Self {
        let state =
            State { has_thread: false, phase: ReadState::Idle(Buffer::new()), waiters: Vec::new(), dispersed: None };
        Self { state: Mutex::new(state), on_demand: Condvar::new(), read }
    }

    pub(super) fn poll_read(&'static self, cx: &mut Context<'_>, target: &mut impl Target) -> Poll<io::Result<()>> {
        let waker = cx.waker().clone();
        let mut state = self.state.lock();
        let read = match std::mem::replace(&mut state.phase, ReadState::Idle(Buffer::new())) {
            ReadState::Answered(buffer, outcome) => Some((buffer, outcome)),
            ReadState::Idle(buffer) if !buffer.is_empty() => Some((buffer, Ok(()))),
            ReadState::Idle(buffer) => {
                self.demand(&mut state, buffer)?;
                None
            }
            reading @ ReadState::Reading(_) => {
                state.phase = reading;
                None
            }
        };
        if let Some((mut buffer, outcome)) = read {
            buffer.take_into(target);
            state.phase = ReadState::Idle(buffer);
            return Poll::Ready(outcome);
        }
        if !state.waiters.iter().any(|known| known.will_wake(&waker)) {
            let crowd = state.disperse();
            state.waiters.push(waker);
            drop(state);
            crowd.into_iter().for_each(wake_quietly);
        }
        Poll::Pending
    }

    /// Demands one read into `buffer` from the thread.
    fn demand(&'static self, state: &mut State, buffer: Buffer) -> io::Result<()> {
        if !state.has_thread {
            thread::Builder::new().name("wsrt-stdin".to_owned()).spawn(|| self.serve())?;
            state.has_thread = true;
        }
        state.phase = ReadState::Reading(buffer);
        self.on_demand.notify_one();
        Ok(())
    }

    /// The thread's loop, which runs as long as the process.
    fn serve(&self) {
        let mut state = self.state.lock();
        loop {
            let ReadState::Reading(buffer) = &mut state.phase else {
                self.on_demand.wait(&mut state);
                continue;
            };
            let mut buffer = std::mem::take(buffer);
            drop(state);
            let outcome = (self.read)(&mut buffer);
            state = self.state.lock();
            state.phase = ReadState::Answered(buffer, outcome);
            let waiters = std::mem::take(&mut state.waiters);
            drop(state);
            // A waker may be user code and may panic, and there is no other thread to continue.
            waiters.into_iter().for_each(wake_quietly);
            state = self.state.lock();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;
    use std::sync::Mutex as StdMutex;
    use std::sync::mpsc::{Receiver, Sender, channel};

    use tokio_test::{assert_pending, task};

    use crate::io::target::SliceTarget;
    use crate::runtime::Runtime;

    /// Reads of a keyboard, answered by the test.
    type Typed = (StdMutex<Option<Sender<Vec<u8>>>>, StdMutex<Option<Receiver<Vec<u8>>>>);

    async fn read(keyboard: &'static Keyboard, room: usize) -> Vec<u8> {
        let mut bytes = vec![0; room];
        let mut target = SliceTarget::new(&mut bytes);
        poll_fn(|cx| keyboard.poll_read(cx, &mut target)).await.expect("typing is no error");
        let count = target.filled();
        bytes.truncate(count);
        bytes
    }

    macro_rules! keyboard {
        ($keyboard:ident, $typing:ident) => {
            static TYPED: Typed = (StdMutex::new(None), StdMutex::new(None));
            static $keyboard: Keyboard = Keyboard::reading(|buffer| {
                let typed = TYPED.1.lock().unwrap();
                let bytes = typed.as_ref().unwrap().recv().unwrap_or_default();
                buffer.read_from(&mut &bytes[..], CHUNK)
            });
            let (sender, receiver) = channel();
            *TYPED.0.lock().unwrap() = Some(sender);
            *TYPED.1.lock().unwrap() = Some(receiver);
            let $typing = TYPED.0.lock().unwrap().take().unwrap();
        };
    }

    #[test]
    fn input_for_a_dropped_reader_goes_to_the_next() {
        keyboard!(KEYBOARD, typing);
        let first = Runtime::new().expect("a runtime");
        let mut waiting = Box::pin(read(&KEYBOARD, 16));
        first.block_on(poll_fn(|cx| {
            assert!(std::future::Future::poll(waiting.as_mut(), cx).is_pending());
            Poll::Ready(())
        }));
        drop(waiting);
        drop(first);
        typing.send(b"words".to_vec()).expect("the thread reads");
        let second = Runtime::new().expect("a runtime");
        assert_eq!(second.block_on(read(&KEYBOARD, 2)), b"wo");
        assert_eq!(second.block_on(read(&KEYBOARD, 16)), b"rds");
    }

    #[test]
    fn the_end_is_reported_and_input_behind_it_is_read() {
        keyboard!(KEYBOARD, typing);
        let runtime = Runtime::new().expect("a runtime");
        typing.send(Vec::new()).expect("the thread reads");
        typing.send(b"more".to_vec()).expect("the thread reads");
        assert_eq!(runtime.block_on(read(&KEYBOARD, 16)), b"");
        assert_eq!(runtime.block_on(read(&KEYBOARD, 16)), b"more");
        drop(typing);
        assert_eq!(runtime.block_on(read(&KEYBOARD, 16)), b"");
        assert_eq!(runtime.block_on(read(&KEYBOARD, 16)), b"");
    }

    #[test]
    fn a_panicking_waker_does_not_stop_the_reader() {
        struct Rude;
        impl std::task::Wake for Rude {
            fn wake(self: std::sync::Arc<Self>) {
                panic!("not now");
            }
        }
        keyboard!(KEYBOARD, typing);
        let runtime = Runtime::new().expect("a runtime");
        for letter in [b"a", b"b"] {
            let rude = Waker::from(std::sync::Arc::new(Rude));
            let mut nothing = [0; 1];
            let mut target = SliceTarget::new(&mut nothing);
            assert_pending!(KEYBOARD.poll_read(&mut Context::from_waker(&rude), &mut target));
            let mut behind = task::spawn(read(&KEYBOARD, 1));
            assert_pending!(behind.poll());
            typing.send(letter.to_vec()).expect("the thread reads");
            assert_eq!(runtime.block_on(behind), letter);
        }
    }

    #[test]
    fn readers_that_are_gone_do_not_pile_up() {
        keyboard!(KEYBOARD, typing);
        let mut first = task::spawn(read(&KEYBOARD, 1));
        assert_pending!(first.poll());
        for _ in 1..CROWD {
            assert_pending!(task::spawn(read(&KEYBOARD, 1)).poll());
        }
        assert!(!first.is_woken());
        assert_eq!(KEYBOARD.state.lock().waiters.len(), CROWD);

        let begun = Instant::now();
        let mut last = task::spawn(read(&KEYBOARD, 1));
        assert_pending!(last.poll());
        assert!(first.is_woken() && !last.is_woken(), "all before it, to see who is there");
        assert_eq!(KEYBOARD.state.lock().waiters.len(), 1);

        // Any number of live readers do not keep waking each other.
        let mut crowd: Vec<_> = (0..2 * CROWD).map(|_| task::spawn(read(&KEYBOARD, 1))).collect();
        for reader in &mut crowd {
            assert_pending!(reader.poll());
        }
        assert!(!last.is_woken() || begun.elapsed() >= PERIOD, "once a second at most");
        typing.send(b"x".to_vec()).expect("the thread reads");
    }

    #[test]
    fn every_waiter_is_woken() {
        keyboard!(KEYBOARD, typing);
        let runtime = Runtime::new().expect("a runtime");
        let readers: Vec<_> = (0..3).map(|_| runtime.spawn(read(&KEYBOARD, 1))).collect();
        typing.send(b"abc".to_vec()).expect("the thread reads");
        let mut letters: Vec<_> =
            readers.into_iter().flat_map(|reader| runtime.block_on(reader).expect("no panic")).collect();
        letters.sort_unstable();
        assert_eq!(letters, b"abc");
    }
}
