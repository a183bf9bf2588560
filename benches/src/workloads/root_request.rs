//! Request and reply between the root future, where `main` runs it, and a task.
//!
//! The channels are tokio's on every runtime; `bare` is their own share.

use std::time::Instant;

use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::sync::oneshot;

use super::bare::by_turns;
use super::{About, Bare, Figures, Plan, Round, Runtime, rounds};

/// Room for requests; there is never more than one.
const ROOM: usize = 10;

pub(super) const ABOUT: About = About {
    name: "root_request",
    summary: "the root future sends a task 5,000 requests, one after the other, each with a one-shot channel for the reply; \
              per request",
    size: 5_000,
    rounds: 5,
    bare: Some(Bare::Round(bare)),
};

pub(super) fn run<R: Runtime>(runtime: &R, plan: &Plan) -> Figures {
    let rounds = plan.rounds(&ABOUT);
    let size = plan.size(&ABOUT);
    let total = runtime.run_as_main(rounds::repeat(rounds, move || round::<R>(size)));
    Ok(vec![total.per_operation()])
}

struct Request {
    number: usize,
    reply: oneshot::Sender<usize>,
}

async fn round<R: Runtime>(size: usize) -> Round {
    let (requests, incoming) = mpsc::channel(ROOM);
    let start = Instant::now();
    let server = R::spawn(replies(incoming));
    asks(requests, size).await;
    let replied = server.await;
    let round = Round::since(start, size);
    assert_eq!(replied, size, "the replies");
    round
}

fn bare(size: usize) -> Round {
    let (requests, incoming) = mpsc::channel(ROOM);
    let start = Instant::now();
    let ((), replied) = by_turns(asks(requests, size), replies(incoming));
    let round = Round::since(start, size);
    assert_eq!(replied, size, "the replies");
    round
}

async fn asks(requests: Sender<Request>, times: usize) {
    for number in 0..times {
        let (reply, replied) = oneshot::channel();
        let sent = requests.send(Request { number, reply }).await;
        assert!(sent.is_ok(), "the other task is gone");
        let answer = replied.await.expect("the other task is gone");
        assert_eq!(answer, number + 1, "the reply to {number}");
    }
}

/// Replies as long as requests come; hands over how many came.
async fn replies(mut incoming: Receiver<Request>) -> usize {
    let mut replied = 0;
    while let Some(Request { number, reply }) = incoming.recv().await {
        replied += 1;
        reply.send(number + 1).expect("the root future is gone");
    }
    replied
}
