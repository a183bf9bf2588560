//! The connection to Redis: one that all tasks share, and that comes back when it breaks.
//!
//! One task keeps it: it connects, drives the connection until that breaks, and connects again,
//! waiting a little longer each time. A request meanwhile fails at once, with the error that Redis
//! is away: no request waits in a queue for it.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use redis::aio::MultiplexedConnection;
use redis::{
    AsyncConnectionConfig, ConnectionAddr, ConnectionInfo, ErrorKind, RedisError, ScriptInvocation, ServerErrorKind,
};
use wsrt::net::TcpStream;
use wsrt::task::{AbortHandle, JoinHandle};
use wsrt::time::{sleep, timeout};

use crate::store::{Outcome, StoreError};

/// How long an answer may take. Redis answers within microseconds, or something is wrong with it or
/// with the way there.
const CALL_LIMIT: Duration = Duration::from_secs(2);
/// How long connecting may take.
const CONNECT_LIMIT: Duration = Duration::from_secs(2);
/// How long to wait before connecting again, at first and at most.
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LAST_PAUSE: Duration = Duration::from_secs(1);

/// A connection that may be away.
#[derive(Debug)]
pub(super) struct Link {
    state: Arc<Mutex<State>>,
    keeper: AbortHandle,
}

enum State {
    Up(MultiplexedConnection, AbortHandle),
    Away(String),
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Up(..) => f.write_str("Up"),
            Self::Away(why) => f.debug_tuple("Away").field(why).finish(),
        }
    }
}

impl Link {
    /// Tries to connect once, and keeps trying in a task of its own.
    pub(super) async fn open(info: ConnectionInfo) -> Self {
        let state = Arc::new(Mutex::new(State::Away("not connected yet".to_owned())));
        let first = connect(&info, &state).await;
        let keeper = wsrt::spawn(keep(info, Arc::clone(&state), first)).abort_handle();
        Self { state, keeper }
    }

    /// Why the connection is away, if it is.
    pub(super) fn trouble(&self) -> Option<String> {
        match &*self.state.lock() {
            State::Up(..) => None,
            State::Away(why) => Some(why.clone()),
        }
    }

    /// Runs a script.
    pub(super) async fn run(&self, script: &ScriptInvocation<'_>) -> Outcome<Vec<String>> {
        let (mut connection, driver) = match &*self.state.lock() {
            State::Up(connection, driver) => (connection.clone(), driver.clone()),
            State::Away(why) => return Err(StoreError::Unavailable(why.clone())),
        };
        match timeout(CALL_LIMIT, script.invoke_async(&mut connection)).await {
            Ok(answer) => answer.map_err(|error| of_redis(&error)),
            Err(_) => {
                // The other side may be gone without a word: then only a new connection helps.
                driver.abort();
                Err(StoreError::OutcomeUnknown(format!("no answer within {CALL_LIMIT:?}")))
            }
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.keeper.abort();
        if let State::Up(_, driver) = &*self.state.lock() {
            driver.abort();
        }
    }
}

/// Keeps the connection, for ever.
async fn keep(info: ConnectionInfo, state: Arc<Mutex<State>>, mut driver: Option<JoinHandle<()>>) {
    let mut pause = FIRST_PAUSE;
    loop {
        if let Some(driver) = driver.take() {
            // It ends when the connection does, well or not.
            let _ = driver.await;
            *state.lock() = State::Away("the connection broke".to_owned());
            pause = FIRST_PAUSE;
        }
        sleep(pause).await;
        pause = (pause * 2).min(LAST_PAUSE);
        driver = connect(&info, &state).await;
    }
}

/// Connects, and publishes how that went. Returns the task that drives the connection.
async fn connect(info: &ConnectionInfo, state: &Mutex<State>) -> Option<JoinHandle<()>> {
    let outcome = match timeout(CONNECT_LIMIT, try_to_connect(info)).await {
        Ok(outcome) => outcome,
        Err(_) => Err(format!("no connection to {} within {CONNECT_LIMIT:?}", info.addr())),
    };
    match outcome {
        Ok((connection, driver)) => {
            *state.lock() = State::Up(connection, driver.abort_handle());
            Some(driver)
        }
        Err(why) => {
            *state.lock() = State::Away(why);
            None
        }
    }
}

async fn try_to_connect(info: &ConnectionInfo) -> Result<(MultiplexedConnection, JoinHandle<()>), String> {
    let ConnectionAddr::Tcp(host, port) = info.addr() else {
        return Err("only redis:// addresses, over TCP and without encryption, are served".to_owned());
    };
    let opened = TcpStream::connect((host.as_str(), *port)).await;
    let stream = opened.map_err(|error| format!("{}: {error}", info.addr()))?;
    stream.set_nodelay(true).map_err(|error| error.to_string())?;
    // Its own timeout would ask for tokio's clock.
    let config = AsyncConnectionConfig::new().set_response_timeout(None);
    let opened = MultiplexedConnection::new_with_config(info.redis_settings(), stream, config).await;
    let (connection, driver) = opened.map_err(|error| format!("{}: {error}", info.addr()))?;
    Ok((connection, wsrt::spawn(driver)))
}

/// Returns the meaning of a Redis error for the caller.
fn of_redis(error: &RedisError) -> StoreError {
    let passing = [
        ServerErrorKind::BusyLoading,
        ServerErrorKind::TryAgain,
        ServerErrorKind::MasterDown,
        ServerErrorKind::ReadOnly,
    ];
    match error.kind() {
        ErrorKind::Server(kind) if passing.contains(&kind) => StoreError::Unavailable(error.to_string()),
        // Redis refuses to write: its disk is full, or its memory. A script is refused at its first
        // write.
        _ if matches!(error.code(), Some("MISCONF" | "OOM" | "BUSY" | "NOREPLICAS")) => {
            StoreError::Unavailable(error.to_string())
        }
        _ if error.is_io_error() || error.is_connection_dropped() => StoreError::OutcomeUnknown(error.to_string()),
        _ => StoreError::Failed(error.to_string()),
    }
}
