//! The customers of the shop, which use reqwest and retry until the shop answers.

use std::time::Duration;

use reqwest::{Client, StatusCode};
use tokio::time::sleep;

const PATIENCE: Duration = Duration::from_millis(500);
const PAUSE: Duration = Duration::from_millis(50);

/// A customer of the shop that runs on the host `shop`.
#[derive(Clone, Debug)]
pub struct Customer(Client);

impl Customer {
    /// Creates a customer with its own connections.
    ///
    /// # Errors
    ///
    /// Returns an error if TLS cannot be set up.
    pub fn new() -> reqwest::Result<Self> {
        Ok(Self(Client::builder().timeout(PATIENCE).no_proxy().build()?))
    }

    /// Places the order `number` for `pieces` pieces, retrying until the shop acknowledges the
    /// order.
    pub async fn order(&self, number: u64, pieces: u64) {
        while self.try_to_order(number, pieces).await.ok() != Some(StatusCode::CREATED) {
            sleep(PAUSE).await;
        }
    }

    async fn try_to_order(&self, number: u64, pieces: u64) -> reqwest::Result<StatusCode> {
        let order = self.0.put(format!("http://shop/orders/{number}")).body(pieces.to_string());
        Ok(order.send().await?.status())
    }

    /// Requests the total number of pieces in all orders, and returns the shop's answer.
    ///
    /// # Errors
    ///
    /// Returns an error if the shop does not answer.
    pub async fn total(&self) -> reqwest::Result<String> {
        self.0.get("http://shop/total").send().await?.error_for_status()?.text().await
    }
}
