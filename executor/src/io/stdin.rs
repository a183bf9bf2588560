//! `Stdin`: standard input as an asynchronous stream.

use std::panic::{RefUnwindSafe, UnwindSafe};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};
use std::{io, thread};

use wsrt_sync::budget::poll_spending;

use crate::io::buffer::{Buffer, ReadTarget};
#[cfg(feature = "tokio-io")]
use crate::io::methods::tokio_read;
use crate::io::methods::{PollRead, read_methods};
use crate::util::sync::{Condvar, Mutex};
use crate::util::unwind::wake_quietly;

/// A handle to the process's standard input. Returned by [`stdin`].
///
/// The handle implements `AsyncRead` with feature `tokio-io`.
#[derive(Debug)]
pub struct Stdin(&'static Keyboard);

// No foreign code runs while a lock of the keyboard is held.
impl UnwindSafe for Stdin {}
impl RefUnwindSafe for Stdin {}

/// Returns a handle to the process's standard input.
///
/// The netpoller cannot wait for a terminal or a file as it can for a socket, so one dedicated
/// thread per process reads standard input. The thread starts with the first read and only reads
/// while a task waits. The thread belongs to no runtime, so a runtime that shuts down does not wait
/// for a pending read, and the user does not have to press a key to end the program.
///
/// Bytes that the thread has read are kept for the process: if the task that waited for them is
/// dropped, the next read returns them, through any handle and in any runtime. [`std::io::stdin`]
/// does not see these bytes and should not be read at the same time.
///
/// This stream is meant for programs that read from a pipe. In an interactive program, a plain
/// thread that reads lines from [`std::io::stdin`] and sends them through a channel works just as
/// well. One read returns at most 8 KiB.
///
/// # Cancel safety
///
/// `read` is cancel safe: bytes that arrive after the future was dropped are returned by the next
/// read.
///
/// # Examples
///
/// ```no_run
/// # #[cfg(feature = "tokio-io")] {
/// use wsrt::io::{AsyncBufReadExt, BufReader};
///
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let mut lines = BufReader::new(wsrt::io::stdin()).lines();
/// while let Some(line) = lines.next_line().await? {
///     println!("{}", line.to_uppercase());
/// }
/// # std::io::Result::Ok(()) })?;
/// # }
/// # std::io::Result::Ok(())
/// ```
#[must_use]
pub fn stdin() -> Stdin {
    Stdin(&KEYBOARD)
}

read_methods!(Stdin);

impl PollRead for Stdin {
    fn poll_read_into(&mut self, cx: &mut Context<'_>, target: &mut impl ReadTarget) -> Poll<io::Result<()>> {
        poll_spending(cx, |cx| {
            if target.room() == 0 {
                return Poll::Ready(Ok(()));
            }
            self.0.poll_read(cx, target)
        })
    }
}

#[cfg(feature = "tokio-io")]
tokio_read!(Stdin);

#[cfg(unix)]
impl std::os::fd::AsFd for Stdin {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        // SAFETY: the standard descriptors have no owner; like the standard library, this takes
        // them to be open for the life of the process.
        unsafe { std::os::fd::BorrowedFd::borrow_raw(std::os::fd::AsRawFd::as_raw_fd(self)) }
    }
}

#[cfg(unix)]
impl std::os::fd::AsRawFd for Stdin {
    fn as_raw_fd(&self) -> std::os::fd::RawFd {
        io::stdin().as_raw_fd()
    }
}

/// The maximum number of bytes read at once: the size of the standard library's own buffer.
const CHUNK: usize = 8 * 1024;

/// The number of waiting readers from which some may have been dropped: a crowd.
const CROWD: usize = 64;
/// The minimum time between two dispersals of a crowd, since all of its readers may still wait.
const PERIOD: Duration = Duration::from_secs(1);

static KEYBOARD: Keyboard = Keyboard::reading(read_stdin);

fn read_stdin(buffer: &mut Buffer) -> io::Result<()> {
    buffer.read_from(&mut io::stdin().lock(), CHUNK)
}

/// A blocking source, read by a thread whenever a task waits.
#[derive(Debug)]
struct Keyboard {
    state: Mutex<KeyboardState>,
    /// Wakes the thread when a task demands a read.
    on_demand: Condvar,
    /// Reads once and replaces the contents of the buffer with the bytes read.
    read: fn(&mut Buffer) -> io::Result<()>,
}

#[derive(Debug)]
struct KeyboardState {
    has_thread: bool,
    phase: ReadState,
    /// The wakers of waiting tasks. A task that stops waiting cannot remove its waker: see
    /// `disperse`.
    waiters: Vec<Waker>,
    /// The time at which a crowd was last woken.
    dispersed: Option<Instant>,
}

impl KeyboardState {
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
        let state = KeyboardState {
            has_thread: false,
            phase: ReadState::Idle(Buffer::new()),
            waiters: Vec::new(),
            dispersed: None,
        };
        Self { state: Mutex::new(state), on_demand: Condvar::new(), read }
    }

    pub(super) fn poll_read(&'static self, cx: &mut Context<'_>, target: &mut impl ReadTarget) -> Poll<io::Result<()>> {
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
    fn demand(&'static self, state: &mut KeyboardState, buffer: Buffer) -> io::Result<()> {
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
    use crate::io::buffer::SliceTarget;
    use crate::runtime::Runtime;
    use std::future::poll_fn;
    use std::sync::Mutex as StdMutex;
    use std::sync::mpsc::{Receiver, Sender, channel};
    use tokio_test::{assert_pending, task};

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
