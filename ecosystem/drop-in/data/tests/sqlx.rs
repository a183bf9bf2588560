//! sqlx unchanged, with its feature `runtime-tokio`: PostgreSQL and SQLite.

use sqlx::Row;
use sqlx::postgres::{PgListener, PgPoolOptions};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions};
use tokio::task::JoinSet;
use wsrt_drop_in_here::{assert_is_a_task_of_wsrt, assert_no_thread_is_tokio_s, assert_wsrt_runs_a_task_of};
use wsrt_ecosystem_testing::{Postgres, Scratch, output_of, peer};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_tasks_share_a_pool_of_postgresql_s() {
    let Some(server) = Postgres::start() else { return };
    let pool = PgPoolOptions::new().max_connections(4).connect(&server.url()).await.expect("it is ready");
    // It looks after the pool.
    assert_wsrt_runs_a_task_of("/sqlx-core-");
    sqlx::query("CREATE TABLE squares (n BIGINT PRIMARY KEY, square BIGINT NOT NULL)")
        .execute(&pool)
        .await
        .expect("a table");

    let mut tasks = JoinSet::new();
    for n in 1..=100_i64 {
        let pool = pool.clone();
        tasks.spawn(async move {
            assert_is_a_task_of_wsrt();
            let mut transaction = pool.begin().await.expect("a transaction");
            let insert = sqlx::query("INSERT INTO squares VALUES ($1, $2)").bind(n).bind(n * n);
            insert.execute(&mut *transaction).await.expect("a row");
            if n % 2 == 0 { transaction.commit().await } else { transaction.rollback().await }
        });
    }
    for ended in tasks.join_all().await {
        ended.expect("it ends in good order");
    }
    let row = sqlx::query("SELECT COUNT(*), SUM(square)::BIGINT FROM squares").fetch_one(&pool).await.expect("a row");
    assert_eq!((row.get::<i64, _>(0), row.get::<i64, _>(1)), (50, 171_700));
    assert_no_thread_is_tokio_s();
    pool.close().await;
    server.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_listener_hears_notifications() {
    let Some(server) = Postgres::start() else { return };
    let pool = PgPoolOptions::new().max_connections(2).connect(&server.url()).await.expect("it is ready");
    let mut listener = PgListener::connect_with(&pool).await.expect("a connection");
    listener.listen("news").await.expect("it listens");
    let hearing = tokio::spawn(async move {
        assert_is_a_task_of_wsrt();
        listener.recv().await.map(|notification| notification.payload().to_owned())
    });
    sqlx::query("SELECT pg_notify('news', 'rain')").execute(&pool).await.expect("it is told");
    assert_eq!(hearing.await.expect("no panic").expect("a notification"), "rain");
    pool.close().await;
    server.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_reads_the_rows_that_sqlx_wrote() {
    let folder = Scratch::new();
    let file = folder.file("squares.sqlite");
    let options =
        SqliteConnectOptions::new().filename(&file).create_if_missing(true).journal_mode(SqliteJournalMode::Wal);
    let pool = SqlitePoolOptions::new().max_connections(4).connect_with(options).await.expect("the folder is ours");
    sqlx::query("CREATE TABLE squares (n INTEGER PRIMARY KEY, square INTEGER NOT NULL)")
        .execute(&pool)
        .await
        .expect("a table");
    let mut tasks = JoinSet::new();
    for n in 1..=100_i64 {
        let pool = pool.clone();
        tasks.spawn(async move {
            let inserted = sqlx::query("INSERT INTO squares VALUES (?, ?)").bind(n).bind(n * n).execute(&pool).await;
            assert_is_a_task_of_wsrt();
            inserted.expect("a row");
        });
    }
    tasks.join_all().await;
    assert_no_thread_is_tokio_s();
    pool.close().await;

    let Some(mut sqlite) = peer("sqlite3") else { return };
    sqlite.args([&file, "SELECT COUNT(*), SUM(square) FROM squares"]);
    assert_eq!(output_of(sqlite), "100|338350\n");
}
