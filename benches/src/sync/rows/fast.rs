//! The fast paths of one task, where nothing is waited for. Their instructions are counted, too.

use std::time::Instant;

use super::{About, Row, about, entries};
use crate::plan::Plan;
use crate::runtimes::Runtime;
use crate::sync::libraries::{
    AsyncChannel, AsyncLock, Flume, Futures, Kanal, Notification, Queue, ReadLock, Semaphore, Tokio, Wsrt, WsrtMpmc,
};
use crate::workloads::{Figures, Round, rounds};

const SEND_RECV: About =
    about("send_recv", "one task sends a value into a bounded channel and receives it; per value", 20_000, 50);
const READ: About = about("read", "one task locks a RwLock for reading; per lock", 20_000, 50);
const ACQUIRE: About = about("acquire", "one task takes a permit of a semaphore and gives it back", 20_000, 50);
const NOTIFY_KEPT: About = about("notify_kept", "one task notifies, and takes the permit that is kept", 20_000, 50);

pub(super) fn send_recv<R: Runtime>() -> Row<R> {
    Row {
        about: SEND_RECV,
        libraries: entries!(run_send_recv, R, [Wsrt, Tokio, WsrtMpmc, AsyncChannel, Flume, Kanal, Futures]),
    }
}

pub(super) fn read<R: Runtime>() -> Row<R> {
    Row { about: READ, libraries: entries!(run_read, R, [Wsrt, Tokio, AsyncLock]) }
}

pub(super) fn acquire<R: Runtime>() -> Row<R> {
    Row { about: ACQUIRE, libraries: entries!(run_acquire, R, [Wsrt, Tokio, AsyncLock]) }
}

pub(super) fn notify_kept<R: Runtime>() -> Row<R> {
    Row { about: NOTIFY_KEPT, libraries: entries!(run_notify_kept, R, [Wsrt, Tokio]) }
}

fn run_send_recv<R: Runtime, Q: Queue>(runtime: &R, plan: &Plan) -> Figures {
    rounds::in_task(runtime, plan, &SEND_RECV, |size| async move {
        let (mut sender, mut receiver) = Q::make();
        let mut sum = 0;
        let start = Instant::now();
        for value in 0..size {
            Q::send(&mut sender, value).await;
            sum += Q::receive(&mut receiver).await.expect("the value that was sent");
        }
        let round = Round::since(start, size);
        assert_eq!(sum, size * (size - 1) / 2, "the values");
        round
    })
}

fn run_read<R: Runtime, L: ReadLock>(runtime: &R, plan: &Plan) -> Figures {
    rounds::in_task(runtime, plan, &READ, |size| async move {
        let lock = L::make();
        L::count(&lock).await;
        let mut sum = 0;
        let start = Instant::now();
        for _ in 0..size {
            sum += L::read(&lock).await;
        }
        let round = Round::since(start, size);
        assert_eq!(sum, size, "the reads");
        round
    })
}

fn run_acquire<R: Runtime, L: Semaphore>(runtime: &R, plan: &Plan) -> Figures {
    rounds::in_task(runtime, plan, &ACQUIRE, |size| async move {
        let semaphore = L::make(2);
        let start = Instant::now();
        for _ in 0..size {
            L::pass(&semaphore).await;
        }
        Round::since(start, size)
    })
}

fn run_notify_kept<R: Runtime, L: Notification>(runtime: &R, plan: &Plan) -> Figures {
    rounds::in_task(runtime, plan, &NOTIFY_KEPT, |size| async move {
        let notify = L::make();
        let start = Instant::now();
        for _ in 0..size {
            L::notify(&notify);
            L::notified(&notify).await;
        }
        Round::since(start, size)
    })
}
