//! Name lookups on wsrt by hickory-resolver: it asks a name server for the addresses and texts of
//! its arguments. `cargo run --release --example dns_lookup -- 127.0.0.1:53 example.org`
//!
//! hickory has its own runtime trait: the crate wsrt-hickory implements it.
//! (`wsrt::net::lookup_host`, and every function that takes a host's name, uses the OS's resolver
//! instead.)

use std::env;
use std::error::Error;
use std::net::SocketAddr;
use std::time::Duration;

use hickory_resolver::Resolver;
use hickory_resolver::config::{ConnectionConfig, NameServerConfig, ProtocolConfig, ResolverConfig};
use hickory_resolver::proto::rr::RData;
use wsrt::task::JoinSet;
use wsrt_hickory::HickoryOnWsrt;

#[wsrt::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let [server, names @ ..] = &arguments[..] else {
        return Err("usage: dns_lookup SERVER NAME...".into());
    };
    let resolver = resolver(server.parse()?)?;

    let mut lookups = JoinSet::new();
    for name in names {
        let (resolver, name) = (resolver.clone(), name.clone());
        lookups.spawn(async move {
            let mut found = match resolver.lookup_ip(format!("{name}.")).await {
                Ok(addresses) => addresses.iter().map(|address| address.to_string()).collect::<Vec<_>>(),
                Err(error) => vec![if error.is_nx_domain() { "does not exist".to_owned() } else { error.to_string() }],
            };
            if let Ok(texts) = resolver.txt_lookup(format!("{name}.")).await {
                found.extend(texts.answers().iter().filter_map(|record| match &record.data {
                    RData::TXT(text) => Some(format!("a text of {} bytes", text.txt_data.concat().len())),
                    _ => None,
                }));
            }
            found.sort_unstable();
            format!("{name}: {}", found.join(", "))
        });
    }
    let mut lines = Vec::new();
    while let Some(line) = lookups.join_next().await {
        lines.push(line?);
    }
    lines.sort_unstable();
    println!("{}", lines.join("\n"));
    Ok(())
}

fn resolver(server: SocketAddr) -> Result<Resolver<HickoryOnWsrt>, Box<dyn Error + Send + Sync>> {
    let ways = [ProtocolConfig::Udp, ProtocolConfig::Tcp].map(|protocol| {
        let mut way = ConnectionConfig::new(protocol);
        way.port = server.port();
        way
    });
    let server = NameServerConfig::new(server.ip(), true, ways.into());
    let config = ResolverConfig::from_name_servers(vec![server]);
    let mut builder = Resolver::builder_with_config(config, HickoryOnWsrt);
    builder.options_mut().timeout = Duration::from_secs(2);
    Ok(builder.build()?)
}
