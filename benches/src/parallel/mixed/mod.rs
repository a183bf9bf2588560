//! A server that also computes: an async runtime with tasks of its own, and parallel loops on the
//! same cores. With wsrt one set of processors does both; tokio's users run rayon beside it.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use wsrt::parallel;
use wsrt::sync::CancellationToken;

use super::pools::{Pool, Rayon};
use crate::Failure;
use crate::runtimes::{Runtime, Tokio, Wsrt};

pub(super) mod crowd;
pub(super) mod echo;
pub(super) mod pacer;

pub(super) const SUBJECTS: &[&str] = &["wsrt", "tokio + rayon"];

/// Indices of a loop that never comes to its end.
const ENDLESS: u32 = u32::MAX;

/// A runtime, and the pool that its users run loops on.
trait Host: Runtime {
    /// The pool for loops, where it is not the runtime.
    type Loops: Send + Sync + 'static;

    fn loops(processors: usize) -> Result<Self::Loops, Failure>;

    /// Runs `body` for one index after the other, on all processors, until `stop` is set.
    fn run_endless(
        loops: Arc<Self::Loops>,
        stop: Arc<AtomicBool>,
        body: impl Fn() + Send + Sync + 'static,
    ) -> impl Future<Output = ()> + Send + 'static;
}

impl Host for Wsrt {
    type Loops = ();

    fn loops(_processors: usize) -> Result<(), Failure> {
        Ok(())
    }

    async fn run_endless(_loops: Arc<()>, stop: Arc<AtomicBool>, body: impl Fn() + Send + Sync + 'static) {
        let token = CancellationToken::new();
        let outcome = parallel::until(&token).for_each(0..ENDLESS, |_| {
            if stop.load(Relaxed) {
                token.cancel();
            } else {
                body();
            }
        });
        assert!(outcome.is_err(), "the endless loop came to its end");
    }
}

impl Host for Tokio {
    type Loops = Rayon;

    fn loops(processors: usize) -> Result<Rayon, Failure> {
        Rayon::build(processors)
    }

    async fn run_endless(loops: Arc<Rayon>, stop: Arc<AtomicBool>, body: impl Fn() + Send + Sync + 'static) {
        let computed = tokio::task::spawn_blocking(move || {
            loops.install(|| {
                (0..ENDLESS).into_par_iter().try_for_each(|_| {
                    if stop.load(Relaxed) {
                        return None;
                    }
                    body();
                    Some(())
                })
            })
        });
        let outcome = computed.await.expect("the loop does not panic");
        assert!(outcome.is_none(), "the endless loop came to its end");
    }
}

/// An endless loop that is under way.
struct Endless<R: Runtime> {
    stop: Arc<AtomicBool>,
    task: R::Task<()>,
}

impl<R: Host> Endless<R> {
    fn start(runtime: &R, loops: &Arc<R::Loops>, body: impl Fn() + Send + Sync + 'static) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let task = R::spawn_on(&runtime.handle(), R::run_endless(Arc::clone(loops), Arc::clone(&stop), body));
        Self { stop, task }
    }

    fn stop(self, runtime: &R) {
        self.stop.store(true, Relaxed);
        runtime.block_on(self.task);
    }
}
