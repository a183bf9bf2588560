//! redis unchanged, with its `ConnectionManager`, against a real redis-server.

use futures_util::StreamExt;
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{AsyncCommands, Client, RedisResult};
use tokio::task::JoinSet;
use wsrt_drop_in_here::{assert_is_a_task_of_wsrt, assert_no_thread_is_tokio_s, assert_wsrt_runs_a_task_of};
use wsrt_ecosystem_testing::Redis;

fn client_of(server: &Redis) -> Client {
    Client::open(format!("redis://{}/", server.address())).expect("a good address")
}

async fn manager_of(client: &Client) -> ConnectionManager {
    let config = ConnectionManagerConfig::new().set_number_of_retries(6);
    client.get_connection_manager_with_config(config).await.expect("it is ready")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_tasks_share_a_connection() {
    let Some(server) = Redis::start() else { return };
    let mut redis = manager_of(&client_of(&server)).await;
    assert_wsrt_runs_a_task_of("/redis-");
    let mut tasks = JoinSet::new();
    for amount in 1..=100_i64 {
        let mut redis = redis.clone();
        tasks.spawn(async move {
            let sum = redis.incr::<_, _, i64>("sum", amount).await;
            assert_is_a_task_of_wsrt();
            sum.expect("a number");
        });
    }
    tasks.join_all().await;
    assert_eq!(redis.get::<_, i64>("sum").await.expect("a number"), 5050);

    let mut pipe = redis::pipe();
    pipe.atomic().set("greeting", "Hello").append("greeting", " from redis").ignore().get("greeting");
    let (_, greeting): (String, String) = pipe.query_async(&mut redis).await.expect("all of them");
    assert_eq!(greeting, "Hello from redis");
    redis.incr::<_, _, i64>("greeting", 1).await.expect_err("it is no number");
    assert_no_thread_is_tokio_s();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_manager_connects_again_after_a_loss() {
    let Some(server) = Redis::start() else { return };
    let client = client_of(&server);
    let mut redis = manager_of(&client).await;
    redis.set::<_, _, ()>("kept", 7).await.expect("it is set");
    let mut killer = client.get_multiplexed_async_connection().await.expect("it is ready");
    let mut kill = redis::cmd("CLIENT");
    let killed: i64 =
        kill.arg(&["KILL", "TYPE", "normal", "SKIPME", "yes"]).query_async(&mut killer).await.expect("a count");
    assert_eq!(killed, 1);
    // The first call may learn of the loss; one after it is answered on the next connection.
    let mut kept: RedisResult<i64> = redis.get("kept").await;
    while let Err(lost) = kept {
        assert!(lost.is_connection_dropped() || lost.is_io_error(), "{lost}");
        kept = redis.get("kept").await;
    }
    assert_eq!(kept.expect("the loop ends with it"), 7);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn subscribers_get_messages_in_order() {
    let Some(server) = Redis::start() else { return };
    let client = client_of(&server);
    let mut subscriber = client.get_async_pubsub().await.expect("it is ready");
    subscriber.subscribe("news").await.expect("it is subscribed");
    let hearing = tokio::spawn(async move {
        assert_is_a_task_of_wsrt();
        let messages = subscriber.on_message().take(100);
        messages.map(|message| message.get_payload::<u32>().expect("a number")).collect::<Vec<_>>().await
    });
    let mut speaker = manager_of(&client).await;
    for n in 0..100_u32 {
        assert_eq!(speaker.publish::<_, _, i64>("news", n).await.expect("a count"), 1);
    }
    assert_eq!(hearing.await.expect("no panic"), Vec::from_iter(0..100));
}
