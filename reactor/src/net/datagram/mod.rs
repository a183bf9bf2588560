//! Datagrams: what UDP's and Unix's sockets do in the same way, written once.
//!
//! Everything goes through `&self`, for any number of tasks: datagrams do not run into one another.

mod calls;
mod transfer;

pub(super) use self::calls::Datagrams;
