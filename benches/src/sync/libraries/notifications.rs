//! Wake-ups that carry no data.

use std::future::Future;

use super::{Library, Tokio, Wsrt};

/// The `Notify` of a library.
pub(crate) trait Notification: Library {
    type Notify: Send + Sync + 'static;

    fn make() -> Self::Notify;

    /// Wakes one task, or keeps a permit.
    fn notify(notify: &Self::Notify);

    /// Waits for that.
    fn notified(notify: &Self::Notify) -> impl Future<Output = ()> + Send;
}

macro_rules! notify {
    ($library:ident, $notify:ty) => {
        impl Notification for $library {
            type Notify = $notify;

            fn make() -> Self::Notify {
                <$notify>::new()
            }

            fn notify(notify: &Self::Notify) {
                notify.notify_one();
            }

            fn notified(notify: &Self::Notify) -> impl Future<Output = ()> + Send {
                notify.notified()
            }
        }
    };
}

notify!(Wsrt, wsrt::sync::Notify);
notify!(Tokio, tokio::sync::Notify);
