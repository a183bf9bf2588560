//! hickory-resolver unchanged, with its tokio runtime, against a real name server: dnsmasq.

use std::net::{SocketAddr, UdpSocket};
use std::time::Duration;

use hickory_resolver::TokioResolver;
use hickory_resolver::config::{ConnectionConfig, NameServerConfig, ProtocolConfig, ResolverConfig};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::proto::rr::RData;
use tokio::task::JoinSet;
use wsrt_drop_in_here::{assert_is_a_task_of_wsrt, assert_no_thread_is_tokio_s};
use wsrt_ecosystem_testing::NameServer;

fn resolver(server: SocketAddr, patience: Duration) -> TokioResolver {
    let ways = [ProtocolConfig::Udp, ProtocolConfig::Tcp].map(|protocol| {
        let mut way = ConnectionConfig::new(protocol);
        way.port = server.port();
        way
    });
    let config = ResolverConfig::from_name_servers(vec![NameServerConfig::new(server.ip(), true, ways.into())]);
    let mut builder = TokioResolver::builder_with_config(config, TokioRuntimeProvider::default());
    builder.options_mut().timeout = patience;
    builder.build().expect("a resolver")
}

async fn addresses(resolver: &TokioResolver, name: &str) -> Vec<String> {
    let found = resolver.lookup_ip(name).await.expect("it is known");
    let mut addresses: Vec<_> = found.iter().map(|address| address.to_string()).collect();
    addresses.sort_unstable();
    addresses
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_real_name_server_answers_many_tasks() {
    let Some(server) = NameServer::start() else { return };
    let resolver = resolver(server.address(), Duration::from_secs(20));
    let mut tasks = JoinSet::new();
    for n in 0..20 {
        let resolver = resolver.clone();
        tasks.spawn(async move {
            let (name, expected) = [("one.test.", &["10.1.2.3", "fd00::1"][..]), ("two.test.", &["10.1.2.4"])][n % 2];
            assert_eq!(addresses(&resolver, name).await, expected);
            assert_is_a_task_of_wsrt();
        });
    }
    tasks.join_all().await;
    let missing = resolver.lookup_ip("missing.test.").await.expect_err("it does not exist");
    assert!(missing.is_nx_domain(), "{missing}");
    assert_no_thread_is_tokio_s();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_answer_comes_over_tcp() {
    let Some(server) = NameServer::start() else { return };
    let resolver = resolver(server.address(), Duration::from_secs(20));
    let texts = resolver.txt_lookup("long.test.").await.expect("it is known");
    let lengths = texts.answers().iter().filter_map(|record| match &record.data {
        RData::TXT(text) => Some(text.txt_data.concat().len()),
        _ => None,
    });
    assert_eq!(lengths.collect::<Vec<_>>(), [2000]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_silent_name_server_is_given_up() {
    let silent = UdpSocket::bind("127.0.0.1:0").expect("there is a free port");
    let resolver = resolver(silent.local_addr().expect("it is bound"), Duration::from_millis(50));
    let error = resolver.lookup_ip("one.test.").await.expect_err("there is no answer");
    assert!(!error.is_nx_domain(), "{error}");
}
