//! The greeter: a gRPC service built on tonic that counts the calls it has received.

use std::collections::BTreeMap;
use std::error::Error;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use futures_util::{Stream, StreamExt, stream};
use tokio::time::sleep;
use tonic::transport::Server;
use tonic::{Request, Response, Status, Streaming};

use crate::proto::greeter_server::{Greeter, GreeterServer};
use crate::proto::{Greeting, Name, Often};

const PAUSE: Duration = Duration::from_millis(2);

/// Counts how many times each name has been greeted. The counts survive a restart of the greeter.
#[derive(Clone, Debug, Default)]
pub struct Register(Arc<Mutex<Calls>>);

#[derive(Debug, Default)]
struct Calls {
    by_name: BTreeMap<String, u32>,
    most: u32,
}

impl Register {
    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.0.lock().expect("no panic while it is open")
    }

    fn note(&self, name: &str) {
        let mut calls = self.calls();
        let count = calls.by_name.entry(name.to_owned()).or_default();
        *count += 1;
        calls.most = (*count).max(calls.most);
    }

    /// Returns the number of calls with the given name.
    #[must_use]
    pub fn count(&self, name: &str) -> u32 {
        self.calls().by_name.get(name).copied().unwrap_or_default()
    }

    /// Returns the number of calls with the most frequent name.
    #[must_use]
    pub fn most(&self) -> u32 {
        self.calls().most
    }
}

/// Serves the greeter on port 50051 and counts its calls in `register`.
///
/// # Errors
///
/// Returns an error if the port is in use.
pub async fn serve(register: Register) -> Result<(), Box<dyn Error + Send + Sync>> {
    let greeter = GreeterServer::new(Noting(register));
    Ok(Server::builder().add_service(greeter).serve(([0; 4], 50_051).into()).await?)
}

/// Greets, and notes the names.
#[derive(Debug)]
struct Noting(Register);

type Greetings = Pin<Box<dyn Stream<Item = Result<Greeting, Status>> + Send>>;

#[tonic::async_trait]
impl Greeter for Noting {
    type GreetOftenStream = Greetings;
    type GreetAllStream = Greetings;

    async fn greet(&self, request: Request<Name>) -> Result<Response<Greeting>, Status> {
        let name = request.into_inner().name;
        self.0.note(&name);
        Ok(Response::new(greeting(&name)))
    }

    async fn greet_often(&self, request: Request<Often>) -> Result<Response<Greetings>, Status> {
        let Often { name, times } = request.into_inner();
        self.0.note(&name);
        let greetings = stream::iter(1..=times).then(move |count| {
            let greeting = greeting(&format!("{name}, {count}"));
            async move {
                sleep(PAUSE).await;
                Ok(greeting)
            }
        });
        Ok(Response::new(Box::pin(greetings)))
    }

    async fn greet_all(&self, request: Request<Streaming<Name>>) -> Result<Response<Greetings>, Status> {
        let register = self.0.clone();
        let greetings = request.into_inner().map(move |name| {
            let name = name?.name;
            register.note(&name);
            Ok(greeting(&name))
        });
        Ok(Response::new(Box::pin(greetings)))
    }
}

fn greeting(name: &str) -> Greeting {
    Greeting { text: format!("Hello, {name}!") }
}
