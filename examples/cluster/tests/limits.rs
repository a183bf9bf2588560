//! No client makes the cluster grow without end, and no message takes long: a message that goes
//! beyond a limit is refused, in words that say so.

mod harness;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use harness::{Client, Durability, LIMIT, Program, Redis, wait_until};
use serde_json::Value;
use wsrt_cluster::node::Node;
use wsrt_cluster::protocol::Frame;
use wsrt_cluster::store::{Limits, MemoryStore, RedisStore, Store, StoreAddress};

const LEASE: Duration = Duration::from_secs(3600);
/// So few that a test reaches them by hand.
const FEW: Limits = Limits { assumed_workers: 4, jobs: 3, results: 2 };

fn block_on<F: Future>(future: F) -> F::Output {
    wsrt::runtime::Runtime::new().expect("a runtime").block_on(future)
}

async fn redis_store(redis: &Redis, limits: Limits) -> RedisStore {
    let StoreAddress::Redis(info) = redis.url().parse().expect("an address") else { panic!("it is a Redis") };
    RedisStore::open(*info, "limits").await.with_limits(limits)
}

/// Sends a message of these fields, and returns the answer's body.
async fn tell<S: Store>(node: &Node<S>, fields: &str) -> Value {
    let message = format!(r#"{{"src":"c","dest":"n","body":{{"msg_id":1,{fields}}}}}"#);
    let mut answer = Vec::new();
    node.answer(Frame::Message(message.as_bytes())).await.write(&mut answer);
    serde_json::from_slice::<Value>(&answer).expect("JSON")["body"].take()
}

#[track_caller]
fn assert_refused(body: &Value, kind: &str, text: &str) {
    assert_eq!((&body["type"], &body["error"], &body["text"]), (&"error".into(), &kind.into(), &text.into()), "{body}");
}

async fn what_is_beyond_the_limits_is_refused<S: Store>(store: S) {
    const NO_MORE_WORKERS: &str = "the cluster may have 4 workers without an init, and not more";
    const NO_MORE_JOBS: &str = "the cluster may have 3 jobs without a result, and not more";
    let node = Node::new(Arc::new(store), 1, LEASE);
    let steal =
        |thief: &str, busy: &str| format!(r#""type":"steal_job","thief_worker":"{thief}","busy_workers":{busy}"#);
    assert_refused(&tell(&node, &steal("t", r#"["a","b","c","d"]"#)).await, "full", NO_MORE_WORKERS);
    assert_eq!(tell(&node, &steal("t", r#"["a","b","c"]"#)).await["type"], "job_stolen");
    assert_refused(&tell(&node, &steal("u", r#"["a"]"#)).await, "full", NO_MORE_WORKERS);
    assert_refused(&tell(&node, &steal("t", r#"["u"]"#)).await, "full", NO_MORE_WORKERS);
    assert_eq!(tell(&node, &steal("a", r#"["b"]"#)).await["type"], "job_stolen", "those that are there stay");

    assert_eq!(tell(&node, r#""type":"init","workers":["a"],"jobs_to_distribute":3"#).await["type"], "init_ok");
    let submit = r#""type":"submit_job","worker":"a""#;
    assert_refused(&tell(&node, submit).await, "full", NO_MORE_JOBS);
    let complete = |job: &str| format!(r#""type":"complete_job","worker":"a","job_id":"{job}","result":7"#);
    assert_eq!(tell(&node, &complete("job0")).await["type"], "job_completed");
    assert_eq!(tell(&node, submit).await["type"], "job_submitted", "there is room again");
    assert_refused(&tell(&node, submit).await, "full", NO_MORE_JOBS);

    for job in ["job1", "job2"] {
        assert_eq!(tell(&node, &complete(job)).await["type"], "job_completed");
    }
    let find = |job: &str| format!(r#""type":"find_job","job_id":"{job}""#);
    assert_refused(&tell(&node, &find("job0")).await, "unknown_job", "there is no job job0");
    for job in ["job1", "job2"] {
        assert_eq!(tell(&node, &find(job)).await["place"], "done", "the newest results are kept");
    }
    assert_eq!(tell(&node, r#""type":"submit_job","worker":"a","job_id":"job0""#).await["type"], "job_submitted");

    let long = "x".repeat((16 << 10) - 1);
    let payload = format!(r#""type":"submit_job","worker":"a","payload":"{long}""#);
    let too_long = |field| format!("the field \"{field}\": has 16385 bytes of JSON; 16384 at most");
    assert_refused(&tell(&node, &payload).await, "invalid_field", &too_long("payload"));
    let result = format!(r#""type":"complete_job","worker":"a","job_id":"job0","result":"{long}""#);
    assert_refused(&tell(&node, &result).await, "invalid_field", &too_long("result"));
}

#[test]
fn memory_refuses_what_is_beyond_its_limits() {
    block_on(what_is_beyond_the_limits_is_refused(MemoryStore::with_limits(FEW)));
}

#[test]
fn redis_refuses_what_is_beyond_its_limits() {
    let Some(redis) = Redis::start("redis_refuses_what_is_beyond_its_limits", Durability::None) else { return };
    block_on(async { what_is_beyond_the_limits_is_refused(redis_store(&redis, FEW).await).await });
}

/// The figures of `docs/CLUSTER.md`.
#[test]
fn the_limits_are_those_of_the_document() {
    assert_eq!(Limits::default(), Limits { assumed_workers: 100, jobs: 100_000, results: 100_000 });
}

/// A connection that asks Redis how many commands it has run, those of scripts included.
struct Count(BufReader<TcpStream>);

impl Count {
    fn new(redis: &Redis) -> Self {
        let address = redis.url();
        let address = address.trim_start_matches("redis://").trim_end_matches('/');
        let stream = TcpStream::connect(address).expect("it listens");
        stream.set_read_timeout(Some(LIMIT)).expect("a limit above zero");
        Self(BufReader::new(stream))
    }

    fn commands(&mut self) -> u64 {
        self.0.get_mut().write_all(b"INFO commandstats\r\n").expect("it reads");
        let mut length = String::new();
        self.0.read_line(&mut length).expect("it answers");
        let length: usize = length.trim_start_matches('$').trim_end().parse().expect("a number");
        let mut text = vec![0; length + 2];
        self.0.read_exact(&mut text).expect("as long as it says");
        let text = String::from_utf8(text).expect("text");
        // cmdstat_hget:calls=7,usec=…; not those that others make without end.
        let lines =
            text.lines().filter(|line| !["info", "time", "client", "script"].iter().any(|of| line.contains(of)));
        let calls = lines.filter_map(|line| line.split_once(":calls=")?.1.split(',').next()?.parse::<u64>().ok());
        calls.sum()
    }

    /// The commands of a step.
    async fn of<T>(&mut self, step: impl Future<Output = T>) -> (u64, T) {
        let before = self.commands();
        let output = step.await;
        (self.commands() - before, output)
    }
}

fn names(count: u64) -> Vec<String> {
    (0..count).map(|number| format!("w{number}")).collect()
}

#[test]
fn the_work_of_a_message_is_bounded_in_redis() {
    let Some(redis) = Redis::start("the_work_of_a_message_is_bounded_in_redis", Durability::None) else { return };
    block_on(async {
        let (store, mut count) = (redis_store(&redis, Limits::default()).await, Count::new(&redis));
        let most = Limits::default().assumed_workers;
        assert_eq!(store.assume_starting_state("thief", &names(most - 1)).await, Ok(true));
        let (commands, place) = count.of(store.find("nowhere")).await;
        assert!(place.is_err() && commands <= 4 * (most + 2), "{commands} commands to find a job that is not there");
        let (commands, joined) = count.of(store.join("program")).await;
        assert!(joined.is_ok() && commands <= 30 * most, "{commands} commands to leave the starting state");

        store.init(&names(1000), 5000).await.expect("no job is unfinished");
        let (commands, place) = count.of(store.find("job4999")).await;
        assert!(place.is_ok() && commands <= 6, "{commands} commands to find a job");
        let (commands, done) = count.of(store.complete("w999", "job4999", None, "7")).await;
        assert!(done.is_ok() && commands <= 16, "{commands} commands to complete a job");
    });
}

#[test]
fn a_client_too_many_is_told_so() {
    let (_program, address) = Program::listen(&[]);
    let mut clients: Vec<_> = (0..500).map(|_| Client::connect(&address)).collect();
    let refused = Client::connect(&address).body();
    assert_refused(&refused, "full", "the node has 500 clients, and takes no more");
    let check = r#""type":"check_cluster_state""#;
    assert_eq!(clients[0].ask(check)["type"], "cluster_state_ok", "the others are served");
    clients.truncate(400);
    // The node notices in its own time that they are gone.
    wait_until("there is a place again", || {
        let mut stream = TcpStream::connect(&address).expect("the node listens");
        stream.set_read_timeout(Some(LIMIT)).expect("a limit above zero");
        let message = format!("{{\"src\":\"c\",\"dest\":\"n\",\"body\":{{\"msg_id\":1,{check}}}}}\n");
        let _ = stream.write_all(message.as_bytes());
        let mut line = String::new();
        // An error is a refusal that got lost: the node closes with a message unread.
        let _ = BufReader::new(stream).read_line(&mut line);
        line.contains("cluster_state_ok").then_some(())
    });
}
