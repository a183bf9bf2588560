//! Sending to one of many receivers, each of whom may be full.
//!
//! `WouldBlock` then speaks of that receiver, and not of the socket that sends. So whether the
//! socket counts as writable is not asked before: it may be so for another receiver. And the system
//! tells of room only to who is connected, or has datagrams of his own in the queue. So whoever
//! waits tries again after a while, too.
//!
//! On Linux a send that fails for a full receiver is an event: the memory that it had taken is
//! given back, and so there is room in the sender. To try again for that would be to do so for
//! ever. So the first event after a failure is passed over; if it was another, the time is over
//! soon. And as several tasks that send through one socket hear of each other's failures, who has
//! failed a few times goes by time alone.

use crate::budget;
use crate::context::{self, Delay};
use crate::evented::Evented;
use crate::interest::Interest;
use crate::net::datagram::Datagrams;
use socket2::SockAddr;
use std::future::{Future, poll_fn};
use std::io;
use std::pin::pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

/// After which time a full receiver is tried again for the first time. Each further time is twice
/// as long.
const FIRST_PAUSE: Duration = Duration::from_millis(1);

/// From this time on events are not waited for.
const TIME_ALONE: Duration = Duration::from_millis(8);

/// The longest that such a time gets.
const LONGEST_PAUSE: Duration = Duration::from_millis(64);

impl Evented<mio::net::UnixDatagram> {
    pub(super) fn try_send_to(&self, buf: &[u8], target: &SockAddr) -> io::Result<usize> {
        self.try_anyway(Interest::WRITABLE, |socket| socket.transmit_to(buf, target))
    }

    /// Tries again at each event, its own ones too: there is nobody who could wait for a time.
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

    /// Waits for the second event, and inside a runtime no longer than `pause`; in the end for that
    /// alone.
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
