//! Serves on the port given by the environment variable `PORT`, or on any free port if the variable
//! is not set.

use tokio::net::TcpListener;

#[tokio::main]
async fn main() {
    let port = std::env::var("PORT").ok().and_then(|port| port.parse().ok()).unwrap_or(0);
    let listener = TcpListener::bind(("127.0.0.1", port)).await.expect("the port is free");
    println!("listening on http://{}", listener.local_addr().expect("it is bound"));
    axum::serve(listener, wsrt_rayon_query::routes()).await.expect("it serves until it is killed");
}
