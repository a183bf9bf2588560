//! `#[wsrt::test(longest_poll = …)]` fails a test whose polls take longer, and names the line.
//!
//! Tests that have to fail are ignored, and another test calls each of them by its name.

use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

use wsrt::task::{Builder, block_in_place, spawn_blocking, yield_now};
use wsrt::time::sleep;
use wsrt_tests::{HAS_STACKS, panic_message, within_a_minute};

/// Many times the limit of the tests below: on a busy machine 300 ms have gone by without a stack.
const LONG: Duration = Duration::from_secs(1);

#[inline(never)]
fn block_for_long() {
    thread::sleep(LONG);
}

#[inline(never)]
fn compute_for_long() {
    let began = Instant::now();
    while began.elapsed() < LONG {
        black_box((0..100).sum::<u64>());
    }
}

#[wsrt::test(longest_poll = "30ms")]
#[ignore = "it fails, and another test says how"]
async fn the_root_blocks() {
    yield_now().await;
    block_for_long();
}

#[wsrt::test(longest_poll = "30ms")]
#[ignore = "it fails, and another test says how"]
async fn a_task_computes() {
    let task = Builder::new().name("computes").spawn(async { compute_for_long() });
    task.await.expect("it does not panic");
}

#[wsrt::test(longest_poll = "30ms", flavor = "multi_thread", worker_threads = 2)]
#[ignore = "it fails, and another test says how"]
async fn a_task_blocks_beside_others() {
    let tasks = [wsrt::spawn(async { block_for_long() }), wsrt::spawn(sleep(LONG))];
    for task in tasks {
        task.await.expect("it does not panic");
    }
}

fn assert_fails_with(test: fn(), words: &'static [&'static str], stack: &'static [&'static str]) {
    within_a_minute(move || {
        let message = panic_message(test);
        assert!(
            message.starts_with("wsrt: a poll took longer than the 30ms that `longest_poll` allows: "),
            "{message}"
        );
        let stack = stack.iter().filter(|_| HAS_STACKS);
        for words in words.iter().chain(stack) {
            assert!(message.contains(words), "{words}: {message}");
        }
    });
}

#[test]
fn a_root_that_blocks_fails_with_the_line() {
    let words = &["the test's own future was in one poll for ", " ms, asleep in a blocking call"];
    assert_fails_with(the_root_blocks, words, &["block_for_long", "longest_poll.rs:"]);
}

#[test]
fn a_task_that_computes_fails_with_the_line() {
    let words = &["\"computes\", spawned at ", "longest_poll.rs:", "burning CPU time"];
    assert_fails_with(a_task_computes, words, &["compute_for_long", "longest_poll.rs:"]);
}

#[test]
fn a_task_that_blocks_a_worker_fails_with_the_line() {
    let words = &[", spawned at ", "longest_poll.rs:", "asleep in a blocking call"];
    assert_fails_with(a_task_blocks_beside_others, words, &["block_for_long", "longest_poll.rs:"]);
}

#[wsrt::test(longest_poll = "200ms")]
async fn waits_are_no_polls() {
    for _ in 0..3 {
        sleep(LONG / 3).await;
    }
    wsrt::spawn(sleep(LONG)).await.expect("it does not panic");
}

#[wsrt::test(longest_poll = "200ms", flavor = "multi_thread", worker_threads = 2)]
async fn blocking_that_is_announced_is_allowed() {
    wsrt::spawn(async { block_in_place(block_for_long) }).await.expect("it does not panic");
    spawn_blocking(block_for_long).await.expect("it does not panic");
}

#[wsrt::test(longest_poll = "30ms")]
#[should_panic(expected = "its own words")]
async fn a_panic_of_the_test_comes_first() {
    block_for_long();
    panic!("its own words");
}
