//! Sends and receives datagrams through the descriptor of a socket that was bound in a simulation.
//! None of these calls blocks: if no datagram has arrived, the call returns an error, even on a
//! blocking socket.

use std::ffi::{c_uint, c_void};
use std::io::{self, ErrorKind, IoSlice, IoSliceMut};
use std::net::SocketAddr;
use std::ptr::{null, null_mut};

use libc::{c_int, iovec, mmsghdr, msghdr, size_t, sockaddr, socklen_t, ssize_t, timespec};
use wsrt_reactor::simulated_net::{SimulatedAddress, SimulatedSocket};

use super::{address, answer, behind, internet, is_kept, own};

/// Returns the non-empty parts of a message. An empty part may have no address.
///
/// # Safety
///
/// The message must be valid for `sendmsg` or `recvmsg`.
unsafe fn filled(message: &msghdr) -> impl Iterator<Item = &iovec> {
    let pieces = match message.msg_iovlen {
        0 => &[],
        // SAFETY: there are so many.
        count => unsafe { std::slice::from_raw_parts(message.msg_iov, count) },
    };
    pieces.iter().filter(|piece| piece.iov_len > 0)
}

/// Sends one datagram, or several if the message asks to be split.
///
/// # Safety
///
/// The message must be valid for `sendmsg`.
unsafe fn transmit(socket: &dyn SimulatedSocket, message: &msghdr) -> io::Result<usize> {
    // SAFETY: a message is the caller's, and has an address of this length, or none.
    let to = unsafe { address::read(message.msg_name.cast(), message.msg_namelen) };
    // SAFETY: they are the message's.
    let pieces: Vec<_> = unsafe { filled(message) }
        // SAFETY: so many bytes are there.
        .map(|piece| IoSlice::new(unsafe { std::slice::from_raw_parts(piece.iov_base.cast(), piece.iov_len) }))
        .collect();
    // SAFETY: as the caller says.
    let Some(length) = (unsafe { segment_length(message) }) else { return sent(socket, &pieces, to) };
    let whole: Vec<u8> = pieces.iter().flat_map(|piece| piece.iter().copied()).collect();
    socket.send_segments(&whole, length, to.map(SimulatedAddress::Ip)).map_err(of_datagrams)
}

fn sent(socket: &dyn SimulatedSocket, pieces: &[IoSlice<'_>], to: Option<SocketAddr>) -> io::Result<usize> {
    socket.send(pieces, to.map(SimulatedAddress::Ip)).map_err(of_datagrams)
}

/// Converts an error to the one that the system returns for datagrams.
fn of_datagrams(error: io::Error) -> io::Error {
    match error.kind() {
        ErrorKind::InvalidInput => io::Error::from_raw_os_error(libc::EMSGSIZE),
        ErrorKind::NotConnected => io::Error::from_raw_os_error(libc::EDESTADDRREQ),
        _ => error,
    }
}

/// Returns the length of the datagrams into which a message is to be split, or `None` if it is not
/// to be split.
///
/// # Safety
///
/// The message must be valid for `sendmsg`.
unsafe fn segment_length(message: &msghdr) -> Option<usize> {
    // SAFETY: as the caller says.
    let mut next = unsafe { libc::CMSG_FIRSTHDR(message) };
    while !next.is_null() {
        // SAFETY: the C library's function says that one is there.
        let header = unsafe { &*next };
        if (header.cmsg_level, header.cmsg_type) == (libc::SOL_UDP, libc::UDP_SEGMENT) {
            // SAFETY: as above.
            let data = unsafe { libc::CMSG_DATA(next) };
            // SAFETY: this kind has a number of two bytes, at any address.
            let length = unsafe { data.cast::<u16>().read_unaligned() };
            return Some(length.into()).filter(|length| *length > 0);
        }
        // SAFETY: as above.
        next = unsafe { libc::CMSG_NXTHDR(message, header) };
    }
    None
}

/// Receives one datagram. If the datagram is longer than the buffers, the rest is lost.
///
/// # Safety
///
/// The message must be valid for `recvmsg`.
unsafe fn receive(socket: &dyn SimulatedSocket, message: &mut msghdr, flags: c_int) -> io::Result<usize> {
    // SAFETY: they are the message's.
    let mut pieces: Vec<_> = unsafe { filled(message) }
        // SAFETY: the caller lends so much room.
        .map(|piece| IoSliceMut::new(unsafe { std::slice::from_raw_parts_mut(piece.iov_base.cast(), piece.iov_len) }))
        .collect();
    let room = pieces.iter().map(|piece| piece.len()).sum();
    let mut places = pieces.iter_mut().flat_map(|piece| piece.iter_mut());
    let (count, from) = socket.receive(room, flags & libc::MSG_PEEK != 0, &mut |bytes| {
        bytes.iter().zip(places.by_ref()).for_each(|(byte, place)| *place = *byte);
    })?;
    if !message.msg_name.is_null() {
        let from = internet(from.ok_or(ErrorKind::InvalidInput)?)?;
        // SAFETY: so much room is there for an address.
        message.msg_namelen = unsafe { address::write(from, message.msg_name.cast(), message.msg_namelen) };
    }
    message.msg_controllen = 0;
    message.msg_flags = 0;
    Ok(count)
}

/// Calls `each` with one message after another until a call fails. The error is returned only if
/// the first message fails.
fn one_by_one(messages: &mut [mmsghdr], mut each: impl FnMut(&mut msghdr) -> io::Result<usize>) -> io::Result<usize> {
    for (index, message) in messages.iter_mut().enumerate() {
        match each(&mut message.msg_hdr) {
            Ok(count) => message.msg_len = count as c_uint,
            Err(error) if index == 0 => return Err(error),
            Err(_) => return Ok(index),
        }
    }
    Ok(messages.len())
}

/// Returns the messages that a caller provides as a slice.
///
/// # Safety
///
/// There must be `count` messages for the duration of the caller's call.
unsafe fn lent<'a>(messages: *mut mmsghdr, count: c_uint) -> &'a mut [mmsghdr] {
    match count {
        0 => &mut [],
        // SAFETY: as the caller says.
        count => unsafe { std::slice::from_raw_parts_mut(messages, count as usize) },
    }
}

/// Creates a message with a single part.
fn of_one(piece: &mut iovec, name: *mut c_void, length: socklen_t) -> msghdr {
    // SAFETY: all of it may be zero: numbers, and pointers that may be null.
    let mut message: msghdr = unsafe { std::mem::zeroed() };
    (message.msg_iov, message.msg_iovlen) = (piece, 1);
    (message.msg_name, message.msg_namelen) = (name, length);
    message
}

/// Replaces the C library's `sendmsg`: sends a message. On a simulated datagram socket, the
/// message is sent within the simulation and the call never blocks.
///
/// # Safety
///
/// The message must be valid for the C library's function.
pub unsafe extern "C-unwind" fn sendmsg(descriptor: c_int, message: *const msghdr, flags: c_int) -> ssize_t {
    let Some(socket) = behind(descriptor) else {
        // SAFETY: the arguments are the caller's.
        return unsafe { own::sendmsg(descriptor, message, flags) };
    };
    // SAFETY: the caller lends it.
    let message = unsafe { &*message };
    // SAFETY: it is as the caller says.
    answer(move || unsafe { transmit(&*socket, message) })
}

/// Replaces the C library's `recvmsg`: receives a message. On a simulated datagram socket, the
/// message comes from the simulation and the call never blocks.
///
/// # Safety
///
/// The message must be valid for the C library's function.
pub unsafe extern "C-unwind" fn recvmsg(descriptor: c_int, message: *mut msghdr, flags: c_int) -> ssize_t {
    let Some(socket) = behind(descriptor) else {
        // SAFETY: the arguments are the caller's.
        return unsafe { own::recvmsg(descriptor, message, flags) };
    };
    // SAFETY: the caller lends it.
    let message = unsafe { &mut *message };
    // SAFETY: it is as the caller says.
    answer(move || unsafe { receive(&*socket, message, flags) })
}

/// Replaces the C library's `sendmmsg`: sends several messages. On a simulated datagram socket,
/// the messages are sent within the simulation and the call never blocks.
///
/// # Safety
///
/// The messages must be valid for the C library's function.
pub unsafe extern "C-unwind" fn sendmmsg(
    descriptor: c_int,
    messages: *mut mmsghdr,
    count: c_uint,
    flags: c_int,
) -> c_int {
    let Some(socket) = behind(descriptor) else {
        // SAFETY: the arguments are the caller's.
        return unsafe { own::sendmmsg(descriptor, messages, count, flags) };
    };
    // SAFETY: the messages are as the caller says.
    let messages = unsafe { lent(messages, count) };
    // SAFETY: each is as the caller says.
    answer(move || one_by_one(messages, |message| unsafe { transmit(&*socket, message) })) as c_int
}

/// Replaces the C library's `recvmmsg`: receives several messages. On a simulated datagram
/// socket, the messages come from the simulation and the call never blocks.
///
/// # Safety
///
/// The messages must be valid for the C library's function.
pub unsafe extern "C-unwind" fn recvmmsg(
    descriptor: c_int,
    messages: *mut mmsghdr,
    count: c_uint,
    flags: c_int,
    limit: *mut timespec,
) -> c_int {
    let Some(socket) = behind(descriptor) else {
        // SAFETY: the arguments are the caller's.
        return unsafe { own::recvmmsg(descriptor, messages, count, flags, limit) };
    };
    // SAFETY: the messages are as the caller says.
    let messages = unsafe { lent(messages, count) };
    // SAFETY: each is as the caller says.
    answer(move || one_by_one(messages, |message| unsafe { receive(&*socket, message, flags) })) as c_int
}

/// Replaces the C library's `sendto`: sends a datagram to an address. On a simulated datagram
/// socket, the datagram is sent within the simulation and the call never blocks.
///
/// # Safety
///
/// There must be `count` bytes at `bytes`. `to` must be null, or there must be `length` bytes at
/// `to`.
pub unsafe extern "C-unwind" fn sendto(
    descriptor: c_int,
    bytes: *const c_void,
    count: size_t,
    flags: c_int,
    to: *const sockaddr,
    length: socklen_t,
) -> ssize_t {
    let Some(socket) = behind(descriptor) else {
        // SAFETY: the arguments are the caller's.
        return unsafe { own::sendto(descriptor, bytes, count, flags, to, length) };
    };
    let mut piece = iovec { iov_base: bytes.cast_mut(), iov_len: count };
    let message = of_one(&mut piece, to.cast_mut().cast(), length);
    // SAFETY: the bytes and the address are as the caller says, and are only read.
    answer(move || unsafe { transmit(&*socket, &message) })
}

/// Replaces the C library's `recvfrom`: receives a datagram and the sender's address. On a
/// simulated datagram socket, the datagram comes from the simulation and the call never blocks.
///
/// # Safety
///
/// `room` must have room for `count` bytes. `from` must be null, or `length` must point to a length
/// and `from` must have room for as many bytes.
pub unsafe extern "C-unwind" fn recvfrom(
    descriptor: c_int,
    room: *mut c_void,
    count: size_t,
    flags: c_int,
    from: *mut sockaddr,
    length: *mut socklen_t,
) -> ssize_t {
    let Some(socket) = behind(descriptor) else {
        // SAFETY: the arguments are the caller's.
        return unsafe { own::recvfrom(descriptor, room, count, flags, from, length) };
    };
    // SAFETY: it is null, or a length is there.
    let length = unsafe { length.as_mut() };
    let mut piece = iovec { iov_base: room, iov_len: count };
    let mut message = of_one(&mut piece, from.cast(), length.as_ref().map_or(0, |length| **length));
    let filled = &mut message;
    // SAFETY: the rooms are as the caller says.
    let count = answer(move || unsafe { receive(&*socket, filled, flags) });
    if let (Some(length), false) = (length, from.is_null()) {
        *length = message.msg_namelen;
    }
    count
}

/// Replaces the C library's `send`: sends a datagram to the connected peer. On a simulated
/// datagram socket, the datagram is sent within the simulation and the call never blocks.
///
/// # Safety
///
/// There must be `count` bytes at `bytes`.
pub unsafe extern "C-unwind" fn send(descriptor: c_int, bytes: *const c_void, count: size_t, flags: c_int) -> ssize_t {
    if !is_kept(descriptor) {
        // SAFETY: the arguments are the caller's.
        return unsafe { own::send(descriptor, bytes, count, flags) };
    }
    // SAFETY: the bytes are as the caller says, and the address is null.
    unsafe { sendto(descriptor, bytes, count, flags, null(), 0) }
}

/// Replaces the C library's `recv`: receives a datagram. On a simulated datagram socket, the
/// datagram comes from the simulation and the call never blocks.
///
/// # Safety
///
/// `room` must have room for `count` bytes.
pub unsafe extern "C-unwind" fn recv(descriptor: c_int, room: *mut c_void, count: size_t, flags: c_int) -> ssize_t {
    if !is_kept(descriptor) {
        // SAFETY: the arguments are the caller's.
        return unsafe { own::recv(descriptor, room, count, flags) };
    }
    // SAFETY: the room is as the caller says, and no address is asked for.
    unsafe { recvfrom(descriptor, room, count, flags, null_mut(), null_mut()) }
}
