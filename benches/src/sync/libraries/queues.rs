//! Channels for many values, bounded to [`ROOM`] of them or unbounded.

use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;

use futures_util::{SinkExt, StreamExt};

use super::{AsyncChannel, Flume, Futures, Kanal, Library, Tokio, Wsrt, WsrtMpmc};

/// The values that a bounded channel has room for.
pub(crate) const ROOM: usize = 64;

/// A channel of a library.
pub(crate) trait Queue: Library {
    type Sender: Clone + Send + 'static;
    type Receiver: Send + 'static;

    /// Whether a sender waits while too many values lie in the channel.
    const IS_BOUNDED: bool = true;

    fn make() -> (Self::Sender, Self::Receiver);

    /// # Panics
    ///
    /// If the receiver is gone.
    fn send(sender: &mut Self::Sender, value: usize) -> impl Future<Output = ()> + Send;

    /// `None` once all senders are gone.
    fn receive(receiver: &mut Self::Receiver) -> impl Future<Output = Option<usize>> + Send;
}

/// A bounded channel that hands over several values at once.
pub(crate) trait Batches: Queue {
    /// Waits for a value, and takes those that are there, at most [`ROOM`]. No value: the end.
    fn receive_many(receiver: &mut Self::Receiver, values: &mut Vec<usize>) -> impl Future<Output = ()> + Send;
}

/// The unbounded channel of a library.
#[derive(Debug)]
pub(crate) struct Unbounded<L>(PhantomData<L>);

impl<L: Library> Library for Unbounded<L> {
    const NAME: &'static str = L::NAME;
}

/// The channel of a library whose receivers can be cloned.
#[derive(Debug)]
pub(crate) struct ManyReceivers<L>(PhantomData<L>);

impl<L: Library> Library for ManyReceivers<L> {
    const NAME: &'static str = L::NAME;
}

/// The message of the panic of a sender whose receiver has left early.
const GONE: &str = "the receiver is gone";

macro_rules! as_in_tokio {
    ($library:ident, $root:ident::$module:ident, unbounded $sender:ident $receiver:ident $send:ident) => {
        impl Queue for $library {
            type Sender = ::$root::sync::$module::Sender<usize>;
            type Receiver = ::$root::sync::$module::Receiver<usize>;

            fn make() -> (Self::Sender, Self::Receiver) {
                ::$root::sync::$module::channel(ROOM)
            }

            async fn send(sender: &mut Self::Sender, value: usize) {
                sender.send(value).await.expect(GONE);
            }

            fn receive(receiver: &mut Self::Receiver) -> impl Future<Output = Option<usize>> + Send {
                receiver.recv()
            }
        }

        impl Batches for $library {
            async fn receive_many(receiver: &mut Self::Receiver, values: &mut Vec<usize>) {
                receiver.recv_many(values, ROOM).await;
            }
        }

        impl Queue for Unbounded<$library> {
            type Sender = ::$root::sync::$module::$sender<usize>;
            type Receiver = ::$root::sync::$module::$receiver<usize>;

            const IS_BOUNDED: bool = false;

            fn make() -> (Self::Sender, Self::Receiver) {
                ::$root::sync::$module::unbounded_channel()
            }

            async fn send(sender: &mut Self::Sender, value: usize) {
                sender.$send(value).expect(GONE);
            }

            fn receive(receiver: &mut Self::Receiver) -> impl Future<Output = Option<usize>> + Send {
                receiver.recv()
            }
        }
    };
}

as_in_tokio!(Wsrt, wsrt::mpsc, unbounded UnboundedSender UnboundedReceiver send);
as_in_tokio!(Tokio, tokio::mpsc, unbounded UnboundedSender UnboundedReceiver send);
as_in_tokio!(WsrtMpmc, wsrt::mpmc, unbounded Sender Receiver try_send);

macro_rules! of_one_kind {
    ($library:ty, $sender:ty, $receiver:ty, $make:expr, $bounded:literal, $send:ident, $receive:ident) => {
        impl Queue for $library {
            type Sender = $sender;
            type Receiver = $receiver;

            const IS_BOUNDED: bool = $bounded;

            fn make() -> (Self::Sender, Self::Receiver) {
                $make
            }

            async fn send(sender: &mut Self::Sender, value: usize) {
                sender.$send(value).await.expect(GONE);
            }

            async fn receive(receiver: &mut Self::Receiver) -> Option<usize> {
                receiver.$receive().await.ok()
            }
        }
    };
}

type AsyncSender = async_channel::Sender<usize>;
type AsyncReceiver = async_channel::Receiver<usize>;
of_one_kind!(AsyncChannel, AsyncSender, AsyncReceiver, async_channel::bounded(ROOM), true, send, recv);
of_one_kind!(Unbounded<AsyncChannel>, AsyncSender, AsyncReceiver, async_channel::unbounded(), false, send, recv);

type FlumeSender = flume::Sender<usize>;
type FlumeReceiver = flume::Receiver<usize>;
of_one_kind!(Flume, FlumeSender, FlumeReceiver, flume::bounded(ROOM), true, send_async, recv_async);
of_one_kind!(Unbounded<Flume>, FlumeSender, FlumeReceiver, flume::unbounded(), false, send_async, recv_async);

type KanalSender = kanal::AsyncSender<usize>;
type KanalReceiver = kanal::AsyncReceiver<usize>;
of_one_kind!(Kanal, KanalSender, KanalReceiver, kanal::bounded_async(ROOM), true, send, recv);
of_one_kind!(Unbounded<Kanal>, KanalSender, KanalReceiver, kanal::unbounded_async(), false, send, recv);

macro_rules! shared {
    ($library:ident by $queue:ident) => {
        impl Queue for ManyReceivers<$library> {
            type Sender = <$queue as Queue>::Sender;
            type Receiver = <$queue as Queue>::Receiver;

            fn make() -> (Self::Sender, Self::Receiver) {
                $queue::make()
            }

            fn send(sender: &mut Self::Sender, value: usize) -> impl Future<Output = ()> + Send {
                $queue::send(sender, value)
            }

            fn receive(receiver: &mut Self::Receiver) -> impl Future<Output = Option<usize>> + Send {
                $queue::receive(receiver)
            }
        }
    };
}

shared!(Wsrt by WsrtMpmc);
shared!(AsyncChannel by AsyncChannel);
shared!(Flume by Flume);
shared!(Kanal by Kanal);

/// tokio has no such channel: the tasks share a receiver in a mutex.
impl Queue for ManyReceivers<Tokio> {
    type Sender = tokio::sync::mpsc::Sender<usize>;
    type Receiver = Arc<tokio::sync::Mutex<tokio::sync::mpsc::Receiver<usize>>>;

    fn make() -> (Self::Sender, Self::Receiver) {
        let (sender, receiver) = tokio::sync::mpsc::channel(ROOM);
        (sender, Arc::new(tokio::sync::Mutex::new(receiver)))
    }

    async fn send(sender: &mut Self::Sender, value: usize) {
        sender.send(value).await.expect(GONE);
    }

    async fn receive(receiver: &mut Self::Receiver) -> Option<usize> {
        receiver.lock().await.recv().await
    }
}

impl Batches for Flume {
    async fn receive_many(receiver: &mut FlumeReceiver, values: &mut Vec<usize>) {
        if let Ok(first) = receiver.recv_async().await {
            values.push(first);
            values.extend(receiver.try_iter().take(ROOM - 1));
        }
    }
}

impl Batches for Kanal {
    async fn receive_many(receiver: &mut KanalReceiver, values: &mut Vec<usize>) {
        if let Ok(first) = receiver.recv().await {
            values.push(first);
            // Closed by now or not: the next call finds out.
            let _ = receiver.drain_into(values);
        }
    }
}

impl Batches for AsyncChannel {
    async fn receive_many(receiver: &mut AsyncReceiver, values: &mut Vec<usize>) {
        if let Ok(first) = receiver.recv().await {
            values.push(first);
            values.extend(std::iter::from_fn(|| receiver.try_recv().ok()).take(ROOM - 1));
        }
    }
}

impl Queue for Futures {
    type Sender = futures_channel::mpsc::Sender<usize>;
    type Receiver = futures_channel::mpsc::Receiver<usize>;

    fn make() -> (Self::Sender, Self::Receiver) {
        futures_channel::mpsc::channel(ROOM)
    }

    async fn send(sender: &mut Self::Sender, value: usize) {
        // `send` would flush, which waits until the receiver has made room for more.
        sender.feed(value).await.expect(GONE);
    }

    async fn receive(receiver: &mut Self::Receiver) -> Option<usize> {
        receiver.next().await
    }
}

impl Queue for Unbounded<Futures> {
    type Sender = futures_channel::mpsc::UnboundedSender<usize>;
    type Receiver = futures_channel::mpsc::UnboundedReceiver<usize>;

    const IS_BOUNDED: bool = false;

    fn make() -> (Self::Sender, Self::Receiver) {
        futures_channel::mpsc::unbounded()
    }

    async fn send(sender: &mut Self::Sender, value: usize) {
        sender.unbounded_send(value).expect(GONE);
    }

    async fn receive(receiver: &mut Self::Receiver) -> Option<usize> {
        receiver.next().await
    }
}
