//! The system calls of streams, on a simulated socket or an OS socket.

use super::MaybeSimulated;
use crate::net::stream::{Peek, Receive, StreamSocket, Transmit};
use crate::simulated_net::SimulatedSocket;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;

/// Receives into memory that need not be initialised, and initialises the bytes it counts.
fn receive_uninit(simulated: &dyn SimulatedSocket, buf: &mut [MaybeUninit<u8>], peeks: bool) -> io::Result<usize> {
    let mut filled = 0;
    simulated.receive(buf.len(), peeks, &mut |bytes| {
        for (room, byte) in buf[filled..].iter_mut().zip(bytes) {
            room.write(*byte);
        }
        filled += bytes.len();
    })?;
    Ok(filled)
}

impl<S: StreamSocket + Receive> Receive for MaybeSimulated<S> {
    // A simulated stream that has come to its end, or to an error, says so in an event.
    const SHORT_READ_DRAINS: bool = <S as StreamSocket>::SHORT_READ_DRAINS;

    fn receive_uninit(&self, buf: &mut [MaybeUninit<u8>]) -> io::Result<usize> {
        match &self.simulated {
            Some(simulated) => receive_uninit(&**simulated, buf, false),
            None => self.system.receive_uninit(buf),
        }
    }

    fn receive(&self, buf: &mut [u8]) -> io::Result<usize> {
        let Some(simulated) = &self.simulated else { return self.system.receive(buf) };
        let mut filled = 0;
        simulated.receive(buf.len(), false, &mut |bytes| {
            buf[filled..filled + bytes.len()].copy_from_slice(bytes);
            filled += bytes.len();
        })?;
        Ok(filled)
    }

    fn receive_vectored(&self, bufs: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        let Some(simulated) = &self.simulated else { return self.system.receive_vectored(bufs) };
        let room = bufs.iter().map(|buf| buf.len()).sum();
        let mut filled = 0;
        let mut places = bufs.iter_mut().flat_map(|buf| buf.iter_mut());
        simulated.receive(room, false, &mut |bytes| {
            bytes.iter().zip(places.by_ref()).for_each(|(byte, place)| *place = *byte);
            filled += bytes.len();
        })?;
        Ok(filled)
    }
}

impl<S: StreamSocket + Peek> Peek for MaybeSimulated<S> {
    fn peek_uninit(&self, buf: &mut [MaybeUninit<u8>]) -> io::Result<usize> {
        match &self.simulated {
            Some(simulated) => receive_uninit(&**simulated, buf, true),
            None => self.system.peek_uninit(buf),
        }
    }
}

impl<S: StreamSocket + Transmit> Transmit for MaybeSimulated<S> {
    const SHORT_WRITE_DRAINS: bool = <S as StreamSocket>::SHORT_WRITE_DRAINS;

    fn transmit(&self, buf: &[u8]) -> io::Result<usize> {
        match &self.simulated {
            Some(simulated) => simulated.send(&[IoSlice::new(buf)], None),
            None => self.system.transmit(buf),
        }
    }

    fn transmit_vectored(&self, bufs: &[IoSlice<'_>]) -> io::Result<usize> {
        match &self.simulated {
            Some(simulated) => simulated.send(bufs, None),
            None => self.system.transmit_vectored(bufs),
        }
    }
}
