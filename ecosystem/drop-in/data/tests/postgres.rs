//! tokio-postgres and a pool of deadpool's, unchanged, against a real PostgreSQL.

use std::collections::HashSet;
use std::time::Duration;

use deadpool_postgres::{Manager, Pool, PoolError, Runtime, TimeoutType, Timeouts};
use futures_util::future::try_join_all;
use futures_util::{SinkExt, StreamExt, stream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_postgres::error::SqlState;
use tokio_postgres::{AsyncMessage, Client, NoTls};
use wsrt_drop_in_here::{assert_is_a_task_of_wsrt, assert_no_thread_is_tokio_s, assert_wsrt_runs_a_task_of};
use wsrt_ecosystem_testing::Postgres;

async fn connect(server: &Postgres) -> Client {
    let (client, connection) = tokio_postgres::connect(&server.url(), NoTls).await.expect("it is ready");
    tokio::spawn(async move {
        assert_is_a_task_of_wsrt();
        connection.await.expect("it closes in good order");
    });
    client
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn transactions_copies_and_pipelines_arrive() {
    let Some(server) = Postgres::start() else { return };
    let mut client = connect(&server).await;
    client.batch_execute("CREATE TABLE words (word TEXT NOT NULL)").await.expect("a table");
    let transaction = client.transaction().await.expect("one");
    transaction.execute("INSERT INTO words VALUES ('lost')", &[]).await.expect("a row");
    transaction.rollback().await.expect("it is undone");

    let sink = client.copy_in("COPY words FROM STDIN").await.expect("it takes rows");
    let mut sink = std::pin::pin!(sink);
    let mut rows = stream::iter((0..10_000).map(|n| Ok(bytes::Bytes::from(format!("word {n}\n")))));
    sink.send_all(&mut rows).await.expect("it takes them all");
    assert_eq!(sink.finish().await.expect("it is whole"), 10_000);

    // Sent one behind the other without waiting for answers.
    let count = client.prepare("SELECT COUNT(*) FROM words WHERE word LIKE $1").await.expect("a statement");
    let counts = try_join_all(["word 1%", "lost"].map(|like| {
        let (client, count) = (&client, &count);
        async move { client.query_one(count, &[&like]).await.map(|row| row.get::<_, i64>(0)) }
    }));
    assert_eq!(counts.await.expect("two answers"), [1111, 0]);
    assert_no_thread_is_tokio_s();
    drop(client);
    server.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_query_is_cancelled_by_another_connection() {
    let Some(server) = Postgres::start() else { return };
    let (sleeping, watching) = (connect(&server).await, connect(&server).await);
    let cancel = sleeping.cancel_token();
    let query = tokio::spawn(async move { sleeping.batch_execute("SELECT pg_sleep(3600)").await });
    let active = "SELECT COUNT(*) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(3600)' AND state = 'active'";
    while watching.query_one(active, &[]).await.expect("a count").get::<_, i64>(0) == 0 {}
    cancel.cancel_query(NoTls).await.expect("it connects");
    let error = query.await.expect("no panic").expect_err("it was cancelled");
    assert_eq!(error.code(), Some(&SqlState::QUERY_CANCELED));
    drop(watching);
    server.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_listener_hears_notifications() {
    let Some(server) = Postgres::start() else { return };
    let (listener, mut connection) = tokio_postgres::connect(&server.url(), NoTls).await.expect("it is ready");
    let (told, mut tells) = mpsc::unbounded_channel();
    let reading = tokio::spawn(async move {
        let mut messages = stream::poll_fn(move |context| connection.poll_message(context));
        while let Some(message) = messages.next().await {
            if let AsyncMessage::Notification(notification) = message.expect("it is open") {
                assert_is_a_task_of_wsrt();
                told.send(notification.payload().to_owned()).expect("the test waits");
            }
        }
    });
    listener.batch_execute("LISTEN news").await.expect("it listens");
    let speaker = connect(&server).await;
    for n in 0..10 {
        speaker.execute("SELECT pg_notify('news', $1)", &[&n.to_string()]).await.expect("it is told");
    }
    for n in 0..10 {
        assert_eq!(tells.recv().await.expect("ten"), n.to_string());
    }
    drop((listener, speaker));
    reading.await.expect("it ends with its client");
    server.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_tasks_share_a_pool_of_deadpool_s() {
    let Some(server) = Postgres::start() else { return };
    let config = server.url().parse().expect("a configuration");
    let pool = Pool::builder(Manager::new(config, NoTls)).max_size(4).runtime(Runtime::Tokio1).build().expect("a pool");
    let mut tasks = JoinSet::new();
    for n in 0..40_i64 {
        let pool = pool.clone();
        tasks.spawn(async move {
            let client = pool.get().await.expect("one is free some time");
            assert_is_a_task_of_wsrt();
            assert_wsrt_runs_a_task_of("/deadpool-postgres-");
            let statement = client.prepare_cached("SELECT pg_backend_pid(), $1::INT8 * $1").await.expect("a statement");
            let row = client.query_one(&statement, &[&n]).await.expect("an answer");
            (row.get::<_, i32>(0), row.get::<_, i64>(1))
        });
    }
    let answers = tasks.join_all().await;
    let backends: HashSet<_> = answers.iter().map(|answer| answer.0).collect();
    assert!((1..=4).contains(&backends.len()), "{backends:?}");
    assert_eq!(answers.iter().map(|answer| answer.1).sum::<i64>(), 20_540);

    let taken = try_join_all((0..4).map(|_| pool.get())).await.expect("all four");
    let timeouts = Timeouts { wait: Some(Duration::from_millis(10)), ..Timeouts::default() };
    let refused = pool.timeout_get(&timeouts).await.expect_err("all are taken");
    assert!(matches!(refused, PoolError::Timeout(TimeoutType::Wait)), "{refused}");
    drop(taken);
    pool.close();
    server.stop();
}
