//! The twin of `names.rs` where the C library's function is not taken over: names are the system's.

use std::net::IpAddr;

/// Nothing is given.
pub(crate) struct GivenNames;

/// Gives nothing.
pub(crate) fn give_names(_: impl Fn(&str) -> Option<IpAddr> + 'static) -> GivenNames {
    GivenNames
}
