//! Links between hosts: latency, loss, bandwidth, partitions and full buffers.

use std::ops::Range;
use std::time::Duration;

use wsrt_world::{LatencyModel, LinkProperties, SetBy};

use crate::sim::Sim;

/// The properties of the connection between two hosts.
///
/// By default, a link has a latency of 0.2 to 1 ms, loses no packets, and has unlimited bandwidth.
/// Packets within a host take some microseconds, and are never lost.
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
pub struct Link(LinkProperties);

impl Link {
    /// Creates a link with the default properties.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the [`Latency`] of packets: a fixed time, a range, or a distribution with a tail.
    /// Packets of a stream arrive in order. Datagrams may overtake each other.
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

    /// Limits the bandwidth in each direction to `bytes` bytes per second.
    #[must_use]
    pub fn bandwidth(mut self, bytes: u64) -> Self {
        self.0.bandwidth = Some(bytes.max(1));
        self
    }
}

/// The network.
impl Sim {
    /// Sets the default link, which applies between hosts that have no link of their own.
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

    /// Sets the link between two hosts, in both directions.
    ///
    /// # Panics
    ///
    /// Panics if either host does not exist.
    ///
    /// # Examples
    ///
    /// See [`Link`].
    #[track_caller]
    pub fn link(&self, one: &str, other: &str, link: &Link) {
        self.network().set_link(Some((self.find(one), self.find(other))), link.0.clone());
    }

    /// Cuts the link between two hosts, in both directions, until it is [healed](Self::heal).
    ///
    /// Datagrams that would arrive during the partition are lost. Packets of streams are
    /// retransmitted at growing intervals. Streams are given up after a quarter of an hour.
    ///
    /// # Panics
    ///
    /// Panics if either host does not exist.
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

    /// Cuts the link from one host to another, but not in the opposite direction.
    ///
    /// # Panics
    ///
    /// Panics if either host does not exist.
    ///
    /// # Examples
    ///
    /// See [`partition`](Self::partition).
    #[track_caller]
    pub fn partition_one_way(&self, from: &str, to: &str) {
        self.network().cut(self.find(from), self.find(to), SetBy::Program);
    }

    /// Ends all partitions between two hosts, including partitions that are faults of the run.
    ///
    /// # Panics
    ///
    /// Panics if either host does not exist.
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

    /// Ends all partitions, including partitions that are faults of the run.
    ///
    /// # Examples
    ///
    /// ```
    /// wsrt::sim::run(7, |sim| async move { sim.heal_all() });
    /// ```
    pub fn heal_all(&self) {
        self.network().heal_all();
    }

    /// Resets all TCP streams between two hosts. Both ends receive the error `ConnectionReset`.
    ///
    /// # Panics
    ///
    /// Panics if either host does not exist.
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

    /// Fills the send buffers of a host's sockets until [`free_buffers`](Self::free_buffers).
    ///
    /// Each of the host's sockets accepts no data for 1 to 50 ms, as the seed determines, then up
    /// to 64 bytes or two datagrams, and so on. Therefore `write` waits, and writes only a part of
    /// its data, and `try_write` and `try_send` fail with
    /// [`WouldBlock`](std::io::ErrorKind::WouldBlock). Data that a socket has already accepted are
    /// still delivered, and the sockets receive as usual.
    ///
    /// # Panics
    ///
    /// Panics if no host has this name.
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

    /// Frees the send buffers that [`fill_buffers`](Self::fill_buffers) has filled. Buffers that
    /// are full because of a fault in the run's plan stay full until the fault is over.
    ///
    /// # Panics
    ///
    /// Panics if no host has this name.
    ///
    /// # Examples
    ///
    /// See [`fill_buffers`](Self::fill_buffers).
    #[track_caller]
    pub fn free_buffers(&self, name: &str) {
        self.network().fill_buffers(self.find(name), SetBy::Program, false);
    }
}

/// The time that each packet of a link takes: fixed, or drawn at random.
///
/// A [`Duration`] gives all packets the same latency, and a range of durations gives each packet a
/// latency chosen uniformly from the range. The constructors create distributions with a tail.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use wsrt::sim::{Latency, Link};
///
/// let (least, mean) = (Duration::from_millis(1), Duration::from_millis(2));
/// let links = [
///     Link::new().latency(least),
///     Link::new().latency(least..mean),
///     Link::new().latency(Latency::exponential(least, mean)),
///     Link::new().latency(Latency::long_tail(least)),
/// ];
/// wsrt::sim::run(7, |sim| async move {
///     links.iter().for_each(|link| sim.links(link));
/// });
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Latency(pub(super) LatencyModel);

impl Latency {
    /// Creates the latency of a path with a queue: `least` plus an exponentially distributed time.
    ///
    /// The mean is `mean`. With the difference d between `mean` and `least`, one packet in ten
    /// takes longer than `least` plus 2.3 d, one in a hundred longer than `least` plus 4.6 d, and
    /// one in a thousand longer than `least` plus 6.9 d.
    #[must_use]
    pub fn exponential(least: Duration, mean: Duration) -> Self {
        Self(LatencyModel::Exponential(nanos(least), nanos(mean.saturating_sub(least))))
    }

    /// Creates a latency with a long tail. One packet in four takes longer than twice `least`, one
    /// in a hundred longer than 10 times, one in ten thousand longer than 100 times, and none
    /// longer than 1000 times. The mean is twice `least`.
    #[must_use]
    pub fn long_tail(least: Duration) -> Self {
        Self(LatencyModel::LongTail(nanos(least)))
    }
}

impl From<Duration> for Latency {
    fn from(latency: Duration) -> Self {
        Self(LatencyModel::Uniform(nanos(latency)..nanos(latency)))
    }
}

impl From<Range<Duration>> for Latency {
    fn from(range: Range<Duration>) -> Self {
        Self(LatencyModel::Uniform(nanos(range.start)..nanos(range.end)))
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
