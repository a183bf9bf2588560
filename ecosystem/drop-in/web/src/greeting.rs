//! The server side of the greeter.

use std::pin::Pin;
use std::time::Duration;

use futures_util::{Stream, StreamExt, stream};
use tonic::{Request, Response, Status, Streaming};
use wsrt_drop_in_here::assert_is_a_task_of_wsrt;

use crate::greeter::greeter_server::Greeter;
use crate::greeter::{Greeting, Name, Often};

/// A greeter that answers politely, and asserts that it runs in a wsrt task.
#[derive(Debug)]
pub struct Polite;

type Greetings = Pin<Box<dyn Stream<Item = Result<Greeting, Status>> + Send>>;

#[tonic::async_trait]
impl Greeter for Polite {
    type GreetOftenStream = Greetings;
    type GreetAllStream = Greetings;

    async fn greet(&self, request: Request<Name>) -> Result<Response<Greeting>, Status> {
        assert_is_a_task_of_wsrt();
        greeting(&request.into_inner().name).map(Response::new)
    }

    async fn greet_often(&self, request: Request<Often>) -> Result<Response<Greetings>, Status> {
        let Often { name, times } = request.into_inner();
        let greetings = stream::iter(1..=times).then(move |count| {
            let greeting = greeting(&format!("{name}, {count}"));
            async move {
                assert_is_a_task_of_wsrt();
                tokio::time::sleep(Duration::from_millis(1)).await;
                greeting
            }
        });
        Ok(Response::new(Box::pin(greetings)))
    }

    async fn greet_all(&self, request: Request<Streaming<Name>>) -> Result<Response<Greetings>, Status> {
        let greetings = request.into_inner().map(|name| greeting(&name?.name));
        Ok(Response::new(Box::pin(greetings)))
    }
}

fn greeting(name: &str) -> Result<Greeting, Status> {
    if name.is_empty() {
        return Err(Status::invalid_argument("whom?"));
    }
    Ok(Greeting { text: format!("Hello, {name}!") })
}
