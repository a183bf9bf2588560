//! A service on wsrt under its own name: JSON over HTTP by axum's router on `wsrt_hyper::serve`, a
//! database by sqlx on feature `tokio-compat`, time limits, metrics, and a drain at the end.

use std::env;
use std::error::Error;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use serde::{Deserialize, Serialize};
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool, SqlitePoolOptions};
use wsrt::net::TcpListener;
use wsrt::runtime::Handle;
use wsrt::signal::unix::{SignalKind, signal};
use wsrt::time::{Instant, error::Elapsed, timeout};

/// How long a request may wait for the database.
const LIMIT: Duration = Duration::from_secs(2);
/// How long connections, and then tasks, may take to end.
const GRACE: Duration = Duration::from_secs(10);

#[derive(Clone)]
struct Service {
    database: SqlitePool,
    metrics: PrometheusHandle,
}

#[derive(Deserialize)]
struct NewVisit {
    name: String,
}

#[derive(Serialize)]
struct Visits {
    name: String,
    count: i64,
}

#[wsrt::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let arguments: Vec<String> = env::args().collect();
    let address = arguments.get(1).map_or("127.0.0.1:8080", String::as_str);
    let path = arguments.get(2).map_or("visits.sqlite", String::as_str);

    let metrics = PrometheusBuilder::new().install_recorder()?;
    // The runtime's own figures: polls, steals, waits.
    let _export = wsrt_metrics::export(&Handle::current(), Duration::from_secs(1));

    let options = SqliteConnectOptions::new().filename(path).create_if_missing(true);
    let database = SqlitePoolOptions::new().max_connections(4).connect_with(options).await?;
    sqlx::query("CREATE TABLE IF NOT EXISTS visits (name TEXT PRIMARY KEY, count INTEGER NOT NULL)")
        .execute(&database)
        .await?;

    let service = Service { database: database.clone(), metrics };
    let router = Router::new()
        .route("/visits", post(visit))
        .route("/visits/{name}", get(visits))
        .route("/metrics", get(figures))
        .with_state(service);
    let listener = TcpListener::bind(address).await?;
    println!("listening on {}", listener.local_addr()?);
    wsrt_hyper::serve(listener, router).with_graceful_shutdown(asked_to_end()).with_shutdown_timeout(GRACE).await?;
    // For the tasks that handlers have spawned, and left behind.
    let drained = Handle::current().drain(Instant::now() + GRACE).await;
    database.close().await;
    println!("ended: {drained}");
    Ok(())
}

/// Waits for ctrl-c, and for SIGTERM, which service managers send.
async fn asked_to_end() {
    let mut terminate = signal(SignalKind::terminate()).expect("it can be caught");
    wsrt::select! {
        _ = wsrt::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
    }
}

async fn visit(State(service): State<Service>, Json(visit): Json<NewVisit>) -> Result<Json<Visits>, Failure> {
    let insert = "INSERT INTO visits VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET count = count + 1 RETURNING count";
    let query = sqlx::query_scalar(insert).bind(&visit.name).fetch_one(&service.database);
    let count = timeout(LIMIT, query).await??;
    Ok(Json(Visits { name: visit.name, count }))
}

async fn visits(State(service): State<Service>, Path(name): Path<String>) -> Result<Json<Visits>, Failure> {
    let query = sqlx::query_scalar("SELECT count FROM visits WHERE name = ?").bind(&name);
    let found = timeout(LIMIT, query.fetch_optional(&service.database)).await??;
    let count = found.ok_or(Failure::Unknown)?;
    Ok(Json(Visits { name, count }))
}

async fn figures(State(service): State<Service>) -> String {
    service.metrics.render()
}

/// A request without the answer that it asked for.
enum Failure {
    TooSlow,
    Unknown,
    Database(sqlx::Error),
}

impl From<Elapsed> for Failure {
    fn from(_: Elapsed) -> Self {
        Failure::TooSlow
    }
}

impl From<sqlx::Error> for Failure {
    fn from(error: sqlx::Error) -> Self {
        Failure::Database(error)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        match self {
            Failure::TooSlow => (StatusCode::SERVICE_UNAVAILABLE, "the database is busy\n").into_response(),
            Failure::Unknown => (StatusCode::NOT_FOUND, "no visits by that name\n").into_response(),
            Failure::Database(error) => {
                eprintln!("database: {error}");
                StatusCode::INTERNAL_SERVER_ERROR.into_response()
            }
        }
    }
}
