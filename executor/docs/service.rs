//! A service that checks links: `POST /links` with `{"url": "…"}` fetches the page and stores the
//! status, `GET /links` lists what is stored.

use std::env;
use std::error::Error;
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool, SqlitePoolOptions};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

#[derive(Clone)]
struct Service {
    client: reqwest::Client,
    database: SqlitePool,
}

#[derive(Deserialize)]
struct NewLink {
    url: String,
}

#[derive(FromRow, Serialize)]
struct Link {
    url: String,
    status: u16,
}

type Failure = (StatusCode, String);

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = env::args().nth(1).unwrap_or("127.0.0.1:8080".into());
    let path = env::args().nth(2).unwrap_or("links.sqlite".into());

    let options = SqliteConnectOptions::new().filename(path).create_if_missing(true);
    let database = SqlitePoolOptions::new().max_connections(4).connect_with(options).await?;
    let table = "CREATE TABLE IF NOT EXISTS links (url TEXT PRIMARY KEY, status INTEGER NOT NULL)";
    sqlx::query(table).execute(&database).await?;
    let client = reqwest::Client::builder().timeout(Duration::from_secs(5)).build()?;

    let service = Service { client, database: database.clone() };
    let router = Router::new().route("/links", post(check).get(list)).with_state(service);
    let listener = TcpListener::bind(address).await?;
    println!("listening on {}", listener.local_addr()?);
    axum::serve(listener, router).with_graceful_shutdown(asked_to_end()).await?;
    database.close().await;
    println!("ended");
    Ok(())
}

/// Waits for ctrl-c, or for SIGTERM, which service managers send.
async fn asked_to_end() {
    let mut terminate = signal(SignalKind::terminate()).expect("the signal can be caught");
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
    }
}

async fn check(State(service): State<Service>, Json(link): Json<NewLink>) -> Result<Json<Link>, Failure> {
    let answer = service.client.get(&link.url).send().await.map_err(bad_gateway)?;
    let link = Link { url: link.url, status: answer.status().as_u16() };
    sqlx::query("INSERT OR REPLACE INTO links VALUES (?, ?)")
        .bind(&link.url)
        .bind(link.status)
        .execute(&service.database)
        .await
        .map_err(internal)?;
    Ok(Json(link))
}

async fn list(State(service): State<Service>) -> Result<Json<Vec<Link>>, Failure> {
    let links = sqlx::query_as("SELECT url, status FROM links ORDER BY url").fetch_all(&service.database).await;
    Ok(Json(links.map_err(internal)?))
}

fn bad_gateway(error: reqwest::Error) -> Failure {
    (StatusCode::BAD_GATEWAY, format!("{error}\n"))
}

fn internal(error: sqlx::Error) -> Failure {
    eprintln!("database: {error}");
    (StatusCode::INTERNAL_SERVER_ERROR, "the database failed\n".into())
}
