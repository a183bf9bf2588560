//! Redis may be away at the start, die in the middle or hang: clients get typed errors, the node
//! serves on, and no job is lost or done twice.

mod harness;

use std::collections::BTreeSet;

use harness::{Client, Durability, LIMIT, Program, Redis, free_port, wait_until};

const CHECK: &str = r#""type":"check_cluster_state""#;

fn is_away(body: &serde_json::Value) -> bool {
    body["type"] == "error" && (body["error"] == "store_unavailable" || body["error"] == "outcome_unknown")
}

fn submit(client: &mut Client, worker: &str, job: &str) -> serde_json::Value {
    client.ask(&format!(r#""type":"submit_job","worker":"{worker}","job_id":"{job}","payload":{{"wait_us":5000}}"#))
}

#[test]
fn redis_may_come_after_the_node() {
    let port = free_port();
    let url = format!("redis://127.0.0.1:{port}");
    let (node, address) = Program::listen(&["--store", &url]);
    let complaint = node.complained.recv_timeout(LIMIT).expect("it complains");
    assert!(complaint.contains("Redis is away") && complaint.contains(&port.to_string()), "{complaint}");
    let worker = Program::start(&["--store", &url, "--worker", "w"]);

    let mut client = Client::connect(&address);
    for fields in [
        CHECK,
        r#""type":"init","workers":["w1"],"jobs_to_distribute":1"#,
        r#""type":"steal_job","thief_worker":"w3","busy_workers":["w1","w2"]"#,
        r#""type":"submit_job","worker":"w1""#,
        r#""type":"take_job","worker":"w1""#,
        r#""type":"complete_job","worker":"w1","job_id":"job0""#,
        r#""type":"find_job","job_id":"job0""#,
        r#""type":"run_simulation","duration_ms":10"#,
    ] {
        let body = client.ask(fields);
        assert_eq!((&body["error"], &body["code"]), (&"store_unavailable".into(), &11.into()), "{fields}: {body}");
        assert!(body["text"].as_str().expect("it is text").contains(&port.to_string()), "{body}");
    }
    // A mistake in a message is reported as ever.
    assert_eq!(client.ask(r#""type":"dance""#)["error"], "unknown_type");

    let Some(_redis) = Redis::start_at("redis_may_come_after_the_node", port) else { return };
    wait_until("the node finds Redis", || (client.ask(CHECK)["type"] == "cluster_state_ok").then_some(()));
    wait_until("the worker joins", || (submit(&mut client, "w", "job")["type"] == "job_submitted").then_some(()));
    wait_until("the job is done", || {
        (client.ask(r#""type":"find_job","job_id":"job""#)["place"] == "done").then_some(())
    });
    drop(worker);
}

#[test]
fn redis_may_die_in_the_middle() {
    let Some(mut redis) = Redis::start("redis_may_die_in_the_middle", Durability::Always) else { return };
    let (_node, address) = Program::listen(&["--store", &redis.url()]);
    let workers: Vec<_> = ["a", "b"]
        .map(|name| Program::start(&["--store", &redis.url(), "--worker", name, "--lease-ms", "500", "--log"]))
        .into();
    let mut client = Client::connect(&address);
    wait_until("the workers join", || {
        (client.ask(CHECK)["workers"].as_object().is_some_and(|workers| workers.len() == 2)).then_some(())
    });

    let (mut promised, mut unknown) = (BTreeSet::new(), BTreeSet::new());
    let mut submit_one = |client: &mut Client, number: usize| {
        let job = format!("task-{number}");
        let body = submit(client, "a", &job);
        if body["type"] == "job_submitted" {
            promised.insert(job);
        } else {
            assert!(is_away(&body), "{body}");
            if body["error"] == "outcome_unknown" {
                unknown.insert(job);
            }
        }
        body
    };
    for number in 0..300 {
        submit_one(&mut client, number);
    }
    for round in 0..3 {
        // In the middle of it: workers are at work, and hold results that they cannot record.
        redis.kill();
        let mut number = 1_000 * (round + 1);
        wait_until("the node notices", || {
            number += 1;
            (submit_one(&mut client, number)["error"] == "store_unavailable").then_some(())
        });
        redis.restart();
        wait_until("the node comes back", || {
            number += 1;
            (submit_one(&mut client, number)["type"] == "job_submitted").then_some(())
        });
    }
    wait_until("all is done", || (client.ask(CHECK)["all_idle"] == true).then_some(()));

    for job in &promised {
        let found = client.ask(&format!(r#""type":"find_job","job_id":"{job}""#));
        assert_eq!(found["place"], "done", "{job}: {found}");
    }
    let recorded = recorded_by(workers);
    assert!(promised.is_subset(&recorded));
    assert!(recorded.iter().all(|job| promised.contains(job) || unknown.contains(job)), "nothing came from nowhere");
}

/// Ends the workers, and returns the jobs whose results they recorded: none twice.
fn recorded_by(workers: Vec<Program>) -> BTreeSet<String> {
    let mut recorded = BTreeSet::new();
    for mut worker in workers {
        worker.interrupt();
        assert!(worker.wait().success());
        while let Ok(line) = worker.said.recv_timeout(LIMIT) {
            if let [_, "recorded", job, ..] = line.split(' ').collect::<Vec<_>>()[..] {
                assert!(recorded.insert(job.to_owned()), "{job} was recorded twice");
            }
        }
    }
    recorded
}

#[test]
fn redis_may_hang() {
    let Some(redis) = Redis::start("redis_may_hang", Durability::None) else { return };
    let (_node, address) = Program::listen(&["--store", &redis.url()]);
    let mut client = Client::connect(&address);
    assert_eq!(client.ask(r#""type":"init","workers":["w1"],"jobs_to_distribute":3"#)["type"], "init_ok");
    redis.stop();
    let body = client.ask(r#""type":"take_job","worker":"w1""#);
    assert_eq!((&body["error"], &body["code"]), (&"outcome_unknown".into(), &0.into()), "{body}");
    assert!(is_away(&client.ask(CHECK)));
    redis.go_on();
    let state = wait_until("the node comes back", || {
        Some(client.ask(CHECK)).filter(|state| state["type"] == "cluster_state_ok")
    });
    // It was said to be unknown, and it was: the job is queued, or it is in flight.
    assert!(state["workers"]["w1"]["queue_size"].as_u64() >= Some(2), "{state}");
    assert_eq!(client.ask(r#""type":"init","workers":["w1"],"jobs_to_distribute":0"#)["error"], "unfinished_jobs");
}
