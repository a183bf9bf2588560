//! The redis client on wsrt's streams, against a real redis-server.

use wsrt_ecosystem_testing::{Redis, WITHOUT_TOKIO, example, output_of};

#[test]
fn a_real_redis_answers() {
    let Some(redis) = Redis::start() else { return };
    let mut client = example(WITHOUT_TOKIO, "redis_client").command();
    client.arg(redis.address().to_string());
    let said = output_of(client);
    let expected = "Hello from redis\n1 + 2 + ... + 100 = 5050\nwaiting for nothing: given up\nrefused: ";
    let refusal = said.strip_prefix(expected).unwrap_or_else(|| panic!("{said}"));
    assert!(refusal.contains("not an integer"), "{refusal}");
}
