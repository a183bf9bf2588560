//! A console for tests: it keeps the updates that it receives.

mod seen;

use std::net::SocketAddr;
use std::time::Duration;

use console_api::instrument::instrument_client::InstrumentClient;
use console_api::instrument::{InstrumentRequest, Update};
use tokio::time::{sleep, timeout};
use tonic::Streaming;
use tonic::transport::{Channel, Endpoint};
use wsrt_ecosystem_testing::{LIMIT, Running, free_address};

pub(crate) use self::seen::{Seen, Task};

/// Starts the example, and returns where it is to be watched.
pub(crate) fn start() -> (Running, SocketAddr) {
    let address = free_address();
    let mut command = super::example().command();
    command.env("TOKIO_CONSOLE_BIND", address.to_string()).env("TOKIO_CONSOLE_RETENTION", "2s");
    (Running::start(command), address)
}

/// One watch of one program.
pub(crate) struct Viewer {
    updates: Streaming<Update>,
    seen: Seen,
}

impl Viewer {
    /// Begins to watch, as soon as the program lets itself be watched.
    pub(crate) async fn connect(address: &SocketAddr) -> Self {
        let mut client = timeout(LIMIT, client(address)).await.expect("the program lets itself be watched");
        let updates = client.watch_updates(InstrumentRequest {}).await.expect("it lets itself be watched");
        Self { updates: updates.into_inner(), seen: Seen::default() }
    }

    /// Receives updates until `is_there` returns true, one at least.
    pub(crate) async fn until(&mut self, what: &str, is_there: impl Fn(&Seen) -> bool) {
        let wait = async {
            loop {
                let update = self.updates.message().await.expect("the program goes on");
                self.seen.take_in(update.expect("the program goes on"));
                if is_there(&self.seen) {
                    return;
                }
            }
        };
        let came = timeout(LIMIT, wait).await.is_ok();
        assert!(came, "{what} did not come: {:#?}", self.seen);
    }

    pub(crate) fn seen(&self) -> &Seen {
        &self.seen
    }

    /// The task of that name, which is there.
    pub(crate) fn task(&self, name: &str) -> &Task {
        self.seen.find(name).unwrap_or_else(|| panic!("no {name} in {:#?}", self.seen))
    }
}

/// Its server comes up beside the program: until then the connection is refused, and tried again.
async fn client(address: &SocketAddr) -> InstrumentClient<Channel> {
    let endpoint = Endpoint::from_shared(format!("http://{address}")).expect("an address makes a good URL");
    loop {
        if let Ok(channel) = endpoint.connect().await {
            return InstrumentClient::new(channel).max_decoding_message_size(usize::MAX);
        }
        sleep(Duration::from_millis(5)).await;
    }
}
