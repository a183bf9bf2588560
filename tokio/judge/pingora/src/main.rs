//! A reverse proxy on pingora: `proxy LISTEN UPSTREAM` forwards all requests, with two threads.

use std::env;
use std::net::SocketAddr;

use async_trait::async_trait;
use pingora_core::server::Server;
use pingora_core::server::configuration::ServerConf;
use pingora_core::upstreams::peer::HttpPeer;
use pingora_proxy::{ProxyHttp, Session, http_proxy_service};

struct Proxy {
    upstream: SocketAddr,
}

#[async_trait]
impl ProxyHttp for Proxy {
    type CTX = ();

    fn new_ctx(&self) {}

    async fn upstream_peer(&self, _: &mut Session, _: &mut ()) -> pingora_core::Result<Box<HttpPeer>> {
        Ok(Box::new(HttpPeer::new(self.upstream, false, String::new())))
    }
}

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [listen, upstream] = &arguments[..] else { panic!("proxy LISTEN UPSTREAM") };
    let upstream = upstream.parse().expect("an address");
    let configuration = ServerConf { threads: 2, ..ServerConf::default() };
    let mut server = Server::new_with_opt_and_conf(None, configuration);
    server.bootstrap();
    let mut service = http_proxy_service(&server.configuration, Proxy { upstream });
    service.add_tcp(listen);
    server.add_service(service);
    server.run_forever();
}
