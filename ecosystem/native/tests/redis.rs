//! The redis client on wsrt's streams, against a real redis-server.

use std::net::TcpStream;

use wsrt_ecosystem_testing::{Running, Scratch, example, free_address, output_of, peer};

#[test]
fn a_real_redis_answers() {
    let Some(mut redis) = peer("redis-server") else { return };
    let (folder, address) = (Scratch::new(), free_address());
    redis.args(["--bind", "127.0.0.1", "--port", &address.port().to_string(), "--save", "", "--appendonly", "no"]);
    redis.args(["--dir", folder.path().to_str().expect("a readable name")]);
    let mut redis = Running::start(redis);
    redis.wait_until(|| TcpStream::connect(address).is_ok());

    let mut client = example(env!("CARGO_MANIFEST_DIR"), "redis_client").command();
    client.arg(address.to_string());
    let said = output_of(client);
    let expected = "Hello from redis\n1 + 2 + ... + 100 = 5050\nwaiting for nothing: given up\nrefused: ";
    let refusal = said.strip_prefix(expected).unwrap_or_else(|| panic!("{said}"));
    assert!(refusal.contains("not an integer"), "{refusal}");
}
