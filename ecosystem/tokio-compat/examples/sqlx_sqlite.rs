//! sqlx unchanged: a pool of SQLite connections that many tasks share.
//! `cargo run --release --example sqlx_sqlite -- /tmp/words.sqlite`
//!
//! sqlx looks for a tokio runtime when it is called, and finds the one in the background.

use std::env;
use std::error::Error;

use sqlx::Row;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions};
use wsrt::task::JoinSet;

#[wsrt::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let path = env::args().nth(1).ok_or("usage: sqlx_sqlite PATH")?;
    let options =
        SqliteConnectOptions::new().filename(path).create_if_missing(true).journal_mode(SqliteJournalMode::Wal);
    let pool = SqlitePoolOptions::new().max_connections(4).connect_with(options).await?;
    sqlx::query("CREATE TABLE IF NOT EXISTS squares (n INTEGER PRIMARY KEY, square INTEGER NOT NULL)")
        .execute(&pool)
        .await?;

    let mut tasks = JoinSet::new();
    for n in 1..=100_i64 {
        let pool = pool.clone();
        tasks.spawn(async move {
            sqlx::query("INSERT INTO squares VALUES (?, ?)").bind(n).bind(n * n).execute(&pool).await
        });
    }
    while let Some(inserted) = tasks.join_next().await {
        inserted??;
    }

    let mut transaction = pool.begin().await?;
    sqlx::query("DELETE FROM squares").execute(&mut *transaction).await?;
    transaction.rollback().await?;

    let row = sqlx::query("SELECT COUNT(*), SUM(square) FROM squares").fetch_one(&pool).await?;
    println!("{} squares, {} in all", row.get::<i64, _>(0), row.get::<i64, _>(1));
    pool.close().await;
    Ok(())
}
