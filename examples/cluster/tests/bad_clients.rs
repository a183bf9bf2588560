//! A client may send anything: it gets a typed error, the node serves all others and the next
//! message, and nothing is lost.

mod harness;

use harness::{Client, Durability, LIMIT, Program, Redis, answers};

const TEN_MEGABYTES: usize = 10_000_000;
const CHECK: &str = r#""type":"check_cluster_state""#;

/// A node with three workers and six jobs.
fn node() -> (Program, String, Client) {
    let (program, address) = Program::listen(&[]);
    let mut client = Client::connect(&address);
    let init = client.ask(r#""type":"init","workers":["w1","w2","w3"],"jobs_to_distribute":6"#);
    assert_eq!(init["type"], "init_ok");
    (program, address, client)
}

fn assert_nothing_was_lost(client: &mut Client) {
    let state = client.ask(CHECK);
    let queued: u64 = ["w1", "w2", "w3"].iter().filter_map(|w| state["workers"][w]["queue_size"].as_u64()).sum();
    assert_eq!(queued, 6, "{state}");
}

#[test]
fn nonsense_is_an_error_and_the_next_message_is_served() {
    let (_program, _, mut client) = node();
    for (nonsense, kind) in [
        ("nonsense", "malformed_json"),
        ("{\"src\":\"c\"", "malformed_json"),
        ("\u{0}\u{1}", "malformed_json"),
        ("[]", "missing_field"),
        ("{\"src\":\"c\",\"dest\":\"n\",\"body\":{\"type\":\"init\",\"msg_id\":1}}", "missing_field"),
        ("{\"src\":\"c\",\"dest\":\"n\",\"body\":{\"type\":\"dance\",\"msg_id\":1}}", "unknown_type"),
        ("{\"src\":\"c\",\"dest\":\"n\",\"body\":{\"type\":\"take_job\",\"msg_id\":1,\"worker\":7}}", "invalid_field"),
        ("{} {}", "malformed_json"),
    ] {
        client.send(&format!("{nonsense}\n"));
        let body = client.body();
        assert_eq!((&body["type"], &body["error"]), (&"error".into(), &kind.into()), "{nonsense}: {body}");
        assert!(!body["text"].as_str().expect("it is text").is_empty());
    }
    assert_nothing_was_lost(&mut client);
}

#[test]
fn bytes_that_are_no_text_are_malformed() {
    let mut input = b"{\"src\":\"\xff\xfe\",\"dest\":\"n\",\"body\":{}}\n".to_vec();
    input.extend_from_slice(&[0xc3, 0x28, b'\n']);
    let (_program, address) = Program::listen(&[]);
    let mut client = Client::connect(&address);
    client.send_bytes(&input);
    for _ in 0..2 {
        assert_eq!(client.body()["error"], "malformed_json");
    }
}

#[test]
fn what_the_cluster_does_not_have_is_named() {
    let (_program, _, mut client) = node();
    for (fields, kind, culprit) in [
        (r#""type":"steal_job","thief_worker":"w9","busy_workers":["w1"]"#, "unknown_worker", "w9"),
        (r#""type":"steal_job","thief_worker":"w1","busy_workers":["w2","w8"]"#, "unknown_worker", "w8"),
        (r#""type":"take_job","worker":"w9""#, "unknown_worker", "w9"),
        (r#""type":"submit_job","worker":"w9""#, "unknown_worker", "w9"),
        (r#""type":"submit_job","worker":"w1","job_id":"job0""#, "duplicate_job", "job0"),
        (r#""type":"complete_job","worker":"w9","job_id":"job0""#, "unknown_worker", "w9"),
        (r#""type":"complete_job","worker":"w1","job_id":"job99""#, "unknown_job", "job99"),
        (r#""type":"complete_job","worker":"w2","job_id":"job0""#, "not_held", "job0"),
        (r#""type":"find_job","job_id":"job99""#, "unknown_job", "job99"),
        (r#""type":"init","workers":["a"],"jobs_to_distribute":1"#, "unfinished_jobs", "6 jobs"),
    ] {
        let body = client.ask(fields);
        assert_eq!(body["error"], kind, "{fields}: {body}");
        assert!(body["text"].as_str().expect("it is text").contains(culprit), "{fields}: {body}");
    }
    assert_nothing_was_lost(&mut client);
}

#[test]
fn empty_queues_have_nothing_to_steal() {
    let (_program, address) = Program::listen(&[]);
    let mut client = Client::connect(&address);
    client.ask(r#""type":"init","workers":["w1","w2","w3"],"jobs_to_distribute":0"#);
    let steal = |busy: &str| format!(r#""type":"steal_job","thief_worker":"w3","busy_workers":[{busy}]"#);
    for (busy, culprit) in [(r#""w1""#, "w1 has no job"), (r#""w2","w1""#, "none of w1, w2"), ("", "is empty")] {
        let body = client.ask(&steal(busy));
        assert_eq!(body["error"], "nothing_to_steal", "{body}");
        assert!(body["text"].as_str().expect("it is text").contains(culprit), "{body}");
    }
    assert_eq!(client.ask(r#""type":"take_job","worker":"w3""#)["error"], "queue_empty");
    // One job, and it is found however many empty queues are named beside it.
    client.ask(r#""type":"submit_job","worker":"w2","job_id":"the-one""#);
    assert_eq!(client.ask(&steal(r#""w1","w2""#))["job_id"], "the-one");
    assert_eq!(client.ask(CHECK)["workers"]["w3"]["state"], "busy");
}

#[test]
fn a_line_of_ten_megabytes_is_refused_and_skipped() {
    let (_program, address, mut client) = node();
    let mut other = Client::connect(&address);
    client.send(&format!("{{\"src\":\"{}", "x".repeat(TEN_MEGABYTES / 2)));
    assert_nothing_was_lost(&mut other);
    client.send(&format!("{}\"}}\n", "x".repeat(TEN_MEGABYTES / 2)));
    assert_eq!(client.body()["error"], "message_too_long");
    assert_nothing_was_lost(&mut client);

    let input =
        format!("{}\n{{\"src\":\"c\",\"dest\":\"n\",\"body\":{{{CHECK},\"msg_id\":5}}}}\n", "x".repeat(TEN_MEGABYTES));
    let output = answers(&[], &input);
    let lines: Vec<_> = output.lines().collect();
    assert_eq!(lines.len(), 2, "{output}");
    assert!(lines[0].contains("message_too_long") && lines[1].contains(r#""in_reply_to": 5"#), "{output}");
}

#[test]
fn a_client_that_leaves_mid_line_has_asked_for_nothing() {
    let (_program, address, mut client) = node();
    let half = r#"{"src":"c","dest":"n","body":{"type":"take_job","msg_id":1,"worker":"w1""#;
    for _ in 0..20 {
        Client::connect(&address).send(half);
    }
    let mut polite = Client::connect(&address);
    polite.send(half);
    polite.end();
    assert_eq!(polite.body()["error"], "malformed_json");
    assert_eq!(polite.receive(), "", "the node closes the connection");
    assert_nothing_was_lost(&mut client);
}

fn a_client_that_goes_with_a_job_in_hand_loses_nothing(arguments: &[&str]) {
    let (_program, address) = Program::listen(arguments);
    let mut client = Client::connect(&address);
    client.ask(r#""type":"init","workers":["w1","w2"],"jobs_to_distribute":1"#);
    let take = r#""type":"take_job","worker":"w1","lease_ms":50"#;
    let taken = Client::connect(&address).ask(take);
    assert_eq!((&taken["job_id"], &taken["attempt"]), (&"job0".into(), &1.into()), "{taken}");

    let again = harness::wait_until("its lease runs out", || {
        Some(client.ask(take)).filter(|again| again["type"] == "job_taken")
    });
    assert_eq!((&again["job_id"], &again["attempt"]), (&"job0".into(), &2.into()), "{again}");
    // It is back, and does not know that its time was over.
    let complete = |attempt: u8| format!(r#""type":"complete_job","worker":"w1","job_id":"job0","attempt":{attempt}"#);
    assert_eq!(Client::connect(&address).ask(&complete(1))["error"], "not_held");
    // The second lease may be over as well by now, and then there is a third.
    let attempt = harness::wait_until("a client is in time", || {
        let attempt = client.ask(r#""type":"take_job","worker":"w1","lease_ms":60000"#)["attempt"].as_u64()?;
        Some(u8::try_from(attempt).expect("not so many"))
    });
    assert_eq!(client.ask(&complete(attempt))["type"], "job_completed");
    assert_eq!(client.ask(&complete(attempt))["type"], "job_completed", "asking again does no harm");
    assert_eq!(client.ask(&complete(attempt - 1))["error"], "already_completed");
    assert_eq!(client.ask(CHECK)["all_idle"], true);
}

#[test]
fn a_client_that_leaves_loses_no_job_in_memory() {
    a_client_that_goes_with_a_job_in_hand_loses_nothing(&[]);
}

#[test]
fn a_client_that_leaves_loses_no_job_in_redis() {
    let test = "a_client_that_leaves_loses_no_job_in_redis";
    let Some(redis) = Redis::start(test, Durability::None) else { return };
    a_client_that_goes_with_a_job_in_hand_loses_nothing(&["--store", &redis.url()]);
}

#[test]
fn a_client_that_reads_no_answers_holds_up_no_other() {
    let (_program, address, mut client) = node();
    let mut deaf = Client::connect(&address);
    let message = format!("{{\"src\":\"c\",\"dest\":\"n\",\"body\":{{{CHECK},\"msg_id\":1}}}}\n");
    // More answers than the sockets' buffers hold. The writing ends when the node stops reading,
    // and fails when we go.
    let flood = std::thread::spawn(move || deaf.flood(&message, std::time::Duration::from_secs(1)));
    for _ in 0..100 {
        assert_nothing_was_lost(&mut client);
    }
    flood.join().expect("it does not panic");
    assert_nothing_was_lost(&mut client);
}

#[test]
fn the_rest_of_a_message_has_a_time_limit() {
    let (_program, _, mut client) = node();
    client.send("{\"src\":\"c\",\"dest\":\"n\",\"body\":{\n");
    assert_eq!(client.body()["error"], "malformed_json");
    assert_nothing_was_lost(&mut client);
}

#[test]
fn answers_do_not_wait_for_later_messages() {
    let (_program, _, mut client) = node();
    client.send_fields(CHECK);
    client.send_fields(r#""type":"run_simulation","duration_ms":600000"#);
    // Were it kept back for company, it would come in minutes.
    assert_eq!(client.body()["type"], "cluster_state_ok");
}

#[test]
fn one_simulation_at_a_time() {
    let (_program, address, mut client) = node();
    client.send_fields(r#""type":"run_simulation","duration_ms":600000"#);
    let mut other = Client::connect(&address);
    harness::wait_until("the first simulation begins", || {
        (other.ask(CHECK)["workers"]["w1"]["queue_size"] != 2).then_some(())
    });
    assert_eq!(other.ask(r#""type":"run_simulation","duration_ms":1"#)["error"], "busy");
}

#[test]
fn the_command_line_is_checked() {
    for (arguments, culprit) in [
        (&["--store", "disk"][..], "disk"),
        (&["--listen"], "--listen"),
        (&["--listen", "nowhere:port"], "nowhere:port"),
        (&["--dance"], "--dance"),
    ] {
        let mut program = Program::start(arguments);
        assert!(!program.wait().success(), "{arguments:?}");
        let complaint = program.complained.recv_timeout(LIMIT).expect("it complains");
        assert!(complaint.starts_with("cluster: ") && complaint.contains(culprit), "{complaint}");
    }
    let mut program = Program::start(&["--help"]);
    assert!(program.wait().success());
}
