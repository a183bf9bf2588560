//! UDP options for sending to many receivers: broadcast, and multicast over IPv4 and IPv6.

use crate::net::UdpSocket;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr};

impl UdpSocket {
    /// Returns whether this socket may send to broadcast addresses (`SO_BROADCAST`).
    ///
    /// # Errors
    ///
    /// Returns the OS error if the option cannot be read.
    #[doc = example!("multicast", "broadcast")]
    pub fn broadcast(&self) -> io::Result<bool> {
        self.options().broadcast()
    }

    /// Sets whether this socket may send to broadcast addresses (`SO_BROADCAST`).
    ///
    /// # Errors
    ///
    /// Returns the OS error if the option cannot be set.
    #[doc = example!("multicast", "broadcast")]
    pub fn set_broadcast(&self, broadcast: bool) -> io::Result<()> {
        self.options().set_broadcast(broadcast)
    }

    /// Joins the IPv4 multicast group `multiaddr`, so that this socket receives the datagrams sent
    /// to the group.
    ///
    /// `interface` is the local address of the network interface on which to join; with
    /// [`Ipv4Addr::UNSPECIFIED`], the OS chooses the interface.
    ///
    /// # Errors
    ///
    /// Returns the OS error, for example if `multiaddr` is not a multicast address.
    #[doc = example!("multicast", "multicast_v4")]
    pub fn join_multicast_v4(&self, multiaddr: Ipv4Addr, interface: Ipv4Addr) -> io::Result<()> {
        self.options().join_multicast_v4(&multiaddr, &interface)
    }

    /// Leaves the IPv4 multicast group that was joined by a call of
    /// [`join_multicast_v4`](UdpSocket::join_multicast_v4) with the same arguments.
    ///
    /// # Errors
    ///
    /// Returns the OS error, for example if the socket has not joined the group.
    #[doc = example!("multicast", "multicast_v4")]
    pub fn leave_multicast_v4(&self, multiaddr: Ipv4Addr, interface: Ipv4Addr) -> io::Result<()> {
        self.options().leave_multicast_v4(&multiaddr, &interface)
    }

    /// Joins the IPv6 multicast group `multiaddr`, so that this socket receives the datagrams sent
    /// to the group.
    ///
    /// `interface` is the index of the network interface on which to join; with 0, the OS chooses
    /// the interface.
    ///
    /// # Errors
    ///
    /// Returns the OS error, for example if `multiaddr` is not a multicast address.
    pub fn join_multicast_v6(&self, multiaddr: &Ipv6Addr, interface: u32) -> io::Result<()> {
        self.options().join_multicast_v6(multiaddr, interface)
    }

    /// Leaves the IPv6 multicast group that was joined by a call of
    /// [`join_multicast_v6`](UdpSocket::join_multicast_v6) with the same arguments.
    ///
    /// # Errors
    ///
    /// Returns the OS error, for example if the socket has not joined the group.
    pub fn leave_multicast_v6(&self, multiaddr: &Ipv6Addr, interface: u32) -> io::Result<()> {
        self.options().leave_multicast_v6(multiaddr, interface)
    }

    /// Returns the local address of the network interface through which IPv4 multicast datagrams
    /// are sent, or the unspecified address if the OS chooses the interface.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the option cannot be read.
    #[doc = example!("multicast", "multicast_if_v4")]
    pub fn multicast_if_v4(&self) -> io::Result<Ipv4Addr> {
        self.options().multicast_if_v4()
    }

    /// Sets the network interface through which IPv4 multicast datagrams are sent. `interface` is
    /// the interface's local address.
    ///
    /// # Errors
    ///
    /// Returns the OS error, for example if no interface has this address.
    #[doc = example!("multicast", "multicast_if_v4")]
    pub fn set_multicast_if_v4(&self, interface: Ipv4Addr) -> io::Result<()> {
        self.options().set_multicast_if_v4(&interface)
    }

    /// Returns the index of the network interface through which IPv6 multicast datagrams are sent,
    /// or 0 if the OS chooses the interface.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the option cannot be read.
    pub fn multicast_if_v6(&self) -> io::Result<u32> {
        self.options().multicast_if_v6()
    }

    /// Sets the network interface through which IPv6 multicast datagrams are sent. `interface` is
    /// the interface's index.
    ///
    /// # Errors
    ///
    /// Returns the OS error, for example if there is no interface with this index.
    pub fn set_multicast_if_v6(&self, interface: u32) -> io::Result<()> {
        self.options().set_multicast_if_v6(interface)
    }

    /// Returns whether IPv4 multicast datagrams are looped back to receivers on this machine.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the option cannot be read.
    #[doc = example!("multicast", "multicast_loop_v4")]
    pub fn multicast_loop_v4(&self) -> io::Result<bool> {
        self.options().multicast_loop_v4()
    }

    /// Sets whether IPv4 multicast datagrams are looped back to receivers on this machine.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the option cannot be set.
    #[doc = example!("multicast", "multicast_loop_v4")]
    pub fn set_multicast_loop_v4(&self, on: bool) -> io::Result<()> {
        self.options().set_multicast_loop_v4(on)
    }

    /// Returns whether IPv6 multicast datagrams are looped back to receivers on this machine.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the option cannot be read.
    pub fn multicast_loop_v6(&self) -> io::Result<bool> {
        self.options().multicast_loop_v6()
    }

    /// Sets whether IPv6 multicast datagrams are looped back to receivers on this machine.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the option cannot be set.
    pub fn set_multicast_loop_v6(&self, on: bool) -> io::Result<()> {
        self.options().set_multicast_loop_v6(on)
    }

    /// Returns the time to live of the IPv4 multicast datagrams that this socket sends, in hops.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the option cannot be read.
    #[doc = example!("multicast", "multicast_ttl_v4")]
    pub fn multicast_ttl_v4(&self) -> io::Result<u32> {
        self.options().multicast_ttl_v4()
    }

    /// Sets the time to live of the IPv4 multicast datagrams that this socket sends, in hops. The
    /// usual value, 1, keeps the datagrams within the local network.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the option cannot be set.
    #[doc = example!("multicast", "multicast_ttl_v4")]
    pub fn set_multicast_ttl_v4(&self, ttl: u32) -> io::Result<()> {
        self.options().set_multicast_ttl_v4(ttl)
    }

    /// Returns the hop limit of the IPv6 multicast datagrams that this socket sends.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the option cannot be read.
    pub fn multicast_hops_v6(&self) -> io::Result<u32> {
        self.options().multicast_hops_v6()
    }

    /// Sets the hop limit of the IPv6 multicast datagrams that this socket sends.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the option cannot be set.
    pub fn set_multicast_hops_v6(&self, hops: u32) -> io::Result<()> {
        self.options().set_multicast_hops_v6(hops)
    }
}
