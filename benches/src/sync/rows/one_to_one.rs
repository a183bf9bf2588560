//! One task sends, another receives.

use std::time::Instant;

use super::{About, Row, about, entries};
use crate::plan::Plan;
use crate::runtimes::{Runtime, Work};
use crate::sync::libraries::{AsyncChannel, Flume, Futures, Kanal, Queue, ROOM, Tokio, Unbounded, Wsrt, WsrtMpmc};
use crate::workloads::{Figures, Round, rounds};

const BOUNDED: About = about("bounded", "one task sends to another, with room for 64 values; per value", 50_000, 10);
const UNBOUNDED: About =
    about("unbounded", "one task sends to another without a bound, and yields after each 64 values", 50_000, 10);

pub(super) fn bounded<R: Runtime>() -> Row<R> {
    Row {
        about: BOUNDED,
        libraries: entries!(run_bounded, R, [Wsrt, Tokio, WsrtMpmc, AsyncChannel, Flume, Kanal, Futures]),
    }
}

pub(super) fn unbounded<R: Runtime>() -> Row<R> {
    type U<L> = Unbounded<L>;
    let libraries =
        entries!(run_unbounded, R, [U<Wsrt>, U<Tokio>, U<WsrtMpmc>, U<AsyncChannel>, U<Flume>, U<Kanal>, U<Futures>]);
    Row { about: UNBOUNDED, libraries }
}

fn run_bounded<R: Runtime, Q: Queue>(runtime: &R, plan: &Plan) -> Figures {
    rounds::in_task(runtime, plan, &BOUNDED, |size| round::<R, Q, _>(size, receive::<Q>))
}

fn run_unbounded<R: Runtime, Q: Queue>(runtime: &R, plan: &Plan) -> Figures {
    rounds::in_task(runtime, plan, &UNBOUNDED, |size| round::<R, Q, _>(size, receive::<Q>))
}

/// One task sends `size` values, another is `receive`, which returns how many came and their sum.
pub(super) async fn round<R, Q, F>(size: usize, receive: fn(Q::Receiver) -> F) -> Round
where
    R: Runtime,
    Q: Queue,
    F: Work<Output = (usize, usize)>,
{
    let (sender, receiver) = Q::make();
    let start = Instant::now();
    let received = R::spawn(receive(receiver));
    let sending = R::spawn(send::<R, Q>(sender, size));
    sending.await;
    let received = received.await;
    let round = Round::since(start, size);
    assert_eq!(received, (size, size * (size - 1) / 2), "the values and their sum");
    round
}

pub(super) async fn send<R: Runtime, Q: Queue>(mut sender: Q::Sender, count: usize) {
    for value in 0..count {
        Q::send(&mut sender, value).await;
        if !Q::IS_BOUNDED && value % ROOM == ROOM - 1 {
            R::yield_now().await;
        }
    }
}

/// Hands over how many values came, and their sum.
pub(super) async fn receive<Q: Queue>(mut receiver: Q::Receiver) -> (usize, usize) {
    let (mut count, mut sum) = (0, 0);
    while let Some(value) = Q::receive(&mut receiver).await {
        count += 1;
        sum += value;
    }
    (count, sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtimes::Tokio;
    use crate::sync::libraries::Library;

    /// async-channel, but for the value three, which is lost.
    #[derive(Debug)]
    struct Losing;

    impl Library for Losing {
        const NAME: &'static str = "losing";
    }

    impl Queue for Losing {
        type Sender = <AsyncChannel as Queue>::Sender;
        type Receiver = <AsyncChannel as Queue>::Receiver;

        fn make() -> (Self::Sender, Self::Receiver) {
            AsyncChannel::make()
        }

        async fn send(sender: &mut Self::Sender, value: usize) {
            if value != 3 {
                AsyncChannel::send(sender, value).await;
            }
        }

        async fn receive(receiver: &mut Self::Receiver) -> Option<usize> {
            AsyncChannel::receive(receiver).await
        }
    }

    #[test]
    #[should_panic(expected = "the values and their sum")]
    fn a_library_that_loses_a_value_has_no_figure() {
        let runtime = Tokio::build(1).unwrap();
        let _round = runtime.block_on(round::<Tokio, Losing, _>(10, receive::<Losing>));
    }
}
