//! OpenTelemetry's runtime traits: tasks, timers, and the channel of a batch processor.

use std::fmt;
use std::future::Future;
use std::time::Duration;

use opentelemetry_sdk::runtime::{Runtime, RuntimeChannel, TrySend, TrySendError};
use wsrt::stream::ReceiverStream;
use wsrt::sync::mpsc::error::TrySendError as SendError;
use wsrt::sync::mpsc::{Sender, channel};
use wsrt::time::sleep;

/// A runtime for OpenTelemetry that uses the current wsrt runtime. Pass it to the batch processors
/// and to the periodic reader that take a runtime.
///
/// # Panics
///
/// Creating a processor or a reader panics outside a wsrt runtime.
#[derive(Debug, Clone, Copy)]
pub struct OpenTelemetryOnWsrt;

impl Runtime for OpenTelemetryOnWsrt {
    fn spawn<F>(&self, future: F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        drop(wsrt::spawn(future));
    }

    fn delay(&self, duration: Duration) -> impl Future<Output = ()> + Send + 'static {
        sleep(duration)
    }
}

impl RuntimeChannel for OpenTelemetryOnWsrt {
    type Receiver<T: fmt::Debug + Send> = ReceiverStream<T>;
    type Sender<T: fmt::Debug + Send> = BatchSender<T>;

    fn batch_message_channel<T: fmt::Debug + Send>(&self, capacity: usize) -> (BatchSender<T>, ReceiverStream<T>) {
        let (sender, receiver) = channel(capacity);
        (BatchSender(sender), ReceiverStream::new(receiver))
    }
}

/// The sending side of a batch processor's message channel. Created by [`OpenTelemetryOnWsrt`].
pub struct BatchSender<T>(Sender<T>);

impl<T: Send> TrySend for BatchSender<T> {
    type Message = T;

    fn try_send(&self, item: T) -> Result<(), TrySendError> {
        self.0.try_send(item).map_err(|error| match error {
            SendError::Full(_) => TrySendError::ChannelFull,
            SendError::Closed(_) => TrySendError::ChannelClosed,
        })
    }
}

impl<T> fmt::Debug for BatchSender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchSender").field("capacity", &self.0.capacity()).finish_non_exhaustive()
    }
}
