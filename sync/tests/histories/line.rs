//! The model of a line for permits: first come, first served.

use std::task::Poll;

#[derive(Debug)]
pub(crate) struct Need {
    id: usize,
    wants: usize,
    has: usize,
}

#[derive(Debug, Default)]
pub(crate) struct Line {
    pub(crate) free: usize,
    pub(crate) is_closed: bool,
    waiters: Vec<Need>,
    /// Out of the line, and yet to be polled.
    woken: Vec<Need>,
    /// The wakes since the last look.
    pub(crate) wakes: Vec<usize>,
}

impl Line {
    pub(crate) fn new(free: usize) -> Self {
        Self { free, ..Self::default() }
    }

    pub(crate) fn try_take(&mut self, wants: usize) -> bool {
        let can = !self.is_closed && self.free >= wants;
        self.free -= if can { wants } else { 0 };
        can
    }

    /// The first poll of a waiter.
    pub(crate) fn enter(&mut self, id: usize, wants: usize) -> Poll<bool> {
        if self.is_closed || self.free >= wants {
            return Poll::Ready(self.try_take(wants));
        }
        self.waiters.push(Need { id, wants, has: std::mem::take(&mut self.free) });
        Poll::Pending
    }

    /// A later poll.
    pub(crate) fn poll(&mut self, id: usize) -> Poll<bool> {
        let Some(at) = self.woken.iter().position(|need| need.id == id) else { return Poll::Pending };
        let need = self.woken.remove(at);
        if self.is_closed {
            self.give(need.has);
        }
        Poll::Ready(!self.is_closed)
    }

    pub(crate) fn cancel(&mut self, id: usize) {
        let mut has = 0;
        for needs in [&mut self.waiters, &mut self.woken] {
            if let Some(at) = needs.iter().position(|need| need.id == id) {
                has = needs.remove(at).has;
            }
        }
        self.give(has);
    }

    pub(crate) fn give(&mut self, mut count: usize) {
        while let Some(first) = self.waiters.first_mut() {
            let given = count.min(first.wants - first.has);
            first.has += given;
            count -= given;
            if first.has < first.wants {
                return;
            }
            self.unlink_first();
        }
        self.free += count;
    }

    fn unlink_first(&mut self) {
        let first = self.waiters.remove(0);
        self.wakes.push(first.id);
        self.woken.push(first);
    }

    pub(crate) fn close(&mut self) {
        self.is_closed = true;
        while !self.waiters.is_empty() {
            self.unlink_first();
        }
    }
}
