//! `ConnectInfo` as an argument of axum's handlers.

use axum_core::extract::FromRequestParts;
use hyper::StatusCode;
use hyper::http::request::Parts;

use super::ConnectInfo;

/// With the feature `axum`, handlers can take the peer's address as an argument:
/// `ConnectInfo(peer): ConnectInfo<SocketAddr>`.
///
/// If the request was not passed on by [`serve`](fn@super::serve), or the listener's addresses are
/// of another type, the request is answered with status 500.
impl<A, S> FromRequestParts<S> for ConnectInfo<A>
where
    A: Clone + Send + Sync + 'static,
    S: Sync,
{
    type Rejection = (StatusCode, &'static str);

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        const MISSING: &str = "the request has no `wsrt_hyper::ConnectInfo` of this type of address";
        parts.extensions.get::<Self>().cloned().ok_or((StatusCode::INTERNAL_SERVER_ERROR, MISSING))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::Request;
    use std::net::SocketAddr;

    #[test]
    fn a_handler_gets_the_address_or_the_client_a_500() {
        let peer: SocketAddr = "127.0.0.1:7".parse().expect("an address");
        let (mut parts, ()) = Request::new(()).into_parts();
        let runtime = wsrt::runtime::Runtime::new().expect("a runtime is to be had");
        let missing = runtime.block_on(ConnectInfo::<SocketAddr>::from_request_parts(&mut parts, &()));
        assert_eq!(missing.expect_err("it is not there").0, StatusCode::INTERNAL_SERVER_ERROR);
        parts.extensions.insert(ConnectInfo(peer));
        let found = runtime.block_on(ConnectInfo::<SocketAddr>::from_request_parts(&mut parts, &()));
        assert_eq!(found, Ok(ConnectInfo(peer)));
    }
}
