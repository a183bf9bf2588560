//! Reaps orphans, the children whose `Child` was dropped, so that no zombie remains.
//!
//! While the runtime is running, the netpoller reports a child's exit, and the waker that it wakes
//! reaps the child: with one system call that does not block, and without a task, thread or signal.
//! After the runtime has ended, a killed child is reaped by a thread of its own, since it is about
//! to exit; other children are checked whenever this process starts or drops another child.

use std::process::Child;
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;

use crate::util::sync::Mutex;
use wsrt_reactor::{budget, context};

use super::running::Running;

/// The children that no runtime watches any more.
static LEFT_BEHIND: Mutex<Vec<Child>> = Mutex::new(Vec::new());

/// Reaps a child when it exits.
pub(super) fn adopt(running: Running) {
    reap_left_behind();
    Arc::new(Orphan(Mutex::new(Some(running)))).look();
}

/// Kills and reaps a child that no netpoller watches.
pub(super) fn kill_and_reap(mut child: Child) {
    // The only error is that it has ended.
    let _ = child.kill();
    leave_behind(child, true);
}

/// Reaps the unwatched children that have exited in the meantime.
pub(super) fn reap_left_behind() {
    // An error means that another part of the program has reaped the child.
    LEFT_BEHIND.lock().retain_mut(|child| matches!(child.try_wait(), Ok(None)));
}

fn leave_behind(child: Child, is_killed: bool) {
    match is_killed {
        true => reap_on_a_thread(child),
        false => LEFT_BEHIND.lock().push(child),
    }
}

/// Reaps a child on a new thread. The child is passed through a channel, so that it is not lost
/// with the closure if the OS refuses the thread.
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

/// A child that the netpoller watches, owned by the waker that waits there.
struct Orphan(Mutex<Option<Running>>);

impl Orphan {
    /// Reaps the child if it has exited, and otherwise leaves the waker with the netpoller.
    fn look(self: Arc<Self>) {
        let waker = Waker::from(Arc::clone(&self));
        // This may run in the poll of a task, whose budget must not be spent; and a spent budget
        // would wake this waker again, while it holds its lock.
        let _of_the_poll = budget::keep();
        budget::lift();
        // Nor is this the wait of a task that the end drops: an orphan has to learn of the end.
        let _outside = context::enter(None);
        let mut slot = self.0.lock();
        let Some(running) = &mut *slot else { return };
        let Poll::Ready(outcome) = running.poll_wait(&mut Context::from_waker(&waker)) else { return };
        let ended = slot.take();
        drop(slot);
        if outcome.is_err() {
            let Running { child, is_killed, .. } = ended.expect("it was just looked at");
            leave_behind(child, is_killed);
        }
    }
}

impl Wake for Orphan {
    fn wake(self: Arc<Self>) {
        self.look();
    }
}
