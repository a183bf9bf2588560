//! A child that nobody has reaped yet.

use std::io;
use std::process::{Child, ExitStatus};
use std::task::{Context, Poll};

use super::exit::Exit;
use super::orphans;

/// The child's process with what tells of its end.
#[derive(Debug)]
pub(super) struct Running {
    child: Child,
    exit: Exit,
    /// Whether it is about to end, because we have killed it.
    is_killed: bool,
}

impl Running {
    /// Takes charge of a child that was just started. One that cannot be waited for is killed.
    pub(super) fn new(child: Child, netpoller: &wsrt_reactor::Handle) -> io::Result<Self> {
        match Exit::of(child.id(), netpoller) {
            Ok(exit) => Ok(Self { child, exit, is_killed: false }),
            Err(error) => {
                orphans::kill_and_reap(child);
                Err(error)
            }
        }
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn kill(&mut self) -> io::Result<()> {
        self.child.kill()?;
        self.is_killed = true;
        Ok(())
    }

    pub(super) fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        self.child.try_wait()
    }

    pub(super) fn poll_wait(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<ExitStatus>> {
        let child = &mut self.child;
        self.exit.poll(cx, || child.try_wait())
    }

    /// The bare child, and whether it is about to end.
    pub(super) fn into_parts(self) -> (Child, bool) {
        (self.child, self.is_killed)
    }
}
