//! UDP to many at once: broadcast, and multicast over both families.

use crate::net::UdpSocket;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr};

impl UdpSocket {
    /// Returns whether it may send to broadcast addresses.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the option cannot be read.
    #[doc = example!("multicast", "broadcast")]
    pub fn broadcast(&self) -> io::Result<bool> {
        self.options().broadcast()
    }

    /// Lets it send to broadcast addresses (`SO_BROADCAST`).
    ///
    /// # Errors
    ///
    /// Returns the OS error if the option cannot be set.
    #[doc = example!("multicast", "broadcast")]
    pub fn set_broadcast(&self, broadcast: bool) -> io::Result<()> {
        self.options().set_broadcast(broadcast)
    }

    /// Joins the IPv4 multicast group `multiaddr` on the interface with the address `interface`, so
    /// that the socket receives the group's datagrams; [`Ipv4Addr::UNSPECIFIED`] leaves the choice
    /// of interface to the OS.
    ///
    /// # Errors
    ///
    /// Returns the OS error, also when `multiaddr` is no multicast address.
    #[doc = example!("multicast", "multicast_v4")]
    pub fn join_multicast_v4(&self, multiaddr: Ipv4Addr, interface: Ipv4Addr) -> io::Result<()> {
        self.options().join_multicast_v4(&multiaddr, &interface)
    }

    /// Undoes [`join_multicast_v4`](UdpSocket::join_multicast_v4).
    ///
    /// # Errors
    ///
    /// Returns the OS error, also when the group was not joined.
    #[doc = example!("multicast", "multicast_v4")]
    pub fn leave_multicast_v4(&self, multiaddr: Ipv4Addr, interface: Ipv4Addr) -> io::Result<()> {
        self.options().leave_multicast_v4(&multiaddr, &interface)
    }

    /// Joins the IPv6 multicast group `multiaddr` on the interface of that index, so that the
    /// socket receives the group's datagrams; 0 leaves the choice to the OS.
    ///
    /// # Errors
    ///
    /// Returns the OS error, also when `multiaddr` is no multicast address.
    pub fn join_multicast_v6(&self, multiaddr: &Ipv6Addr, interface: u32) -> io::Result<()> {
        self.options().join_multicast_v6(multiaddr, interface)
    }

    /// Undoes [`join_multicast_v6`](UdpSocket::join_multicast_v6).
    ///
    /// # Errors
    ///
    /// Returns the OS error, also when the group was not joined.
    pub fn leave_multicast_v6(&self, multiaddr: &Ipv6Addr, interface: u32) -> io::Result<()> {
        self.options().leave_multicast_v6(multiaddr, interface)
    }

    /// Returns the address of the interface that IPv4 multicast datagrams leave through;
    /// unspecified if the OS chooses.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the option cannot be read.
    #[doc = example!("multicast", "multicast_if_v4")]
    pub fn multicast_if_v4(&self) -> io::Result<Ipv4Addr> {
        self.options().multicast_if_v4()
    }

    /// Sends IPv4 multicast datagrams through the interface with the address `interface`.
    ///
    /// # Errors
    ///
    /// Returns the OS error, also when no interface has that address.
    #[doc = example!("multicast", "multicast_if_v4")]
    pub fn set_multicast_if_v4(&self, interface: Ipv4Addr) -> io::Result<()> {
        self.options().set_multicast_if_v4(&interface)
    }

    /// Returns the index of the interface that IPv6 multicast datagrams leave through; 0 when the
    /// system chooses.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the option cannot be read.
    pub fn multicast_if_v6(&self) -> io::Result<u32> {
        self.options().multicast_if_v6()
    }

    /// Sends IPv6 multicast datagrams through the interface of that index.
    ///
    /// # Errors
    ///
    /// Returns the OS error, also when there is no such interface.
    pub fn set_multicast_if_v6(&self, interface: u32) -> io::Result<()> {
        self.options().set_multicast_if_v6(interface)
    }

    /// Returns whether IPv4 multicast datagrams come back to this machine's own receivers.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the option cannot be read.
    #[doc = example!("multicast", "multicast_loop_v4")]
    pub fn multicast_loop_v4(&self) -> io::Result<bool> {
        self.options().multicast_loop_v4()
    }

    /// Sets whether IPv4 multicast datagrams come back to this machine's own receivers.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the option cannot be set.
    #[doc = example!("multicast", "multicast_loop_v4")]
    pub fn set_multicast_loop_v4(&self, on: bool) -> io::Result<()> {
        self.options().set_multicast_loop_v4(on)
    }

    /// Returns whether IPv6 multicast datagrams come back to this machine's own receivers.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the option cannot be read.
    pub fn multicast_loop_v6(&self) -> io::Result<bool> {
        self.options().multicast_loop_v6()
    }

    /// Sets whether IPv6 multicast datagrams come back to this machine's own receivers.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the option cannot be set.
    pub fn set_multicast_loop_v6(&self, on: bool) -> io::Result<()> {
        self.options().set_multicast_loop_v6(on)
    }

    /// Returns the time to live of IPv4 multicast datagrams, in hops.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the option cannot be read.
    #[doc = example!("multicast", "multicast_ttl_v4")]
    pub fn multicast_ttl_v4(&self) -> io::Result<u32> {
        self.options().multicast_ttl_v4()
    }

    /// Sets the time to live of IPv4 multicast datagrams, in hops: 1, the usual, keeps them in the
    /// local network.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the option cannot be set.
    #[doc = example!("multicast", "multicast_ttl_v4")]
    pub fn set_multicast_ttl_v4(&self, ttl: u32) -> io::Result<()> {
        self.options().set_multicast_ttl_v4(ttl)
    }

    /// Returns the hop limit of IPv6 multicast datagrams.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the option cannot be read.
    pub fn multicast_hops_v6(&self) -> io::Result<u32> {
        self.options().multicast_hops_v6()
    }

    /// Sets the hop limit of IPv6 multicast datagrams.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the option cannot be set.
    pub fn set_multicast_hops_v6(&self, hops: u32) -> io::Result<()> {
        self.options().set_multicast_hops_v6(hops)
    }
}
