//! Children that nobody waits for any more, and who reaps them, so that no zombie stays.
//!
//! As long as the runtime lasts, the netpoller tells of a child's end, and the waker that it wakes
//! for that does the reaping: it is one system call that does not wait, and it takes no task,
//! thread or signal. What is left when the runtime has ended is reaped by a thread of its own if it
//! was killed, for it is about to end; if not, it is looked at whenever the process starts or drops
//! another child.

use std::process::Child;
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;

use parking_lot::Mutex;
use wsrt_reactor::budget;

use super::running::Running;

/// Children without a runtime that would tell of their end.
static LEFT_BEHIND: Mutex<Vec<Child>> = Mutex::new(Vec::new());

/// Sees to it that a child is reaped when it ends.
pub(super) fn adopt(running: Running) {
    reap_left_behind();
    Arc::new(Orphan(Mutex::new(Some(running)))).look();
}

/// Kills and reaps a child that nothing tells of.
pub(super) fn kill_and_reap(mut child: Child) {
    // It can only have ended before.
    let _ = child.kill();
    leave_behind(child, true);
}

/// Reaps those that have ended since.
pub(super) fn reap_left_behind() {
    // What is an error can be waited for by nobody: somebody else has reaped it.
    LEFT_BEHIND.lock().retain_mut(|child| matches!(child.try_wait(), Ok(None)));
}

fn leave_behind(child: Child, is_killed: bool) {
    match is_killed {
        true => reap_on_a_thread(child),
        false => LEFT_BEHIND.lock().push(child),
    }
}

/// The child travels by a channel, so that it is not lost with the thread if the system refuses
/// that.
fn reap_on_a_thread(child: Child) {
    let (sender, receiver) = mpsc::channel::<Child>();
    let started = thread::Builder::new().name("wsrt-reaper".to_owned()).spawn(move || {
        if let Ok(mut child) = receiver.recv() {
            let _ = child.wait();
        }
    });
    match started {
        Ok(_detached) => sender.send(child).expect("the thread receives it"),
        Err(_) => LEFT_BEHIND.lock().push(child),
    }
}

/// A child that the netpoller tells of. It is kept by the waker that waits there.
struct Orphan(Mutex<Option<Running>>);

impl Orphan {
    /// Reaps it if it has ended; else leaves the waker with the netpoller.
    fn look(self: Arc<Self>) {
        let waker = Waker::from(Arc::clone(&self));
        // This may be in the poll of some task, whose budget is no concern of ours; and to be
        // denied would wake this again, while it holds its lock.
        let _of_the_poll = budget::keep();
        budget::lift();
        let mut slot = self.0.lock();
        let Some(running) = &mut *slot else { return };
        let Poll::Ready(outcome) = running.poll_wait(&mut Context::from_waker(&waker)) else { return };
        let ended = slot.take();
        drop(slot);
        if outcome.is_err() {
            let (child, is_killed) = ended.expect("it was just looked at").into_parts();
            leave_behind(child, is_killed);
        }
    }
}

impl Wake for Orphan {
    fn wake(self: Arc<Self>) {
        self.look();
    }
}
