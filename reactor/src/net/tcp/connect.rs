//! Connecting to the first of several addresses that answers, as RFC 8305 ("happy eyeballs")
//! recommends.
//!
//! The address families alternate, beginning with the family of the resolver's first address. The
//! next address is tried when an earlier one has failed, or has not answered for a quarter of a
//! second; attempts in progress continue. The first socket to connect is kept, and the others are
//! closed. A network with broken IPv6 therefore costs a moment, not a minute.

use super::stream::TcpStream;
use crate::context::{Delay, ReactorContext};
use crate::error;
use crate::evented::Sharing;
use crate::interest::Interest;
use crate::net::kinds;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{self, Poll};
use std::time::Duration;

/// How long to wait for an address before the next one is tried as well: the RFC's recommendation.
const STAGGER: Duration = Duration::from_millis(250);

/// Connects to the first of `addresses` that answers.
pub(super) fn connect_to_any(addresses: Vec<SocketAddr>, context: &ReactorContext) -> Race<'_> {
    Race {
        context,
        waiting: interleaved(addresses).into_iter(),
        started: 0,
        running: Vec::new(),
        failed: None,
        before_next: None,
    }
}

/// Returns the addresses alternating between the family of the first address and the other family,
/// each family in its given order.
fn interleaved(addresses: Vec<SocketAddr>) -> Vec<SocketAddr> {
    let preferred = addresses.first().is_some_and(SocketAddr::is_ipv6);
    let (mut first, mut second): (Vec<_>, Vec<_>) =
        addresses.into_iter().rev().partition(|address| address.is_ipv6() == preferred);
    let mut order = Vec::with_capacity(first.len() + second.len());
    while let Some(address) = first.pop() {
        order.push(address);
        order.extend(second.pop());
    }
    order.extend(second.into_iter().rev());
    order
}

/// The future of the first connection. Dropping the future closes the sockets of all attempts in
/// progress.
#[derive(Debug)]
pub(super) struct Race<'a> {
    context: &'a ReactorContext,
    waiting: std::vec::IntoIter<SocketAddr>,
    /// The number of addresses that have been tried.
    started: usize,
    running: Vec<Attempt>,
    /// The error of the latest attempt that failed, with the attempt's position.
    failed: Option<(usize, io::Error)>,
    before_next: Option<Pacing>,
}

#[derive(Debug)]
struct Attempt {
    /// The position of the address in the order in which the addresses are tried.
    turn: usize,
    stream: TcpStream,
}

struct Pacing(Delay);

impl Future for Race<'_> {
    type Output = io::Result<TcpStream>;

    fn poll(self: Pin<&mut Self>, cx: &mut task::Context<'_>) -> Poll<io::Result<TcpStream>> {
        let race = self.get_mut();
        loop {
            if let Some(connected) = race.look_at_running(cx) {
                return Poll::Ready(Ok(connected));
            }
            if !race.is_time_for_next(cx) {
                return Poll::Pending;
            }
            match race.waiting.next() {
                Some(address) => race.start(address),
                None if race.running.is_empty() => {
                    return Poll::Ready(Err(race.failed.take().map_or_else(error::no_address, |(_, error)| error)));
                }
                None => return Poll::Pending,
            }
        }
    }
}

impl Race<'_> {
    /// Returns the stream that has connected, if there is one. After a failure, the next address is
    /// due.
    fn look_at_running(&mut self, cx: &mut task::Context<'_>) -> Option<TcpStream> {
        let mut index = 0;
        while index < self.running.len() {
            match self.running[index].poll(cx) {
                Poll::Ready(Ok(())) => return Some(self.running.swap_remove(index).stream),
                Poll::Ready(Err(error)) => {
                    let turn = self.running.remove(index).turn;
                    self.fail(turn, error);
                }
                Poll::Pending => index += 1,
            }
        }
        None
    }

    fn is_time_for_next(&mut self, cx: &mut task::Context<'_>) -> bool {
        let is_over = self.before_next.as_mut().is_none_or(|pacing| pacing.0.as_mut().poll(cx).is_ready());
        if is_over {
            self.before_next = None;
        }
        is_over
    }

    fn start(&mut self, address: SocketAddr) {
        let turn = self.started;
        self.started += 1;
        match TcpStream::connecting(address, self.context.handle()) {
            Ok(stream) => {
                self.running.push(Attempt { turn, stream });
                if self.waiting.len() > 0 {
                    self.before_next = Some(Pacing(self.context.services().delay(STAGGER)));
                }
            }
            Err(error) => self.fail(turn, error),
        }
    }

    fn fail(&mut self, turn: usize, error: io::Error) {
        if self.failed.as_ref().is_none_or(|(latest, _)| *latest < turn) {
            self.failed = Some((turn, error));
        }
        self.before_next = None;
    }
}

impl Attempt {
    fn poll(&self, cx: &mut task::Context<'_>) -> Poll<io::Result<()>> {
        let outcome = kinds::outcome_of_connect;
        self.stream.evented().poll_drain(Sharing::Exclusive, Interest::WRITABLE, cx, outcome, |()| false)
    }
}

impl std::fmt::Debug for Pacing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pacing").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(texts: &[&str]) -> Vec<SocketAddr> {
        texts.iter().map(|text| text.parse().expect("a literal")).collect()
    }

    #[test]
    fn the_families_take_turns_and_the_first_address_stays_first() {
        let given = addresses(&["[::1]:1", "[::1]:2", "[::1]:3", "127.0.0.1:1", "127.0.0.1:2"]);
        let order = addresses(&["[::1]:1", "127.0.0.1:1", "[::1]:2", "127.0.0.1:2", "[::1]:3"]);
        assert_eq!(interleaved(given), order);
        let given = addresses(&["127.0.0.1:1", "[::1]:1", "[::1]:2", "[::1]:3"]);
        assert_eq!(interleaved(given.clone()), given);
        assert_eq!(interleaved(Vec::new()), []);
    }
}
