//! Copying between sockets by `splice(2)`: the kernel moves the pages, by way of a pipe.
//!
//! Splicing pays for bulk. For a message that a buffer holds it costs a system call more, since a
//! splice that moved less than it was asked to proves nothing, and it costs descriptors. So a
//! direction begins with the buffer, takes a pipe when much has come in large bursts, and lets go
//! of it after a small one.
//!
//! # Whose `WouldBlock` it is
//!
//! Both ends of a splice can be what it would have to wait for, and the error does not say which.
//! It is told apart by when the calls are made: the socket is moved into the pipe only while that
//! is empty, so it must be the socket that is; the pipe is moved into the socket only while it
//! holds something, so it must be the socket that is full. Each answer clears that socket's
//! readiness, and no other.
//!
//! # What urgent data does
//!
//! A splice from TCP ends at the mark of urgent data and never gets past it, which a read does.
//! What it answers there is what it answers of an empty socket: `WouldBlock`, or 0 when the peer
//! has ended, whatever lies behind the mark. So 0 is not believed before a read has found the end
//! too, which is one call for each stream; nor is `WouldBlock` when the netpoller has ever told of
//! urgent data. The direction goes on by the buffer then. Urgent data that the netpoller has yet to
//! tell of comes with an event, which has the socket tried again.

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
