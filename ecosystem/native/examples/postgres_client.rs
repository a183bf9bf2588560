//! A PostgreSQL client on wsrt: tokio-postgres over a stream of wsrt's.
//! ```text
//! cargo run --release --example postgres_client -- 127.0.0.1:5432 "user=postgres dbname=postgres"
//! ```
//!
//! tokio-postgres without its feature `runtime` needs nothing of tokio but its I/O traits: connect
//! by hand, and spawn the connection.

use std::env;
use std::error::Error;
use std::time::Duration;

use futures_util::future::try_join_all;
use tokio_postgres::{Config, NoTls};
use wsrt::net::TcpStream;
use wsrt::time::timeout;

#[wsrt::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let [address, options] = &env::args().skip(1).collect::<Vec<_>>()[..] else {
        return Err("usage: postgres_client ADDRESS OPTIONS".into());
    };
    let config: Config = options.parse()?;
    let stream = TcpStream::connect(address.as_str()).await?;
    stream.set_nodelay(true)?;
    let (mut client, connection) = config.connect_raw(stream, NoTls).await?;
    let connection = wsrt::spawn(connection);

    client.batch_execute("CREATE TEMPORARY TABLE words (word TEXT NOT NULL, length INT NOT NULL)").await?;
    let transaction = client.transaction().await?;
    let insert = transaction.prepare("INSERT INTO words VALUES ($1, $2)").await?;
    for word in ["task", "processor", "machine"] {
        transaction.execute(&insert, &[&word, &i32::try_from(word.len())?]).await?;
    }
    transaction.commit().await?;
    for row in client.query("SELECT word, length FROM words ORDER BY length", &[]).await? {
        println!("{}: {}", row.get::<_, &str>(0), row.get::<_, i32>(1));
    }

    // Sent one behind the other without waiting for answers.
    let square = client.prepare("SELECT $1::INT8 * $1").await?;
    let squares = try_join_all((1..=10_i64).map(|n| {
        let (client, square) = (&client, &square);
        async move { client.query_one(square, &[&n]).await }
    }));
    let squares = squares.await?;
    println!("squares: {}", squares.iter().map(|row| row.get::<_, i64>(0)).sum::<i64>());

    // A query that takes too long ends here by a timeout, and is cancelled on the server.
    let cancel = client.cancel_token();
    let slow = timeout(Duration::from_millis(50), client.query("SELECT pg_sleep(60)", &[])).await;
    cancel.cancel_query_raw(TcpStream::connect(address.as_str()).await?, NoTls).await?;
    println!("sleeping: {}", if slow.is_err() { "given up" } else { "woke up" });

    let error = client.query("SELECT 1 / 0", &[]).await.expect_err("a division by zero");
    println!("refused: {}", error.as_db_error().ok_or("not the server's")?.message());

    drop(client);
    connection.await??;
    println!("closed in good order");
    Ok(())
}
