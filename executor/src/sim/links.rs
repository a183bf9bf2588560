//! Links between hosts: how long packets take, which are lost, and partitions; and full buffers.

use super::{Latency, Sim};
use wsrt_world::{Link as Drawn, SetBy};

/// Says how packets go from one host to another.
///
/// The default is a latency of 0.2 to 1 ms, no loss, and no bound on bandwidth. Within a host
/// packets take some microseconds, and none are lost.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use wsrt::sim::Link;
///
/// wsrt::sim::run(7, |sim| async move {
///     let far = Link::new().latency(Duration::from_millis(40)..Duration::from_millis(60)).loss(0.01);
///     sim.host("near", || async {});
///     sim.host("far", || async {});
///     sim.link("near", "far", &far);
/// });
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Link(Drawn);

impl Link {
    /// Creates the default link.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the [`Latency`] of packets: fixed, in a range, or of a distribution with a tail.
    /// Packets of a stream arrive in their order, and datagrams may overtake each other.
    #[must_use]
    pub fn latency(mut self, latency: impl Into<Latency>) -> Self {
        self.0.latency = latency.into().0;
        self
    }

    /// Sets the share of packets that are lost, from 0 to 1. A lost packet of a stream is
    /// retransmitted, and delays the packets behind it.
    #[must_use]
    pub fn loss(mut self, share: f64) -> Self {
        self.0.loss = share.clamp(0.0, 1.0);
        self
    }

    /// Limits the bytes per second in each direction.
    #[must_use]
    pub fn bandwidth(mut self, bytes: u64) -> Self {
        self.0.bandwidth = Some(bytes.max(1));
        self
    }
}

/// The network.
impl Sim {
    /// Sets the default link, for packets between hosts without another link.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wsrt::sim::Link;
    ///
    /// wsrt::sim::run(7, |sim| async move {
    ///     sim.links(&Link::new().loss(0.1));
    /// });
    /// ```
    pub fn links(&self, link: &Link) {
        self.network().set_link(None, link.0.clone());
    }

    /// Sets how packets go between two hosts, in both directions.
    ///
    /// # Panics
    ///
    /// Panics if there is no host of one of the names.
    ///
    /// # Examples
    ///
    /// See [`Link`].
    #[track_caller]
    pub fn link(&self, one: &str, other: &str, link: &Link) {
        self.network().set_link(Some((self.find(one), self.find(other))), link.0.clone());
    }

    /// Cuts the links between two hosts, in both directions, until they are [healed](Self::heal).
    ///
    /// Datagrams that arrive during that time are lost. Packets of streams are sent again, after
    /// ever longer pauses, until a stream is given up after a quarter of an hour.
    ///
    /// # Panics
    ///
    /// Panics if there is no host of one of the names.
    ///
    /// # Examples
    ///
    /// ```
    /// wsrt::sim::run(7, |sim| async move {
    ///     sim.host("one", || async {});
    ///     sim.host("other", || async {});
    ///     sim.partition("one", "other");
    ///     sim.heal("one", "other");
    /// });
    /// ```
    #[track_caller]
    pub fn partition(&self, one: &str, other: &str) {
        let (one, other) = (self.find(one), self.find(other));
        self.network().cut(one, other, SetBy::Program);
        self.network().cut(other, one, SetBy::Program);
    }

    /// Cuts the link from one host to another, but not the link back.
    ///
    /// # Panics
    ///
    /// Panics if there is no host of one of the names.
    ///
    /// # Examples
    ///
    /// See [`partition`](Self::partition).
    #[track_caller]
    pub fn partition_one_way(&self, from: &str, to: &str) {
        self.network().cut(self.find(from), self.find(to), SetBy::Program);
    }

    /// Ends all partitions between two hosts, including the partitions of current faults.
    ///
    /// # Panics
    ///
    /// Panics if there is no host of one of the names.
    ///
    /// # Examples
    ///
    /// See [`partition`](Self::partition).
    #[track_caller]
    pub fn heal(&self, one: &str, other: &str) {
        let (one, other) = (self.find(one), self.find(other));
        for by in [SetBy::Program, SetBy::Fault] {
            self.network().heal(one, other, by);
            self.network().heal(other, one, by);
        }
    }

    /// Ends all partitions, including the partitions of current faults.
    ///
    /// # Examples
    ///
    /// ```
    /// wsrt::sim::run(7, |sim| async move { sim.heal_all() });
    /// ```
    pub fn heal_all(&self) {
        self.network().heal_all();
    }

    /// Resets the TCP streams between two hosts: both sides get `ConnectionReset`.
    ///
    /// # Panics
    ///
    /// Panics if there is no host of one of the names.
    ///
    /// # Examples
    ///
    /// ```
    /// wsrt::sim::run(7, |sim| async move {
    ///     sim.host("one", || async {});
    ///     sim.host("other", || async {});
    ///     sim.reset_streams("one", "other");
    /// });
    /// ```
    #[track_caller]
    pub fn reset_streams(&self, one: &str, other: &str) {
        self.network().reset_between(self.find(one), self.find(other));
    }

    /// Fills the send buffers of a host's sockets, until they are [freed](Self::free_buffers).
    ///
    /// Each of its sockets takes nothing for 1 to 50 ms, by the seed, then up to 64 bytes, or two
    /// datagrams, and so on: a `write` waits, and writes a part of what it is given; `try_write`
    /// and `try_send` fail with [`WouldBlock`](std::io::ErrorKind::WouldBlock). Bytes that a socket
    /// has taken before are on their way, and it receives as ever.
    ///
    /// # Panics
    ///
    /// Panics if there is no host of this name.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::io::{self, ErrorKind};
    /// use std::time::Duration;
    /// use wsrt::net::UnixStream;
    /// use wsrt::sim::Sim;
    ///
    /// async fn main() -> io::Result<()> {
    ///     let (mut near, _far) = UnixStream::pair()?;
    ///     Sim::current().fill_buffers("node");
    ///     let error = near.try_write(b"hello").expect_err("there is no room");
    ///     assert_eq!(error.kind(), ErrorKind::WouldBlock);
    ///     assert!(near.write(&[0; 1_000]).await? <= 64);
    ///     Sim::current().free_buffers("node");
    ///     assert_eq!(near.write(&[0; 1_000]).await?, 1_000);
    ///     Ok(())
    /// }
    ///
    /// wsrt::sim::run(7, |sim| async move {
    ///     sim.host("node", main);
    ///     wsrt::time::sleep(Duration::from_secs(1)).await;
    /// });
    /// ```
    #[track_caller]
    pub fn fill_buffers(&self, name: &str) {
        self.network().fill_buffers(self.find(name), SetBy::Program, true);
    }

    /// Ends what [`fill_buffers`](Self::fill_buffers) has begun. A fault of the run's plan that
    /// fills them continues.
    ///
    /// # Panics
    ///
    /// Panics if there is no host of this name.
    ///
    /// # Examples
    ///
    /// See [`fill_buffers`](Self::fill_buffers).
    #[track_caller]
    pub fn free_buffers(&self, name: &str) {
        self.network().fill_buffers(self.find(name), SetBy::Program, false);
    }
}
