//! `#[wsrt::test(seeds = …)]` runs a test in a simulation with each seed, and names the seed that
//! fails.
//!
//! Tests that have to fail, or that leave something to look at, are ignored, and another test calls
//! each of them by its name.

use std::collections::BTreeSet;
use std::future::pending;
use std::panic::catch_unwind;
use std::sync::Mutex;
use std::time::Duration;

use wsrt::runtime::Handle;
use wsrt::sync::mpsc;
use wsrt::time::{Instant, sleep};

fn seed() -> u64 {
    Handle::current().simulation().expect("it is simulated").seed()
}

/// The order in which tasks send.
async fn order() -> Vec<u32> {
    let (sender, mut receiver) = mpsc::channel(8);
    for number in 0..8 {
        let sender = sender.clone();
        wsrt::spawn(async move { sender.send(number).await });
    }
    drop(sender);
    let mut order = Vec::new();
    while let Some(number) = receiver.recv().await {
        order.push(number);
    }
    order
}

static SEEN: Mutex<BTreeSet<u64>> = Mutex::new(BTreeSet::new());

#[wsrt::test(seeds = 5..25, worker_threads = 3)]
#[ignore = "another test calls it"]
async fn notes_its_seed() -> Result<(), mpsc::error::SendError<()>> {
    let began = Instant::now();
    sleep(Duration::from_secs(3_600)).await;
    assert!(began.elapsed() >= Duration::from_secs(3_600));
    assert_eq!(Handle::current().metrics().num_workers(), 3);
    SEEN.lock().expect("no panic").insert(seed());
    Ok(())
}

#[test]
fn a_test_runs_once_with_each_seed_of_the_range() {
    notes_its_seed();
    assert!(SEEN.lock().expect("no panic").iter().copied().eq(5..25));
}

fn message_of(test: fn()) -> String {
    let panic = catch_unwind(test).expect_err("it fails");
    panic.downcast_ref::<String>().expect("the message has a seed").clone()
}

#[wsrt::test(seeds = 0..200)]
#[ignore = "it fails, and another test says how"]
async fn fails_in_some_orders() {
    assert!(order().await.is_sorted(), "they send in the order of their spawns");
}

#[test]
fn a_failure_names_its_seed_and_how_to_run_it() {
    let message = message_of(fails_in_some_orders);
    let seed =
        message.strip_prefix("seed ").and_then(|rest| rest.split_once(" of 0..200 has failed: ")).expect(&message).0;
    assert!(
        message.ends_with(&format!("\nWSRT_SIM_SEED={seed} cargo test fails_in_some_orders repeats it")),
        "{message}"
    );
}

#[wsrt::test(seeds = 0..4)]
#[ignore = "it fails, and another test says how"]
async fn returns_an_error() -> Result<(), String> {
    Err(String::from("no such thing"))
}

#[wsrt::test(seeds = 0..4)]
#[ignore = "it fails, and another test says how"]
async fn leaves_an_orphan() {
    drop(wsrt::spawn(pending::<()>()));
    sleep(Duration::from_secs(1)).await;
}

#[test]
fn errors_and_orphans_fail_a_seed() {
    let message = message_of(returns_an_error);
    assert!(message.contains("the test has returned an error: \"no such thing\""), "{message}");
    let message = message_of(leaves_an_orphan);
    assert!(message.contains("this test has left tasks that wait"), "{message}");
}

#[wsrt::test(seeds = 0..4, configure = |builder| builder.name("configured"))]
async fn the_builder_is_configured() {
    assert_eq!(Handle::current().name(), Some("configured"));
}
