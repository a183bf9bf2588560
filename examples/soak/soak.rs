//! The state that the loads, the rounds and the watcher share.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use wsrt::task::JoinHandle;

use crate::awake::Awake;
use crate::ledger::{Kind, Ledger};
use crate::options::Options;
use crate::pace::Pace;
use crate::servers;

pub(crate) struct Soak {
    pub(crate) options: Options,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) awake: Arc<Awake>,
    pub(crate) pace: Pace,
    pub(crate) http: SocketAddr,
    pub(crate) echo: SocketAddr,
    /// A folder for this process alone.
    pub(crate) scratch: PathBuf,
    /// Whether the loads are to continue.
    is_loaded: AtomicBool,
    is_told_to_end: AtomicBool,
    round: AtomicU64,
    phase: Mutex<(String, Duration)>,
}

impl Soak {
    /// Starts the servers, on the runtime that this is awaited on.
    pub(crate) async fn new(options: Options) -> io::Result<Arc<Self>> {
        let ledger = Arc::new(Ledger::default());
        let http = servers::serve_http(Arc::clone(&ledger)).await?;
        let echo = servers::serve_echo().await?;
        let scratch = std::env::temp_dir().join(format!("wsrt-soak-{}", std::process::id()));
        std::fs::create_dir_all(&scratch)?;
        Ok(Arc::new(Self {
            pace: Pace::new(options.share),
            options,
            ledger,
            awake: Awake::start()?,
            http,
            echo,
            scratch,
            is_loaded: AtomicBool::new(false),
            is_told_to_end: AtomicBool::new(false),
            round: AtomicU64::new(0),
            phase: Mutex::new(("the start".into(), Duration::ZERO)),
        }))
    }

    /// Waits for the next turn of a load. Returns false when the load is to end.
    ///
    /// A load has at most one turn in `shortest`, however fast the others go.
    pub(crate) async fn turn(&self, shortest: Duration) -> bool {
        let pause = self.pace.pause(shortest);
        if !pause.is_zero() && self.is_loaded.load(Relaxed) {
            wsrt::time::sleep(pause).await;
        }
        self.is_loaded.load(Relaxed)
    }

    /// Spawns a task whose future is entered in the ledger.
    #[track_caller]
    pub(crate) fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future<Output: Send + 'static> + Send + 'static,
    {
        let entry = self.ledger.open(Kind::Task);
        wsrt::spawn(async move {
            let _entry = entry;
            future.await
        })
    }

    pub(crate) fn begin_round(&self) {
        self.round.fetch_add(1, Relaxed);
        self.is_loaded.store(true, Relaxed);
    }

    pub(crate) fn end_loads(&self) {
        self.is_loaded.store(false, Relaxed);
    }

    pub(crate) fn round(&self) -> u64 {
        self.round.load(Relaxed)
    }

    pub(crate) fn tell_to_end(&self) {
        self.is_told_to_end.store(true, Relaxed);
    }

    pub(crate) fn is_told_to_end(&self) -> bool {
        self.is_told_to_end.load(Relaxed)
    }

    /// Begins a phase, which may last as long as the watcher allows.
    pub(crate) fn begin_phase(&self, name: &str) {
        *self.phase.lock().unwrap_or_else(PoisonError::into_inner) = (name.to_owned(), self.awake.now());
    }

    /// Renames the phase: it waits for something else now.
    pub(crate) fn rename_phase(&self, name: String) {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner).0 = name;
    }

    pub(crate) fn phase(&self) -> String {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner).0.clone()
    }

    pub(crate) fn phase_lasts(&self) -> Duration {
        let began = self.phase.lock().unwrap_or_else(PoisonError::into_inner).1;
        self.awake.now().saturating_sub(began)
    }
}

impl Drop for Soak {
    fn drop(&mut self) {
        // An error leaves an empty folder behind.
        let _ = std::fs::remove_dir_all(&self.scratch);
    }
}
