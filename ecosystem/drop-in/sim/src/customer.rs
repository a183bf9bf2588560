//! The customers of the shop, by reqwest: they ask until they are heard.

use std::time::Duration;

use reqwest::{Client, StatusCode};
use tokio::time::sleep;

const PATIENCE: Duration = Duration::from_millis(500);
const PAUSE: Duration = Duration::from_millis(50);

/// A customer of the shop on the host `shop`.
#[derive(Clone, Debug)]
pub struct Customer(Client);

impl Customer {
    /// Makes one, with connections of its own.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no TLS for the connections that have it.
    pub fn new() -> reqwest::Result<Self> {
        Ok(Self(Client::builder().timeout(PATIENCE).no_proxy().build()?))
    }

    /// Orders, until that is acknowledged.
    pub async fn order(&self, number: u64, pieces: u64) {
        while self.try_to_order(number, pieces).await.ok() != Some(StatusCode::CREATED) {
            sleep(PAUSE).await;
        }
    }

    async fn try_to_order(&self, number: u64, pieces: u64) -> reqwest::Result<StatusCode> {
        let order = self.0.put(format!("http://shop/orders/{number}")).body(pieces.to_string());
        Ok(order.send().await?.status())
    }

    /// Returns the sum of all orders.
    ///
    /// # Errors
    ///
    /// Returns an error if the shop does not answer.
    pub async fn total(&self) -> reqwest::Result<String> {
        self.0.get("http://shop/total").send().await?.error_for_status()?.text().await
    }
}
