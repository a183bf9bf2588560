//! TCP and UDP addresses in the representation of the C library.

use std::mem::size_of;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};

use libc::{c_int, sa_family_t, sockaddr, sockaddr_in, sockaddr_in6, sockaddr_storage, socklen_t};

/// Returns the TCP or UDP address at `address`, or `None` if there is no such address.
///
/// # Safety
///
/// `address` must be null, or there must be `length` bytes at `address`.
pub(super) unsafe fn read(address: *const sockaddr, length: socklen_t) -> Option<SocketAddr> {
    let length = length as usize;
    if address.is_null() || length < size_of::<sa_family_t>() {
        return None;
    }
    // SAFETY: a family is there; nothing says that it is aligned.
    let family = unsafe { address.cast::<sa_family_t>().read_unaligned() };
    match c_int::from(family) {
        libc::AF_INET if length >= size_of::<sockaddr_in>() => {
            // SAFETY: so many bytes are there, and any are numbers.
            let of_v4 = unsafe { address.cast::<sockaddr_in>().read_unaligned() };
            let ip = Ipv4Addr::from(of_v4.sin_addr.s_addr.to_ne_bytes());
            Some(SocketAddrV4::new(ip, u16::from_be(of_v4.sin_port)).into())
        }
        libc::AF_INET6 if length >= size_of::<sockaddr_in6>() => {
            // SAFETY: so many bytes are there, and any are numbers.
            let of_v6 = unsafe { address.cast::<sockaddr_in6>().read_unaligned() };
            let ip = Ipv6Addr::from(of_v6.sin6_addr.s6_addr);
            Some(SocketAddrV6::new(ip, u16::from_be(of_v6.sin6_port), of_v6.sin6_flowinfo, of_v6.sin6_scope_id).into())
        }
        _ => None,
    }
}

/// Writes as much of `shown` as there is room for, and returns the full length, as the C library
/// does.
///
/// # Safety
///
/// `room` must be null or have room for `length` bytes.
pub(super) unsafe fn write(shown: SocketAddr, room: *mut sockaddr, length: socklen_t) -> socklen_t {
    // SAFETY: all of it may be zero: it is numbers.
    let mut storage: sockaddr_storage = unsafe { std::mem::zeroed() };
    let place = &raw mut storage;
    let whole = match shown {
        SocketAddr::V4(shown) => {
            // SAFETY: the storage has room for any address, and is aligned for each.
            let of_v4 = unsafe { &mut *place.cast::<sockaddr_in>() };
            of_v4.sin_family = libc::AF_INET as sa_family_t;
            of_v4.sin_port = shown.port().to_be();
            of_v4.sin_addr.s_addr = u32::from_ne_bytes(shown.ip().octets());
            size_of::<sockaddr_in>()
        }
        SocketAddr::V6(shown) => {
            // SAFETY: the storage has room for any address, and is aligned for each.
            let of_v6 = unsafe { &mut *place.cast::<sockaddr_in6>() };
            of_v6.sin6_family = libc::AF_INET6 as sa_family_t;
            of_v6.sin6_port = shown.port().to_be();
            of_v6.sin6_flowinfo = shown.flowinfo();
            of_v6.sin6_addr.s6_addr = shown.ip().octets();
            of_v6.sin6_scope_id = shown.scope_id();
            size_of::<sockaddr_in6>()
        }
    };
    if !room.is_null() {
        // SAFETY: the caller lends the room, and the storage has more than so many bytes.
        unsafe { std::ptr::copy_nonoverlapping(place.cast::<u8>(), room.cast::<u8>(), whole.min(length as usize)) };
    }
    whole as socklen_t
}

#[cfg(test)]
mod tests {
    use super::*;

    fn there_and_back(address: &str) {
        let address: SocketAddr = address.parse().expect("it is one");
        let mut room = [0_u8; size_of::<sockaddr_storage>()];
        let place = room.as_mut_ptr().cast::<sockaddr>();
        // SAFETY: there is so much room.
        let length = unsafe { write(address, place, room.len() as socklen_t) };
        // SAFETY: so many bytes are there.
        let back = |length| unsafe { read(place, length) };
        assert_eq!((back(length), back(length - 1), back(0)), (Some(address), None, None));
        let mut short = [7_u8; 4];
        // SAFETY: there is room for two bytes, which is less than the address has.
        let whole = unsafe { write(address, short.as_mut_ptr().cast(), 2) };
        assert_eq!((whole, short[0], short[2], short[3]), (length, room[0], 7, 7));
    }

    #[test]
    fn addresses_survive_the_way_there_and_back() {
        there_and_back("10.0.0.2:80");
        there_and_back("[2001:db8::7%3]:65535");
    }
}
