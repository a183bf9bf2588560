//! The leases in a Redis whose computer's calendar is set back.

mod harness;

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::Duration;

use harness::{Durability, Redis, wait_until};
use wsrt_cluster::store::{FORGET_AFTER, RedisStore, Store, StoreAddress};

const HOUR_MS: u64 = 3_600_000;

/// Runs a command without spaces in its words.
fn run(redis: &Redis, command: &str) {
    let url = redis.url();
    let address = url.strip_prefix("redis://").expect("its scheme").trim_end_matches('/');
    let mut stream = TcpStream::connect(address).expect("it listens");
    writeln!(stream, "{command}\r").expect("it reads");
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer).expect("it answers");
    assert!(!answer.starts_with('-'), "{command}: {answer}");
}

/// A test cannot set Redis's clock: the moments in it are set ahead, as they would be if the clock
/// had been an hour ahead when they were written.
#[test]
fn leases_end_in_time_after_the_calendar_was_set_back() {
    let Some(redis) = Redis::start("leases_end_in_time_after_the_calendar_was_set_back", Durability::None) else {
        return;
    };
    let runtime = wsrt::runtime::Runtime::new().expect("a runtime");
    let StoreAddress::Redis(info) = redis.url().parse().expect("an address") else { panic!("it is a Redis") };
    let store = runtime.block_on(RedisStore::open(*info, "clock"));
    runtime.block_on(async {
        store.join("w").await.expect("it joins");
        let _ = store.submit("w", Some("job"), "null").await.expect("it is new");
        let lease = Duration::from_millis(10);
        assert!(store.take("w", lease).await.expect("it is known").is_some());
    });
    run(&redis, &format!("ZINCRBY {{clock}}:flight {HOUR_MS} job"));
    run(&redis, &format!("ZINCRBY {{clock}}:began {HOUR_MS} job"));
    run(&redis, &format!("ZINCRBY {{clock}}:seen {HOUR_MS} w"));

    let is_over = || runtime.block_on(store.expire(FORGET_AFTER)).expect("Redis is there") == 1;
    wait_until("the lease is over", || is_over().then_some(()));
    assert_eq!(runtime.block_on(store.expire(Duration::ZERO)), Ok(0));
    let census = runtime.block_on(store.census()).expect("Redis is there");
    assert_eq!(census.queued, [("w".to_owned(), "job".to_owned())]);
}
