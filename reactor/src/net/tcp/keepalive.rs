//! Keepalive settings: when and how often an idle TCP connection is probed.

use std::time::Duration;

/// The keepalive settings of a TCP connection: when and how often an idle connection is probed, so
/// that a vanished peer is noticed.
///
/// Pass the settings to [`TcpSocket::set_tcp_keepalive`](crate::net::TcpSocket::set_tcp_keepalive)
/// or [`TcpStream::set_tcp_keepalive`](crate::net::TcpStream::set_tcp_keepalive). A setting that is
/// not given keeps the OS's default. On Linux, the first probe is sent after two idle hours, and
/// the connection is given up after nine unanswered probes, 75 seconds apart. Most systems measure
/// these times in whole seconds and return an error for a time of zero.
///
/// Some systems, such as OpenBSD, can only switch keepalive on or off; the times are ignored there.
///
/// # Examples
///
/// With these settings, a vanished peer is noticed within 30 + 3 × 10 seconds:
///
/// ```
/// use std::time::Duration;
/// # use wsrt_reactor as wsrt;
/// use wsrt::net::{TcpKeepalive, TcpSocket};
///
/// let socket = TcpSocket::new_v4()?;
/// let keepalive =
///     TcpKeepalive::new().with_time(Duration::from_secs(30)).with_interval(Duration::from_secs(10)).with_retries(3);
/// socket.set_tcp_keepalive(&keepalive)?;
/// assert!(socket.keepalive()?);
/// # std::io::Result::Ok(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TcpKeepalive {
    time: Option<Duration>,
    interval: Option<Duration>,
    retries: Option<u32>,
}

impl TcpKeepalive {
    /// Creates keepalive settings in which every value is the OS's default.
    #[must_use]
    pub const fn new() -> TcpKeepalive {
        TcpKeepalive { time: None, interval: None, retries: None }
    }

    /// Sets how long the connection must be idle before the first probe is sent.
    #[must_use]
    pub const fn with_time(mut self, time: Duration) -> TcpKeepalive {
        self.time = Some(time);
        self
    }

    /// Sets the interval between two successive probes.
    #[must_use]
    pub const fn with_interval(mut self, interval: Duration) -> TcpKeepalive {
        self.interval = Some(interval);
        self
    }

    /// Sets the number of unanswered probes after which the connection is given up.
    #[must_use]
    pub const fn with_retries(mut self, retries: u32) -> TcpKeepalive {
        self.retries = Some(retries);
        self
    }

    pub(super) fn of_system(&self) -> socket2::TcpKeepalive {
        let keepalive = socket2::TcpKeepalive::new();
        let keepalive = match self.time {
            Some(time) => keepalive.with_time(time),
            None => keepalive,
        };
        self.with_probes(keepalive)
    }

    /// Where the system lets them be set.
    fn with_probes(&self, keepalive: socket2::TcpKeepalive) -> socket2::TcpKeepalive {
        #[cfg(any(
            target_os = "android",
            target_os = "dragonfly",
            target_os = "freebsd",
            target_os = "fuchsia",
            target_os = "illumos",
            target_os = "ios",
            target_os = "linux",
            target_os = "macos",
            target_os = "netbsd",
            target_os = "windows",
        ))]
        let keepalive = {
            let keepalive = match self.interval {
                Some(interval) => keepalive.with_interval(interval),
                None => keepalive,
            };
            match self.retries {
                Some(retries) => keepalive.with_retries(retries),
                None => keepalive,
            }
        };
        keepalive
    }
}
