//! rdkafka, a Kafka client, on the wsrt runtime: its producers and consumers use wsrt's tasks and
//! timers.
//!
//! rdkafka is built without its default feature `tokio`. librdkafka performs the I/O on its own
//! threads, which wake wsrt tasks.
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

/// A runtime for rdkafka that uses the current wsrt runtime. Name it as the runtime of a
/// `FutureProducer` or a `StreamConsumer`.
///
/// # Panics
///
/// Creating a consumer panics outside a wsrt runtime, and so does sending while the producer's
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
