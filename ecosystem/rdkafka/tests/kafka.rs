//! rdkafka on wsrt's tasks and timers, against librdkafka's own brokers on the loopback.

use rdkafka::mocking::MockCluster;
use wsrt_ecosystem_testing::{WITHOUT_TOKIO, example, output_of};

/// The brokers are a part of librdkafka that speaks Kafka's protocol over TCP, in this process; the
/// client is another process.
#[test]
fn messages_of_many_tasks_come_back_from_the_brokers() {
    let brokers = MockCluster::new(3).expect("brokers can be started");
    brokers.create_topic("echo", 4, 3).expect("a topic can be made");
    let mut client = example(WITHOUT_TOKIO, "kafka_echo").command();
    client.args([&brokers.bootstrap_servers(), "echo"]);
    assert_eq!(output_of(client), "100 messages came back\n");
}
