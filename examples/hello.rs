//! Spawning tasks and joining them: `cargo run --release --example hello`.
//!
//! A task is a future that the runtime polls by itself, beside the task that spawned it. Its handle
//! is a future too: awaiting it returns the task's output, or the reason why there is none.

use std::time::Duration;

use wsrt::task::JoinError;

#[wsrt::main]
async fn main() -> Result<(), JoinError> {
    // All of them run from here on, at the same time as far as there are processors, whether they
    // are awaited or not.
    let greetings: Vec<_> = ["hello", "from", "four", "tasks"]
        .into_iter()
        .enumerate()
        .map(|(number, word)| wsrt::spawn(greet(number, word)))
        .collect();
    for greeting in greetings {
        println!("{}", greeting.await?);
    }

    // A panic stays in its task, and its handle returns it.
    let error = wsrt::spawn(async { panic!("on purpose") }).await.expect_err("the task panics");
    println!("{error}");
    Ok(())
}

async fn greet(number: usize, word: &str) -> String {
    // While this task waits for its timer, its processor runs the others.
    wsrt::time::sleep(Duration::from_millis(10)).await;
    format!("task {number} says {word}")
}
