//! Datagrams: the common part of UDP's and Unix's sockets.
//!
//! Everything goes through `&self`, for any number of tasks: datagrams do not run into one another.

mod calls;
pub(super) mod methods;
mod transfer;

pub(super) use self::calls::Datagrams;
