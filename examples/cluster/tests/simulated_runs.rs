//! A simulation with stealing comes close to the ideal on a skewed set of jobs, one without shows
//! the loss, and both do every job once.

mod harness;

use harness::{Client, Durability, Program, Redis};
use serde_json::Value;

const WORKERS: [&str; 4] = ["w1", "w2", "w3", "w4"];
const JOBS: u64 = 200;

/// Four workers, and all jobs on the first.
fn skewed(client: &mut Client) {
    let init = client.ask(r#""type":"init","workers":["w1","w2","w3","w4"],"jobs_to_distribute":0"#);
    assert_eq!(init["type"], "init_ok", "{init}");
    for _ in 0..JOBS {
        assert_eq!(client.ask(r#""type":"submit_job","worker":"w1""#)["type"], "job_submitted");
    }
}

/// All jobs together cost `work_ms`, so that the ideal is a quarter of it.
fn simulate(client: &mut Client, work_ms: u64, stealing: bool) -> Value {
    let report = client.ask(&format!(r#""type":"run_simulation","duration_ms":{work_ms},"stealing":{stealing}"#));
    assert_eq!((&report["type"], &report["stealing"]), (&"simulation_ok".into(), &stealing.into()), "{report}");
    assert_eq!(report["jobs_done"], JOBS, "{report}");
    let sum = |field: &str| WORKERS.iter().filter_map(|w| report["workers"][w][field].as_f64()).sum::<f64>();
    assert_eq!(sum("jobs"), JOBS as f64, "{report}");
    assert!((sum("busy_ms") - work_ms as f64).abs() < 2.0 && (sum("share") - 1.0).abs() < 0.01, "{report}");
    assert_eq!(client.ask(r#""type":"check_cluster_state""#)["all_idle"], true);
    report
}

fn ratio(report: &Value) -> f64 {
    report["ratio"].as_f64().expect("a number")
}

fn stealing_comes_close_to_the_ideal(client: &mut Client, work_ms: u64) {
    // The best of three: one may meet with a machine that has no time for it.
    let mut report = Value::Null;
    for _ in 0..3 {
        skewed(client);
        report = simulate(client, work_ms, true);
        if ratio(&report) <= 1.15 {
            break;
        }
    }
    assert!((1.0..=1.15).contains(&ratio(&report)), "{report}");
    assert!(report["steals"].as_u64() > Some(0), "{report}");
}

#[test]
fn stealing_is_nearly_ideal_and_far_better_than_none() {
    let (_program, address) = Program::listen(&[]);
    let mut client = Client::connect(&address);
    let work_ms = 4_000;
    stealing_comes_close_to_the_ideal(&mut client, work_ms);

    skewed(&mut client);
    let without = simulate(&mut client, work_ms, false);
    let idle = without["idle_ms"].as_f64().expect("a number");
    // One does it all, and three look on.
    assert!(ratio(&without) > 3.9 && idle > 2.9 * work_ms as f64, "{without}");
    assert_eq!((&without["steals"], &without["workers"]["w1"]["jobs"]), (&0.into(), &JOBS.into()), "{without}");
}

#[test]
fn stealing_comes_close_to_the_ideal_through_redis() {
    let Some(redis) = Redis::start("stealing_comes_close_to_the_ideal_through_redis", Durability::None) else { return };
    let (_program, address) = Program::listen(&["--store", &redis.url()]);
    // Larger jobs: each takes its way through three processes.
    stealing_comes_close_to_the_ideal(&mut Client::connect(&address), 10_000);
}

#[test]
fn a_cluster_with_nothing_to_do_is_done_at_once() {
    let (_program, address) = Program::listen(&[]);
    let mut client = Client::connect(&address);
    client.ask(r#""type":"init","workers":["w1"],"jobs_to_distribute":0"#);
    let report = client.ask(r#""type":"run_simulation","duration_ms":600000"#);
    assert_eq!((&report["jobs_done"], &report["makespan_ms"], &report["ratio"]), (&0.into(), &0.0.into(), &1.0.into()));
}

#[test]
fn programs_at_work_are_not_simulated() {
    let (_program, address) = Program::listen(&["--worker", "real"]);
    let mut client = Client::connect(&address);
    harness::wait_until("it joins", || client.ask(r#""type":"check_cluster_state""#)["workers"].get("real").cloned());
    let refusal = client.ask(r#""type":"run_simulation","duration_ms":1"#);
    assert_eq!(refusal["error"], "busy");
    assert!(refusal["text"].as_str().expect("it is text").contains("real"), "{refusal}");
}
