//! Channels for one value.

use std::future::Future;

use super::{Futures, Library, Tokio, Wsrt};

/// The channel for one value of a library.
pub(crate) trait Oneshot: Library {
    type Sender: Send + 'static;
    type Receiver: Send + 'static;

    fn make() -> (Self::Sender, Self::Receiver);

    /// # Panics
    ///
    /// If the receiver is gone.
    fn send(sender: Self::Sender, value: usize) -> impl Future<Output = ()> + Send;

    /// # Panics
    ///
    /// If the sender has left without having sent.
    fn receive(receiver: Self::Receiver) -> impl Future<Output = usize> + Send;
}

const NO_RECEIVER: &str = "the receiver is gone";
const NO_SENDER: &str = "the sender has sent nothing";

macro_rules! as_in_tokio {
    ($library:ident, $oneshot:path) => {
        const _: () = {
            use $oneshot as oneshot;

            impl Oneshot for $library {
                type Sender = oneshot::Sender<usize>;
                type Receiver = oneshot::Receiver<usize>;

                fn make() -> (Self::Sender, Self::Receiver) {
                    oneshot::channel()
                }

                async fn send(sender: Self::Sender, value: usize) {
                    sender.send(value).expect(NO_RECEIVER);
                }

                async fn receive(receiver: Self::Receiver) -> usize {
                    receiver.await.expect(NO_SENDER)
                }
            }
        };
    };
}

as_in_tokio!(Wsrt, wsrt::sync::oneshot);
as_in_tokio!(Tokio, tokio::sync::oneshot);
as_in_tokio!(Futures, futures_channel::oneshot);
