//! The shop: an HTTP service built on axum. An order is acknowledged once it is in the book, and
//! the book is written once for all orders that arrive within a few milliseconds.

use std::collections::BTreeMap;
use std::io;
use std::net;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{get, put};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{MissedTickBehavior, interval};

/// The address on which the shop is served.
pub const ADDRESS: &str = "0.0.0.0:80";
const PAUSE: Duration = Duration::from_millis(5);

/// The book of orders, by order number. The book survives a restart of the shop.
#[derive(Clone, Debug, Default)]
pub struct Book(Arc<Mutex<BTreeMap<u64, u64>>>);

impl Book {
    fn pages(&self) -> MutexGuard<'_, BTreeMap<u64, u64>> {
        self.0.lock().expect("no panic while it is open")
    }

    /// Returns whether the book contains the order `number`.
    #[must_use]
    pub fn has(&self, number: u64) -> bool {
        self.pages().contains_key(&number)
    }

    /// Returns the total number of pieces in all orders.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.pages().values().sum()
    }
}

/// An order that waits for the book to be written.
#[derive(Debug)]
struct Order {
    number: u64,
    pieces: u64,
    written: oneshot::Sender<()>,
}

/// Serves the shop on port 80 and records its orders in `book`.
///
/// # Errors
///
/// Returns an error if the port is in use.
pub async fn serve(book: Book) -> io::Result<()> {
    serve_by(TcpListener::bind(ADDRESS).await?, book).await
}

/// Serves the shop on a listener of the standard library, such as one that a test or a service
/// manager has created.
///
/// # Errors
///
/// Returns an error if the listener cannot be converted to a tokio listener.
pub async fn serve_by_std(listener: net::TcpListener, book: Book) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    serve_by(TcpListener::from_std(listener)?, book).await
}

async fn serve_by(listener: TcpListener, book: Book) -> io::Result<()> {
    let (orders, to_write) = mpsc::channel(16);
    tokio::spawn(keep(book.clone(), to_write));
    let router = Router::new()
        .route("/orders/{number}", put(order))
        .route("/total", get(async move || total(book).await))
        .with_state(orders);
    axum::serve(listener, router).await
}

/// Writes the book, again and again.
async fn keep(book: Book, mut orders: mpsc::Receiver<Order>) {
    let mut tick = interval(PAUSE);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut waiting = Vec::new();
    loop {
        tokio::select! {
            order = orders.recv() => match order {
                Some(order) => waiting.push(order),
                None => return,
            },
            _ = tick.tick() => for Order { number, pieces, written } in waiting.drain(..) {
                book.pages().insert(number, pieces);
                // The customer may have gone.
                let _ = written.send(());
            },
        }
    }
}

async fn order(State(orders): State<mpsc::Sender<Order>>, Path(number): Path<u64>, pieces: String) -> StatusCode {
    let Ok(pieces) = pieces.parse() else { return StatusCode::BAD_REQUEST };
    let (written, is_written) = oneshot::channel();
    if orders.send(Order { number, pieces, written }).await.is_err() || is_written.await.is_err() {
        return StatusCode::SERVICE_UNAVAILABLE;
    }
    StatusCode::CREATED
}

/// Adds the book up on a thread that may block.
async fn total(book: Book) -> Result<String, StatusCode> {
    let total = tokio::task::spawn_blocking(move || book.total()).await;
    total.map(|total| total.to_string()).map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)
}
