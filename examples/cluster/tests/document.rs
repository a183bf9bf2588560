//! The document's own samples, as it shows them, have the answers that it shows, byte for byte:
//! with either store.

mod harness;

use harness::{Durability, Redis, answers};

/// "Work stealing balances load".
const BALANCES_LOAD: &str = r#"{"src":"client","dest":"cluster","body":{"type":"init","msg_id":1,"workers":["w1","w2","w3"],"jobs_to_distribute":6}}
{"src":"client","dest":"cluster","body":{"type":"run_simulation","msg_id":2,"duration_ms":1000}}
"#;
const INIT_OK: &str = r#"{"src": "cluster", "dest": "client", "body": {"type": "init_ok", "in_reply_to": 1}}"#;

/// "Steal from random victim", over several lines as in the document.
const STEAL: &str = r#"{
  "src": "client",
  "dest": "cluster",
  "body": {
    "type": "steal_job",
    "msg_id": 1,
    "thief_worker": "w3",
    "busy_workers": [
      "w1",
      "w2"
    ]
  }
}
"#;
const STOLEN: &str = r#"{"src": "cluster", "dest": "client", "body": {"type": "job_stolen", "in_reply_to": 1, "thief": "w3", "victim": "w1", "job_id": "job2", "victim_queue_size": 2}}"#;

const CHECK: &str = r#"{"src":"client","dest":"cluster","body":{ "type": "check_cluster_state", "msg_id": 2 }}"#;
/// Returns the body of an answer in the document's introduction, without the spaces that align it.
const ALL_IDLE: &str = r#"{"type":"cluster_state_ok","in_reply_to":2,"workers":{"w1":{"queue_size":0,"state":"idle"},"w2":{"queue_size":0,"state":"idle"},"w3":{"queue_size":0,"state":"idle"}},"all_idle":true}"#;

fn the_samples_have_their_answers(arguments: &[&str]) {
    let with_namespace = |name| [arguments, &["--namespace", name]].concat();
    let balanced = answers(&with_namespace("balance"), &format!("{BALANCES_LOAD}{CHECK}\n"));
    let lines: Vec<_> = balanced.lines().collect();
    assert_eq!(lines.len(), 3, "{balanced}");
    assert_eq!(lines[0], INIT_OK);
    let report: serde_json::Value = serde_json::from_str(lines[1]).expect("it is JSON");
    assert_eq!(report["body"]["type"], "simulation_ok");
    assert_eq!((&report["body"]["in_reply_to"], &report["body"]["jobs_done"]), (&2.into(), &6.into()));
    assert!(report["body"]["steals"].as_u64() > Some(0), "work stealing balances load: {}", lines[1]);
    assert!(lines[2].replace(' ', "").contains(ALL_IDLE), "{}", lines[2]);

    assert_eq!(answers(&with_namespace("steal"), STEAL), format!("{STOLEN}\n"));
    // One message a line is the same message.
    let on_one_line: String = STEAL.lines().map(str::trim).collect();
    assert_eq!(answers(&with_namespace("steal-in-a-line"), &on_one_line.replace(": ", ":")), format!("{STOLEN}\n"));
}

#[test]
fn the_samples_have_their_answers_from_memory() {
    let no_arguments_at_all = answers(&[], STEAL);
    assert_eq!(no_arguments_at_all, format!("{STOLEN}\n"));
    the_samples_have_their_answers(&[]);
}

#[test]
fn the_samples_have_their_answers_from_redis() {
    let Some(redis) = Redis::start("the_samples_have_their_answers_from_redis", Durability::Always) else { return };
    the_samples_have_their_answers(&["--store", &redis.url()]);
}

#[test]
fn the_seed_decides_about_the_victim() {
    let victim = |seed: u32| {
        let reply = answers(&["--seed", &seed.to_string()], STEAL);
        assert_eq!(reply, answers(&["--seed", &seed.to_string()], STEAL), "the choice repeats");
        // The starting state is every worker's.
        assert!(reply.contains(r#""job_id": "job2", "victim_queue_size": 2"#), "{reply}");
        reply.contains(r#""victim": "w1""#)
    };
    let chose_w1 = (0..12).filter(|&seed| victim(seed)).count();
    assert!((1..12).contains(&chose_w1), "{chose_w1} of 12 seeds chose w1");
}
