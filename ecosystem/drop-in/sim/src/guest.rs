//! A guest of the greeter: a client that uses a tonic channel, which reconnects when a connection
//! is lost.

use std::time::Duration;

use futures_util::stream;
use tokio::time::timeout;
use tonic::transport::{Channel, Endpoint};
use tonic::{Status, Streaming};

use crate::proto::greeter_client::GreeterClient;
use crate::proto::{Greeting, Name, Often};

const PATIENCE: Duration = Duration::from_secs(2);
const PULSE: Duration = Duration::from_millis(500);

/// A guest of the greeter that runs on the host `greeter`.
#[derive(Clone, Debug)]
pub struct Guest(GreeterClient<Channel>);

impl Guest {
    /// Creates a guest, which connects on its first call.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "a default value should need no runtime")]
    pub fn new() -> Self {
        let endpoint = Endpoint::from_static("http://greeter:50051")
            .connect_timeout(PULSE)
            .http2_keep_alive_interval(PULSE)
            .keep_alive_timeout(PULSE)
            .keep_alive_while_idle(true);
        Self(GreeterClient::new(endpoint.connect_lazy()))
    }

    /// Calls the greeter once with `name`, and returns the greeting.
    ///
    /// # Errors
    ///
    /// Returns the call's status if the call fails or takes too long.
    pub async fn greet(&self, name: &str) -> Result<String, Status> {
        let mut client = self.0.clone();
        let answer = in_time(client.greet(Name { name: name.to_owned() })).await?;
        Ok(answer.into_inner().text)
    }

    /// Calls the greeter for `times` greetings of `name`, and adds each greeting to `heard`.
    ///
    /// # Errors
    ///
    /// Returns the call's status if the call fails or takes too long.
    pub async fn greet_often(&self, name: &str, times: u32, heard: &mut Vec<String>) -> Result<(), Status> {
        let mut client = self.0.clone();
        in_time(async {
            let answer = client.greet_often(Often { name: name.to_owned(), times }).await?;
            hear(answer.into_inner(), heard).await
        })
        .await
    }

    /// Calls the greeter for one greeting of each name in `names`, and adds each greeting to
    /// `heard`.
    ///
    /// # Errors
    ///
    /// Returns the call's status if the call fails or takes too long.
    pub async fn greet_all(&self, names: &[String], heard: &mut Vec<String>) -> Result<(), Status> {
        let mut client = self.0.clone();
        let names: Vec<Name> = names.iter().map(|name| Name { name: name.clone() }).collect();
        in_time(async {
            let answer = client.greet_all(stream::iter(names)).await?;
            hear(answer.into_inner(), heard).await
        })
        .await
    }
}

async fn hear(mut greetings: Streaming<Greeting>, heard: &mut Vec<String>) -> Result<(), Status> {
    while let Some(greeting) = greetings.message().await? {
        heard.push(greeting.text);
    }
    Ok(())
}

async fn in_time<T>(call: impl Future<Output = Result<T, Status>>) -> Result<T, Status> {
    timeout(PATIENCE, call).await.unwrap_or_else(|_| Err(Status::deadline_exceeded("no patience is left")))
}
