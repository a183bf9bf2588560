//! Kafka on wsrt by rdkafka: a hundred tasks each send a message, and a consumer reads them all.
//! `cargo run --release --example kafka_echo -- 127.0.0.1:9092 topic`

use std::collections::BTreeSet;
use std::env;
use std::error::Error;
use std::time::Duration;

use rdkafka::client::DefaultClientContext;
use rdkafka::config::ClientConfig;
use rdkafka::consumer::{Consumer, DefaultConsumerContext, StreamConsumer};
use rdkafka::message::Message;
use rdkafka::producer::{FutureProducer, FutureRecord};
use rdkafka::util::Timeout;
use wsrt::task::JoinSet;
use wsrt::time::timeout;
use wsrt_rdkafka::KafkaOnWsrt;

type Producer = FutureProducer<DefaultClientContext, KafkaOnWsrt>;
type Messages = StreamConsumer<DefaultConsumerContext, KafkaOnWsrt>;

const COUNT: usize = 100;

#[wsrt::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let [brokers, topic] = &env::args().skip(1).collect::<Vec<_>>()[..] else {
        return Err("usage: kafka_echo BROKERS TOPIC".into());
    };
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", brokers);
    send(&config.create()?, topic).await?;
    config.set("group.id", "echo").set("auto.offset.reset", "earliest");
    let received = receive(&config.create()?, topic).await?;
    println!("{} messages came back", received.len());
    Ok(())
}

async fn send(producer: &Producer, topic: &str) -> Result<(), Box<dyn Error + Send + Sync>> {
    let mut tasks = JoinSet::new();
    for number in 0..COUNT {
        let (producer, topic) = (producer.clone(), topic.to_owned());
        tasks.spawn(async move {
            let (key, payload) = (number.to_string(), format!("message {number}"));
            let record = FutureRecord::to(&topic).key(&key).payload(&payload);
            producer.send(record, Timeout::Never).await.map_err(|(error, _)| error)
        });
    }
    while let Some(sent) = tasks.join_next().await {
        sent??;
    }
    Ok(())
}

async fn receive(messages: &Messages, topic: &str) -> Result<BTreeSet<String>, Box<dyn Error + Send + Sync>> {
    messages.subscribe(&[topic])?;
    let mut received = BTreeSet::new();
    while received.len() < COUNT {
        let message = timeout(Duration::from_secs(30), messages.recv()).await??;
        received.extend(message.payload_view::<str>().transpose()?.map(str::to_owned));
    }
    Ok(received)
}
