//! Channels that keep the last value.

use std::future::Future;

use super::{Library, Tokio, Wsrt};

/// The `watch` channel of a library.
pub(crate) trait Watch: Library {
    type Sender: Send + 'static;
    type Receiver: Send + 'static;

    fn make() -> (Self::Sender, Self::Receiver);

    /// # Panics
    ///
    /// If there is no receiver.
    fn send(sender: &Self::Sender, value: usize);

    /// Waits for a value that was not seen. `None` once the sender is gone.
    fn next(receiver: &mut Self::Receiver) -> impl Future<Output = Option<usize>> + Send;
}

macro_rules! watch {
    ($library:ident, $watch:path) => {
        const _: () = {
            use $watch as watch;

            impl Watch for $library {
                type Sender = watch::Sender<usize>;
                type Receiver = watch::Receiver<usize>;

                fn make() -> (Self::Sender, Self::Receiver) {
                    watch::channel(0)
                }

                fn send(sender: &Self::Sender, value: usize) {
                    sender.send(value).expect("the receiver is gone");
                }

                async fn next(receiver: &mut Self::Receiver) -> Option<usize> {
                    receiver.changed().await.ok()?;
                    Some(*receiver.borrow_and_update())
                }
            }
        };
    };
}

watch!(Wsrt, wsrt::sync::watch);
watch!(Tokio, tokio::sync::watch);
