//! Sending to one of many receivers, each of which may be full.
//!
//! `WouldBlock` then refers to that receiver, and not to the sending socket. So the sender does not
//! check first whether the socket counts as writable: it may be so for another receiver. And the OS
//! reports room only to a sender that is connected or has datagrams in the queue. So a
//! waiting sender also tries again after a while.
//!
//! On Linux a send that fails for a full receiver is an event: the memory that it had taken is
//! given back, and so there is room in the sender. Trying again for that event would never end. So
//! the first event after a failure is passed over; if it was another event, the pause ends soon.
//! And because several tasks that send through one socket see the events of each other's failures,
//! a sender that has failed a few times goes by time alone.

use crate::budget;
use crate::context::{self, Delay};
use crate::evented::Evented;
use crate::interest::Interest;
use crate::net::datagram::Datagrams;
use crate::net::kinds;
use socket2::SockAddr;
use std::future::{Future, poll_fn};
use std::io;
use std::pin::pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

/// The pause before a full receiver is tried again for the first time. Each further pause is twice
/// as long.
const FIRST_PAUSE: Duration = Duration::from_millis(1);

/// From this pause on the sender does not wait for events.
const TIME_ALONE: Duration = Duration::from_millis(8);

/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_millis(64);

impl Evented<kinds::UnixDatagram> {
    pub(super) fn try_send_to(&self, buf: &[u8], target: &SockAddr) -> io::Result<usize> {
        self.try_anyway(Interest::WRITABLE, |socket| socket.transmit_to(buf, target))
    }

    /// Tries again at each event, its own ones too: a poll cannot wait for a time.
    pub(super) fn poll_send_to(&self, cx: &mut Context<'_>, buf: &[u8], target: &SockAddr) -> Poll<io::Result<usize>> {
        ready!(budget::poll_proceed(cx));
        match self.try_send_to(buf, target) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                self.poll_io(Interest::WRITABLE, cx, |socket| socket.transmit_to(buf, target))
            }
            outcome => {
                budget::spend();
                Poll::Ready(outcome)
            }
        }
    }

    pub(super) async fn send_to(&self, buf: &[u8], target: &SockAddr) -> io::Result<usize> {
        poll_fn(budget::poll_proceed).await;
        let mut pause = FIRST_PAUSE;
        loop {
            match self.try_send_to(buf, target) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.wait_for_room(pause).await?,
                outcome => {
                    budget::spend();
                    return outcome;
                }
            }
            pause = LONGEST_PAUSE.min(pause * 2);
        }
    }

    /// Waits for the second event, and inside a runtime no longer than `pause`; after several
    /// failures for the pause alone.
    async fn wait_for_room(&self, pause: Duration) -> io::Result<()> {
        let mut room = pin!(async {
            let own = self.seen(Interest::WRITABLE).await?;
            self.readiness().clear_would_block(own, Interest::WRITABLE);
            self.seen(Interest::WRITABLE).await.map(drop)
        });
        let mut delay: Option<Delay> = context::current().map(|context| context.services().delay(pause));
        let minds_events = delay.is_none() || pause < TIME_ALONE;
        poll_fn(|cx| {
            if minds_events && room.as_mut().poll(cx)?.is_ready() {
                return Poll::Ready(Ok(()));
            }
            match &mut delay {
                Some(delay) => delay.as_mut().poll(cx).map(Ok),
                None => Poll::Pending,
            }
        })
        .await
    }
}
