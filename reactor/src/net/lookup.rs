//! Resolution of a target to addresses: at once if the target is numeric, through the runtime's
//! blocking threads if it is a name.

use super::addrs::{LookupTarget, ToSocketAddrs};
use super::at_once::at_once;
use super::reply::{Reply, reply};
use crate::context::{self, ReactorContext};
use crate::error::{naming, no_address};
use std::io;
use std::net::{SocketAddr, ToSocketAddrs as _};

/// Resolves a host name to its addresses, and returns an iterator over all of them in the
/// resolver's order. A numeric address is returned unchanged.
///
/// The OS's resolver performs the lookup, on a thread that may block.
///
/// # Panics
///
/// Panics if a host name has to be resolved and the future is polled outside a runtime.
///
/// # Errors
///
/// Returns an error if the text does not have the form `host:port`, if the resolver fails, or if
/// the runtime shuts down before the resolver answers. An OS error keeps its error number; other
/// errors name the host.
///
/// # Cancel safety
///
/// If the future is dropped before completion, the lookup continues in the background, and its
/// result is discarded.
///
/// # Examples
///
/// ```
/// # use wsrt_reactor as wsrt;
/// # wsrt_reactor_testing::run(async {
/// let addresses: Vec<_> = wsrt::net::lookup_host("localhost:8080").await?.collect();
/// assert!(addresses.iter().all(|address| address.ip().is_loopback()));
/// # std::io::Result::Ok(()) }).unwrap();
/// ```
pub async fn lookup_host<A: ToSocketAddrs>(host: A) -> io::Result<impl Iterator<Item = SocketAddr>> {
    let target = at_once(|| host.target()).await?;
    let addresses = match target {
        LookupTarget::One(address) => vec![address],
        LookupTarget::Known(addresses) => addresses,
        LookupTarget::Named { host, port } => look_up(host, port, &context::required_to_look_up("lookup_host")).await?,
    };
    Ok(addresses.into_iter())
}

/// The addresses of `target`, at least one. Only a name needs the context of `operation`.
pub(super) async fn resolve(target: LookupTarget, operation: &str) -> io::Result<Vec<SocketAddr>> {
    let addresses = match at_once(|| target).await {
        LookupTarget::One(address) => vec![address],
        LookupTarget::Known(addresses) => addresses,
        LookupTarget::Named { host, port } => look_up(host, port, &context::required_to_look_up(operation)).await?,
    };
    if addresses.is_empty() {
        return Err(no_address());
    }
    Ok(addresses)
}

/// The address of `target` that a datagram goes to: of several, the first of the family of `local`,
/// or else the first.
pub(super) async fn resolve_one(
    target: LookupTarget,
    operation: &str,
    local: impl FnOnce() -> io::Result<SocketAddr>,
) -> io::Result<SocketAddr> {
    if let LookupTarget::One(address) = target {
        return Ok(address);
    }
    let addresses = resolve(target, operation).await?;
    let is_ipv6 = local()?.is_ipv6();
    let of_own_family = addresses.iter().find(|address| address.is_ipv6() == is_ipv6);
    Ok(*of_own_family.unwrap_or(&addresses[0]))
}

async fn look_up(host: String, port: u16, context: &ReactorContext) -> io::Result<Vec<SocketAddr>> {
    if let Some(network) = context.services().network() {
        let addresses = network.resolve(&host)?;
        return Ok(addresses.into_iter().map(|ip| SocketAddr::new(ip, port)).collect());
    }
    let (reply, answer) = reply();
    let name = host.clone();
    context.services().offload(Box::new(move || ask_system(&host, port, reply)));
    answer
        .await
        .unwrap_or_else(|| Err(io::Error::other("the thread that was to ask is gone")))
        .map_err(|original| naming("resolve", format_args!("`{name}`"), original))
}

fn ask_system(host: &str, port: u16, reply: Reply<io::Result<Vec<SocketAddr>>>) {
    let found = (host, port).to_socket_addrs().map(Iterator::collect);
    reply.send(found);
}
