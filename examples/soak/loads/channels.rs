//! Channels of each kind: each message is received once, in the order of its sender.

use std::sync::Arc;
use std::time::Duration;

use wsrt::sync::{broadcast, mpsc, oneshot, watch};

use crate::ledger::{Entry, Kind};
use crate::soak::Soak;

/// Makes channels of one kind after the other, and sends some messages through each.
pub(crate) async fn run(soak: Arc<Soak>) {
    while soak.turn(Duration::ZERO).await {
        match fastrand::u8(..4) {
            0 => through_mpsc(&soak).await,
            1 => through_oneshot(&soak).await,
            2 => through_broadcast(&soak).await,
            _ => through_watch(&soak).await,
        }
    }
}

/// Two senders, a small buffer, and a receiver that checks the order of each.
async fn through_mpsc(soak: &Arc<Soak>) {
    const MESSAGES: u32 = 50;
    let (sender, mut receiver) = mpsc::channel::<(usize, u32, Entry)>(fastrand::usize(1..8));
    for index in 0..2 {
        let (sender, ledger) = (sender.clone(), Arc::clone(&soak.ledger));
        soak.spawn(async move {
            for number in 0..MESSAGES {
                let entry = ledger.open(Kind::Message);
                if sender.send((index, number, entry)).await.is_err() {
                    ledger.fault("the receiver of a channel has gone".into());
                }
            }
        });
    }
    drop(sender);
    let mut next = [0; 2];
    while let Some((index, number, entry)) = receiver.recv().await {
        soak.ledger.check(number == next[index], || format!("message {number} overtook {}", next[index]));
        next[index] = number + 1;
        entry.settle_answered();
    }
    soak.ledger.check(next == [MESSAGES; 2], || format!("a channel closed after {next:?} messages"));
}

/// A message to a task, and its answer; sometimes there is no receiver left.
async fn through_oneshot(soak: &Arc<Soak>) {
    let (sender, receiver) = oneshot::channel::<Entry>();
    let receiving = soak.spawn(receiver);
    match sender.send(soak.ledger.open(Kind::Message)) {
        Ok(()) => match receiving.await {
            Ok(Ok(entry)) => entry.settle_answered(),
            _ => soak.ledger.fault("a oneshot channel lost its message".into()),
        },
        Err(entry) => entry.settle_answered(),
    }
    let (sender, receiver) = oneshot::channel::<Entry>();
    drop(receiver);
    match sender.send(soak.ledger.open(Kind::Message)) {
        Ok(()) => soak.ledger.fault("a oneshot channel took a message for no receiver".into()),
        Err(entry) => entry.settle_answered(),
    }
}

async fn through_broadcast(soak: &Arc<Soak>) {
    const MESSAGES: u64 = 30;
    let (sender, _) = broadcast::channel(64);
    let receiving: Vec<_> = (0..3)
        .map(|_| {
            let mut receiver = sender.subscribe();
            soak.spawn(async move {
                let mut received = Vec::new();
                while let Ok(number) = receiver.recv().await {
                    received.push(number);
                }
                received
            })
        })
        .collect();
    let entries: Vec<Entry> = (0..MESSAGES).map(|_| soak.ledger.open(Kind::Message)).collect();
    for entry in &entries {
        let reached = sender.send(entry.number).ok();
        soak.ledger.check(reached == Some(3), || format!("a message reached {reached:?} of 3 receivers"));
    }
    drop(sender);
    let expected: Vec<u64> = entries.iter().map(|entry| entry.number).collect();
    for receiver in receiving {
        let received = receiver.await.unwrap_or_default();
        soak.ledger.check(received == expected, || format!("received {received:?}, not {expected:?}"));
    }
    entries.into_iter().for_each(Entry::settle_answered);
}

/// The last value is always seen, and none is seen after a later one.
async fn through_watch(soak: &Arc<Soak>) {
    const LAST: u32 = 40;
    let (sender, mut receiver) = watch::channel(0);
    let entry = soak.ledger.open(Kind::Message);
    let watching = soak.spawn(async move {
        let mut seen = 0;
        while receiver.changed().await.is_ok() {
            let value = *receiver.borrow_and_update();
            if value <= seen {
                return Err(format!("a watch channel went from {seen} back to {value}"));
            }
            seen = value;
        }
        if seen == LAST { Ok(()) } else { Err(format!("a watch channel ended with {seen}")) }
    });
    for value in 1..=LAST {
        sender.send_replace(value);
        wsrt::task::yield_now().await;
    }
    drop(sender);
    match watching.await {
        Ok(Ok(())) => entry.settle_answered(),
        Ok(Err(fault)) => soak.ledger.fault(fault),
        Err(error) => soak.ledger.fault(error.to_string()),
    }
}
