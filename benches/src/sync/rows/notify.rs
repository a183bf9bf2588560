//! Two tasks that wake each other by turns.

use std::sync::Arc;
use std::time::Instant;

use super::{About, Row, about, entries};
use crate::plan::Plan;
use crate::runtimes::Runtime;
use crate::sync::libraries::{Notification, Tokio, Wsrt};
use crate::workloads::{Figures, Round, rounds};

const ABOUT: About = about("notify", "two tasks notify each other by turns; per round trip", 10_000, 10);

pub(super) fn row<R: Runtime>() -> Row<R> {
    Row { about: ABOUT, libraries: entries!(run, R, [Wsrt, Tokio]) }
}

fn run<R: Runtime, L: Notification>(runtime: &R, plan: &Plan) -> Figures {
    rounds::in_task(runtime, plan, &ABOUT, round::<R, L>)
}

async fn round<R: Runtime, L: Notification>(size: usize) -> Round {
    let (there, back) = (Arc::new(L::make()), Arc::new(L::make()));
    let start = Instant::now();
    let serves = R::spawn(serve::<L>(Arc::clone(&there), Arc::clone(&back), size));
    let returns = R::spawn(give_back::<L>(there, back, size));
    serves.await;
    returns.await;
    Round::since(start, size)
}

async fn serve<L: Notification>(there: Arc<L::Notify>, back: Arc<L::Notify>, times: usize) {
    for _ in 0..times {
        L::notify(&there);
        L::notified(&back).await;
    }
}

async fn give_back<L: Notification>(there: Arc<L::Notify>, back: Arc<L::Notify>, times: usize) {
    for _ in 0..times {
        L::notified(&there).await;
        L::notify(&back);
    }
}
