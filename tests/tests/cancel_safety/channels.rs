//! Channels: values are neither lost nor doubled, keep their order, and room is given back.

use std::time::Duration;

use wsrt::sync::{broadcast, mpmc, mpsc, oneshot, watch};
use wsrt::task::JoinHandle;
use wsrt::test::cancel_at_each_await;
use wsrt_tests::LIMIT;

use crate::{later, run};

pub(crate) const VALUES: [u32; 5] = [1, 2, 3, 4, 5];

/// A channel with room for one value, into which a peer sends the values.
pub(crate) fn bounded() -> mpsc::Receiver<u32> {
    let (sender, receiver) = mpsc::channel(1);
    wsrt::spawn(async move {
        for value in VALUES {
            later().await;
            sender.send(value).await.expect("the receiver is there");
        }
    });
    receiver
}

/// Has a peer send the values into a channel that always has room.
fn send_values(send: impl Fn(u32) + Send + 'static) -> JoinHandle<()> {
    wsrt::spawn(async move {
        for value in VALUES {
            later().await;
            send(value);
        }
    })
}

pub(crate) fn unbounded() -> mpsc::UnboundedReceiver<u32> {
    let (sender, receiver) = mpsc::unbounded_channel();
    send_values(move |value| sender.send(value).expect("the receiver is there"));
    receiver
}

pub(crate) fn broadcast() -> broadcast::Receiver<u32> {
    let (sender, receiver) = broadcast::channel(8);
    send_values(move |value| _ = sender.send(value).expect("the receiver is there"));
    receiver
}

/// A sender into a channel for one value, and a peer that receives and at last returns all.
struct Sending {
    sender: mpsc::Sender<u32>,
    /// The values that were sent.
    sent: Vec<u32>,
    received: JoinHandle<Vec<u32>>,
}

impl Sending {
    async fn new() -> Self {
        let (sender, mut receiver) = mpsc::channel(1);
        let received = wsrt::spawn(async move {
            let mut received = Vec::new();
            while let Some(value) = receiver.recv().await {
                received.push(value);
                later().await;
            }
            received
        });
        Self { sender, sent: Vec::new(), received }
    }

    /// Checks that each value that was sent has arrived, and no other one, and that there is room.
    async fn check(self) {
        let Self { sender, mut sent, received } = self;
        sender.reserve().await.expect("it is open").send(100);
        sent.push(100);
        drop(sender);
        assert_eq!(received.await.expect("it does not panic"), sent);
    }
}

/// Of `mpsc/bounded::send`, `mpsc/bounded::send_timeout`, `mpsc/bounded::reserve`,
/// `mpsc/bounded::reserve_many` and `mpsc/bounded::reserve_owned`.
#[test]
fn values_are_sent_once_and_room_is_given_back() {
    async fn sends(send: impl AsyncFn(&mpsc::Sender<u32>, u32)) {
        let operation = async |state: &mut Sending| {
            for value in VALUES {
                send(&state.sender, value).await;
                state.sent.push(value);
            }
        };
        cancel_at_each_await(Sending::new, operation, async |state, _| state.check().await).await;
    }
    run(async || {
        let open = "the receiver is there";
        sends(async |sender, value| sender.send(value).await.expect(open)).await;
        sends(async |sender, value| sender.send_timeout(value, LIMIT).await.expect(open)).await;
        sends(async |sender, value| sender.reserve().await.expect(open).send(value)).await;
        sends(async |sender, value| {
            sender.reserve_many(1).await.expect(open).for_each(|room| room.send(value));
        })
        .await;
        sends(async |sender, value| drop(sender.clone().reserve_owned().await.expect(open).send(value))).await;
    });
}

/// Receives all values of a peer, and continues after each cancellation.
async fn receives<R>(connect: impl AsyncFn() -> R, receive: impl AsyncFn(&mut R, &mut Vec<u32>) -> bool) {
    let make = async || (connect().await, Vec::new());
    let operation = async |(receiver, received): &mut (R, Vec<u32>)| while receive(receiver, received).await {};
    let check = async |(mut receiver, mut received): (R, Vec<u32>), _| {
        while receive(&mut receiver, &mut received).await {}
        assert_eq!(received, VALUES);
    };
    cancel_at_each_await(make, operation, check).await;
}

/// Takes what an operation has returned, and returns whether there is more.
fn keep(received: &mut Vec<u32>, value: Option<u32>) -> bool {
    received.extend(value);
    value.is_some()
}

/// Of `mpsc/bounded_receiver::recv` and `mpsc/bounded_receiver::recv_many`.
#[test]
fn a_bounded_channel_loses_no_value() {
    run(async || {
        let connect = async || bounded();
        receives(connect, async |receiver, received| keep(received, receiver.recv().await)).await;
        receives(connect, async |receiver, received| receiver.recv_many(received, 2).await > 0).await;
    });
}

/// Of `UnboundedReceiver::recv` and `UnboundedReceiver::recv_many`.
#[test]
fn an_unbounded_channel_loses_no_value() {
    run(async || {
        let connect = async || unbounded();
        receives(connect, async |receiver, received| keep(received, receiver.recv().await)).await;
        receives(connect, async |receiver, received| receiver.recv_many(received, 2).await > 0).await;
    });
}

/// Of `broadcast/receiver::recv`.
#[test]
fn a_broadcast_channel_loses_no_value() {
    run(async || {
        let connect = async || broadcast();
        receives(connect, async |receiver, received| keep(received, receiver.recv().await.ok())).await;
    });
}

/// Of `src/oneshot::Receiver`.
#[test]
fn a_oneshot_value_is_kept() {
    run(async || {
        let make = async || {
            let (sender, receiver) = oneshot::channel();
            wsrt::spawn(async move {
                later().await;
                sender.send(7)
            });
            receiver
        };
        let operation = async |receiver: &mut oneshot::Receiver<u32>| receiver.await;
        let check = async |receiver: oneshot::Receiver<u32>, output| match output {
            Some(output) => assert_eq!(output, Ok(7)),
            None => assert_eq!(receiver.await, Ok(7)),
        };
        cancel_at_each_await(make, operation, check).await;
    });
}

/// Of `watch/receiver::changed`: no value counts as seen.
#[test]
fn a_change_that_was_not_returned_is_unseen() {
    run(async || {
        let make = async || {
            let (sender, receiver) = watch::channel(0);
            wsrt::spawn(async move {
                later().await;
                sender.send(7)
            });
            receiver
        };
        let operation = async |receiver: &mut watch::Receiver<u32>| receiver.changed().await;
        let check = async |mut receiver: watch::Receiver<u32>, output: Option<_>| {
            if output.is_none() {
                receiver.changed().await.expect("it is unseen");
            }
            assert_eq!(*receiver.borrow_and_update(), 7);
        };
        cancel_at_each_await(make, operation, check).await;
    });
}

/// Of `watch/receiver::wait_for`: the last value that the condition was given counts as seen.
#[test]
fn a_value_that_was_looked_at_is_seen() {
    run(async || {
        let make = async || {
            let (sender, receiver) = watch::channel(0);
            let peer = send_values(move |value| sender.send(value).expect("the receiver is there"));
            (receiver, 0, peer)
        };
        type State = (watch::Receiver<u32>, u32, JoinHandle<()>);
        let operation = async |(receiver, seen, _): &mut State| {
            let condition = |value: &u32| {
                *seen = *value;
                *value == 5
            };
            drop(receiver.wait_for(condition).await);
        };
        let check = async |(mut receiver, seen, peer): State, _| {
            peer.await.expect("it does not panic");
            if seen == 5 {
                receiver.changed().await.expect_err("the last value was seen, and the sender is gone");
            } else {
                receiver.changed().await.expect("there is a newer value");
                assert_eq!(*receiver.borrow(), 5);
            }
        };
        cancel_at_each_await(make, operation, check).await;
    });
}

/// Waits until the receiver is gone. The peer gets the value that was sent before, and then drops
/// its receiver.
async fn waits<S, P: Future<Output = u32> + Send + 'static>(
    connect: impl Fn() -> (S, P),
    closed: impl AsyncFn(&mut S),
) {
    let make = async || {
        let (sender, peer) = connect();
        (sender, wsrt::spawn(peer))
    };
    let operation = async |(sender, _): &mut (S, JoinHandle<u32>)| closed(sender).await;
    let check = async |(mut sender, peer): (S, JoinHandle<u32>), _| {
        closed(&mut sender).await;
        assert_eq!(peer.await.expect("it does not panic"), 7);
    };
    cancel_at_each_await(make, operation, check).await;
}

/// Of `mpsc/bounded::closed`, `UnboundedSender::closed` and `broadcast/sender::closed`.
#[test]
fn waiting_for_a_queues_receiver_to_go_changes_nothing() {
    run(async || {
        let bounded = || {
            let (sender, mut receiver) = mpsc::channel(1);
            sender.try_send(7).expect("there is room");
            (sender, async move {
                later().await;
                receiver.recv().await.expect("it was sent")
            })
        };
        waits(bounded, async |sender| sender.closed().await).await;
        let unbounded = || {
            let (sender, mut receiver) = mpsc::unbounded_channel();
            sender.send(7).expect("the receiver is there");
            (sender, async move {
                later().await;
                receiver.recv().await.expect("it was sent")
            })
        };
        waits(unbounded, async |sender| sender.closed().await).await;
        let cast = || {
            let (sender, mut receiver) = broadcast::channel(1);
            sender.send(7).expect("the receiver is there");
            (sender, async move {
                later().await;
                receiver.recv().await.expect("it was sent")
            })
        };
        waits(cast, async |sender| sender.closed().await).await;
    });
}

/// Of `src/oneshot::closed` and `src/watch::closed`.
#[test]
fn waiting_for_the_receiver_to_go_changes_nothing() {
    run(async || {
        let one = || {
            let (sender, receiver) = oneshot::channel::<u32>();
            (sender, async move {
                later().await;
                drop(receiver);
                7
            })
        };
        waits(one, async |sender| sender.closed().await).await;
        let watched = || {
            let (sender, receiver) = watch::channel(7);
            (sender, async move {
                later().await;
                *receiver.borrow()
            })
        };
        waits(watched, async |sender| sender.closed().await).await;
    });
}

/// Of `mpsc/bounded::send_timeout`, where the time runs out.
#[test]
fn a_value_whose_time_runs_out_was_not_sent() {
    run(async || {
        let make = async || {
            let (sender, receiver) = mpsc::channel(1);
            sender.try_send(1).expect("there is room");
            (sender, receiver)
        };
        type State = (mpsc::Sender<u32>, mpsc::Receiver<u32>);
        let operation = async |(sender, _): &mut State| sender.send_timeout(2, Duration::from_millis(1)).await;
        let check = async |(sender, mut receiver): State, output: Option<_>| {
            assert!(output.is_none_or(|output: Result<_, _>| output.is_err()));
            drop(sender);
            assert_eq!((receiver.recv().await, receiver.recv().await), (Some(1), None));
        };
        cancel_at_each_await(make, operation, check).await;
    });
}

/// Of `mpmc/receiver::recv` and `mpmc/receiver::recv_many`.
#[test]
fn a_channel_of_several_receivers_loses_no_value() {
    run(async || {
        let connect = async || {
            let (sender, receiver) = mpmc::channel(1);
            wsrt::spawn(async move {
                for value in VALUES {
                    later().await;
                    sender.send(value).await.expect("the receiver is there");
                }
            });
            receiver
        };
        receives(connect, async |receiver, received| keep(received, receiver.recv().await)).await;
        receives(connect, async |receiver, received| receiver.recv_many(received, 2).await > 0).await;
    });
}

/// Of `mpmc/sender::send` and `mpmc/sender::closed`.
#[test]
fn a_sender_to_several_receivers_may_give_up() {
    type State = (mpmc::Sender<u32>, Vec<u32>, JoinHandle<Vec<u32>>);
    run(async || {
        let make = async || {
            let (sender, receiver) = mpmc::channel(1);
            let peer = async move {
                let mut received = Vec::new();
                while let Some(value) = receiver.recv().await {
                    received.push(value);
                    later().await;
                }
                received
            };
            (sender, Vec::new(), wsrt::spawn(peer))
        };
        let operation = async |(sender, sent, _): &mut State| {
            for value in VALUES {
                sender.send(value).await.expect("the receiver is there");
                sent.push(value);
            }
        };
        let check = async |(sender, sent, received): State, _| {
            drop(sender);
            assert_eq!(received.await.expect("no panic"), sent);
        };
        cancel_at_each_await(make, operation, check).await;
        let shared = || {
            let (sender, receiver) = mpmc::channel(1);
            sender.try_send(7).expect("there is room");
            (sender, async move {
                later().await;
                receiver.recv().await.expect("it was sent")
            })
        };
        waits(shared, async |sender| sender.closed().await).await;
    });
}
