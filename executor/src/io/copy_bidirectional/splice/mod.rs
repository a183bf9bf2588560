//! Copies between sockets with `splice(2)`: the kernel moves the pages through a pipe.
//!
//! Splicing pays off for bulk data. A message that fits into a buffer costs one more system call,
//! because a splice that moved less than requested proves nothing, and splicing needs descriptors.
//! Each direction therefore starts with the buffer, opens a pipe after much data has arrived in
//! large bursts, and closes the pipe after a small burst.
//!
//! # The socket that a `WouldBlock` is about
//!
//! Either end of a splice can be the reason for `WouldBlock`, and the error does not say which. The
//! order of the calls decides: bytes are moved from a socket into the pipe only while the pipe is
//! empty, so it must be the socket that is empty; they are moved from the pipe into a socket only
//! while the pipe holds some, so it must be the socket that is full. Each answer clears that
//! socket's readiness, and no other.
//!
//! # Urgent data
//!
//! A splice from TCP stops at the mark of urgent data and never gets past it, unlike a read. There
//! it answers as for an empty socket: `WouldBlock`, or 0 when the peer has ended, even if more
//! bytes follow the mark. So a 0 counts only after a read has found the end too, which is one call
//! for each stream; and `WouldBlock` does not count when the netpoller has ever reported urgent
//! data. The direction then continues with the buffer. Urgent data that the netpoller has yet to
//! report comes with an event, after which the socket is tried again.

mod direction;
mod pipe;
mod socket;

use std::future::poll_fn;
use std::io;
use std::task::Poll;

pub(super) use self::socket::{Socket, sockets};
use crate::io::copy_bidirectional::splice::direction::Direction;

pub(super) async fn copy(a: &dyn Socket, b: &dyn Socket, (a_to_b, b_to_a): (usize, usize)) -> io::Result<(u64, u64)> {
    let (mut a_to_b, mut b_to_a) = (Direction::new(a, b, a_to_b), Direction::new(b, a, b_to_a));
    poll_fn(|cx| match (a_to_b.poll(cx)?, b_to_a.poll(cx)?) {
        (Poll::Ready(there), Poll::Ready(back)) => Poll::Ready(Ok((there, back))),
        _ => Poll::Pending,
    })
    .await
}
