//! A redis client on wsrt: one connection that many tasks share.
//! `cargo run --release --example redis_client -- 127.0.0.1:6379`
//!
//! redis has one of tokio and smol compiled in, and uses it for connecting, spawning and time
//! limits. So: connect by hand, spawn the future that drives the connection, switch redis's own
//! limit off and put wsrt's `timeout` around calls that may take too long.

use std::env;
use std::error::Error;
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncCommands, AsyncConnectionConfig, RedisConnectionInfo};
use wsrt::net::TcpStream;
use wsrt::task::JoinSet;
use wsrt::time::timeout;

#[wsrt::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let address = env::args().nth(1).unwrap_or_else(|| "127.0.0.1:6379".into());
    let mut redis = connect(&address).await?;

    redis.set::<_, _, ()>("greeting", "Hello from redis").await?;
    let greeting: String = redis.get("greeting").await?;
    println!("{greeting}");

    let mut tasks = JoinSet::new();
    for amount in 1..=100_i64 {
        let mut redis = redis.clone();
        tasks.spawn(async move { redis.incr::<_, _, i64>("sum", amount).await });
    }
    while let Some(result) = tasks.join_next().await {
        result??;
    }
    println!("1 + 2 + ... + 100 = {}", redis.get::<_, i64>("sum").await?);

    // Its own connection, since the command blocks it until a message arrives, which never
    // happens here.
    let mut waiting = connect(&address).await?;
    let popped = timeout(Duration::from_millis(50), waiting.blpop::<_, (String, String)>("nothing", 0.0)).await;
    println!("waiting for nothing: {}", if popped.is_err() { "given up" } else { "something came" });

    let refused = redis.incr::<_, _, i64>("greeting", 1).await.expect_err("it is no number");
    println!("refused: {refused}");
    Ok(())
}

async fn connect(address: &str) -> Result<MultiplexedConnection, Box<dyn Error + Send + Sync>> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let config = AsyncConnectionConfig::new().set_response_timeout(None).set_connection_timeout(None);
    let login = RedisConnectionInfo::default();
    let connecting = MultiplexedConnection::new_with_config(&login, stream, config);
    let (connection, driver) = timeout(Duration::from_secs(5), connecting).await??;
    wsrt::spawn(driver);
    Ok(connection)
}
