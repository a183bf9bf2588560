//! `ctrl_c` on Windows: the console calls a handler, on a thread that the system creates.

use std::future::Future;
use std::pin::Pin;
use std::sync::OnceLock;
use std::task::{Context, Poll, ready};
use std::{fmt, io};

use wsrt_sync::watch;

const CTRL_C_EVENT: u32 = 0;

#[link(name = "kernel32")]
unsafe extern "system" {
    fn SetConsoleCtrlHandler(handler: Option<unsafe extern "system" fn(u32) -> i32>, add: i32) -> i32;
}

/// The number of ctrl-c events so far, or the OS error of the only attempt to listen.
static PRESSED: OnceLock<Result<watch::Sender<u64>, i32>> = OnceLock::new();

/// Handles a console event. Returns whether the event was handled; otherwise the OS ends the
/// process.
unsafe extern "system" fn handle(event: u32) -> i32 {
    match PRESSED.get() {
        Some(Ok(pressed)) if event == CTRL_C_EVENT => {
            pressed.send_modify(|count| *count += 1);
            1
        }
        _ => 0,
    }
}

fn listen() -> io::Result<watch::Receiver<u64>> {
    let pressed = PRESSED.get_or_init(|| {
        // SAFETY: `handle` may be called from any thread, at any time, for as long as the process
        // lives: it touches a static alone.
        let is_set = unsafe { SetConsoleCtrlHandler(Some(handle), 1) };
        if is_set != 0 {
            return Ok(watch::Sender::new(0));
        }
        Err(io::Error::last_os_error().raw_os_error().unwrap_or_default())
    });
    pressed.as_ref().map(watch::Sender::subscribe).map_err(|error| io::Error::from_raw_os_error(*error))
}

/// Waits for the next ctrl-c at the console.
///
/// Listening begins with this call and not with the first poll. From this call on, ctrl-c no longer
/// ends the process by itself, even after the future is dropped. To let a second ctrl-c end the
/// process, wait again and call [`std::process::exit`]. Any number of futures may wait at the same
/// time, and each of them receives every ctrl-c that arrives after the future was created. If
/// several arrive before a future is polled, they count as one.
///
/// # Errors
///
/// Returns the OS error when listening is impossible.
///
/// # Cancel safety
///
/// This call is cancel safe: a dropped future has received no ctrl-c.
///
/// # Examples
///
/// ```no_run
/// # fn main() -> std::io::Result<()> {
/// # let runtime = wsrt::runtime::Runtime::new()?;
/// # runtime.block_on(async {
/// println!("press ctrl-c to end");
/// wsrt::signal::ctrl_c().await?;
/// println!("ending");
/// # Ok(())
/// # })
/// # }
/// ```
pub fn ctrl_c() -> CtrlC {
    CtrlC { next: listen().map(next).map_err(Some) }
}

type Next = Pin<Box<dyn Future<Output = watch::Receiver<u64>> + Send + Sync>>;

/// Waits for one more ctrl-c, and returns the receiver.
fn next(mut pressed: watch::Receiver<u64>) -> Next {
    Box::pin(async move {
        // The sender is a static: there is no error.
        let _ = pressed.changed().await;
        pressed
    })
}

/// A future that waits for ctrl-c, returned by [`ctrl_c`].
///
/// Polling the future again after it has completed waits for another ctrl-c. Polling the future
/// after an error may panic.
#[must_use = "ctrl-c has no effect any more, unless this is awaited"]
pub struct CtrlC {
    /// The next ctrl-c, or the error that prevents listening, until a poll has returned the error.
    next: Result<Next, Option<io::Error>>,
}

impl Future for CtrlC {
    type Output = io::Result<()>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.next {
            Ok(waiting) => {
                let pressed = ready!(waiting.as_mut().poll(cx));
                *waiting = next(pressed);
                Poll::Ready(Ok(()))
            }
            Err(error) => Poll::Ready(Err(error
                .take()
                .expect("wsrt: `signal::ctrl_c` was polled after it had returned an error"))),
        }
    }
}

impl fmt::Debug for CtrlC {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CtrlC").finish_non_exhaustive()
    }
}
