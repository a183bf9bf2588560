//! Channels whose values all receivers get.

use std::future::Future;

use super::{Library, Tokio, Wsrt};

/// The `broadcast` channel of a library.
pub(crate) trait Broadcast: Library {
    type Sender: Send + 'static;
    type Receiver: Send + 'static;

    /// One that keeps `capacity` values.
    fn make(capacity: usize) -> Self::Sender;

    fn subscribe(sender: &Self::Sender) -> Self::Receiver;

    /// # Panics
    ///
    /// If there is no receiver.
    fn send(sender: &Self::Sender, value: usize);

    /// `None` once the sender is gone.
    ///
    /// # Panics
    ///
    /// If a value was lost.
    fn receive(receiver: &mut Self::Receiver) -> impl Future<Output = Option<usize>> + Send;
}

macro_rules! broadcast {
    ($library:ident, $broadcast:path) => {
        const _: () = {
            use $broadcast as broadcast;

            impl Broadcast for $library {
                type Sender = broadcast::Sender<usize>;
                type Receiver = broadcast::Receiver<usize>;

                fn make(capacity: usize) -> Self::Sender {
                    broadcast::Sender::new(capacity)
                }

                fn subscribe(sender: &Self::Sender) -> Self::Receiver {
                    sender.subscribe()
                }

                fn send(sender: &Self::Sender, value: usize) {
                    sender.send(value).expect("the receivers are gone");
                }

                async fn receive(receiver: &mut Self::Receiver) -> Option<usize> {
                    match receiver.recv().await {
                        Ok(value) => Some(value),
                        Err(broadcast::error::RecvError::Closed) => None,
                        Err(lagged) => panic!("values were lost: {lagged}"),
                    }
                }
            }
        };
    };
}

broadcast!(Wsrt, wsrt::sync::broadcast);
broadcast!(Tokio, tokio::sync::broadcast);
