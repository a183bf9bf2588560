//! `Running`: a child process that has not been reaped yet.

use std::io;
use std::process::{Child, ExitStatus};
use std::task::{Context, Poll, ready};

use super::exit::Exit;
use super::orphans;
use crate::scheduler;

/// A child process, with the event that reports its exit.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) child: Child,
    exit: Exit,
    /// True if `kill` was called, so that the child is about to exit.
    pub(super) is_killed: bool,
}

impl Running {
    /// Takes over a newly started child. Kills the child if its exit cannot be watched.
    pub(super) fn new(child: Child, netpoller: &wsrt_reactor::Handle) -> io::Result<Self> {
        match Exit::of(child.id(), netpoller) {
            Ok(exit) => Ok(Self { child, exit, is_killed: false }),
            Err(error) => {
                orphans::kill_and_reap(child);
                Err(error)
            }
        }
    }

    pub(super) fn kill(&mut self) -> io::Result<()> {
        self.exit.kill(&mut self.child)?;
        self.is_killed = true;
        Ok(())
    }

    pub(super) fn poll_wait(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<ExitStatus>> {
        match ready!(self.poll_exit(cx)) {
            // No OS error: the runtime that reports the end was shut down.
            Err(error) if error.raw_os_error().is_none() && self.move_to_current_runtime() => self.poll_exit(cx),
            outcome => Poll::Ready(outcome),
        }
    }

    fn poll_exit(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<ExitStatus>> {
        let child = &mut self.child;
        self.exit.poll(cx, || child.try_wait())
    }

    /// Makes the current runtime report the process's exit from now on. Returns `false` if there is
    /// no current runtime, or if it was shut down.
    fn move_to_current_runtime(&mut self) -> bool {
        let Some(scheduler) = scheduler::Context::current_scheduler() else { return false };
        let Ok(exit) = Exit::of(self.child.id(), scheduler.netpoller.handle()) else { return false };
        self.exit = exit;
        true
    }
}
