//! Kafka by rdkafka on the wsrt runtime: the tasks and timers of its producers and consumers.
//!
//! rdkafka is built without its default feature `tokio`. Its I/O is librdkafka's, which has threads
//! of its own; they wake tasks of wsrt's.
//!
//! # Examples
//!
//! ```
//! use rdkafka::client::DefaultClientContext;
//! use rdkafka::config::ClientConfig;
//! use rdkafka::producer::FutureProducer;
//! use wsrt_rdkafka::KafkaOnWsrt;
//!
//! #[wsrt::main]
//! async fn main() -> rdkafka::error::KafkaResult<()> {
//!     let producer: FutureProducer<DefaultClientContext, KafkaOnWsrt> =
//!         ClientConfig::new().set("bootstrap.servers", "127.0.0.1:9092").create()?;
//!     // `producer.send(FutureRecord::to("topic").key("k").payload("v"), Timeout::Never).await`
//!     # drop(producer);
//!     Ok(())
//! }
//! ```

use std::future::Future;
use std::time::Duration;

use rdkafka::util::AsyncRuntime;
use wsrt::time::{Sleep, sleep};

/// Implements rdkafka's runtime on the current wsrt runtime: name it as the runtime of a
/// `FutureProducer` or a `StreamConsumer`.
///
/// # Panics
///
/// Making a consumer panics outside a wsrt runtime, and so does sending when the producer's
/// queue is full.
#[derive(Debug, Clone, Copy)]
pub struct KafkaOnWsrt;

impl AsyncRuntime for KafkaOnWsrt {
    type Delay = Sleep;

    fn spawn<T>(task: T)
    where
        T: Future<Output = ()> + Send + 'static,
    {
        drop(wsrt::spawn(task));
    }

    fn delay_for(duration: Duration) -> Sleep {
        sleep(duration)
    }
}
