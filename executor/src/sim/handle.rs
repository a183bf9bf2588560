//! A handle to a simulation, for the program inside it.

use std::fmt;

use std::time::Duration;

use crate::runtime::{Handle, Runtime};
use crate::scheduler::simulation::Simulation;
use crate::sim::Record;

/// A handle to the current simulation, for adding hosts, faults, invariants and deadlines. Cloning
/// a handle increments a reference count.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
///
/// let elapsed = wsrt::sim::run(7, |sim| async move {
///     assert_eq!(sim.record().seed(), 7);
///     wsrt::time::sleep(Duration::from_secs(3_600)).await;
///     sim.record().elapsed()
/// });
/// assert!(elapsed >= Duration::from_secs(3_600));
/// ```
#[derive(Clone)]
pub struct Sim(Handle);

impl Sim {
    pub(super) fn of(runtime: &Runtime) -> Self {
        Self(runtime.handle().clone())
    }

    /// Returns a handle to the simulation that the current thread runs.
    ///
    /// # Panics
    ///
    /// Panics if called outside a simulated runtime.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_simulated(7).build()?;
    /// runtime.block_on(async {
    ///     assert_eq!(wsrt::sim::Sim::current().record().seed(), 7);
    /// });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn current() -> Self {
        match Handle::try_current() {
            Ok(handle) if handle.simulation().is_some() => Self(handle),
            _ => panic!(
                "wsrt: `Sim::current` needs a simulation: `wsrt::sim::run`, or a runtime of `Builder::new_simulated`"
            ),
        }
    }

    pub(super) fn handle(&self) -> &Handle {
        &self.0
    }

    /// The nanoseconds since the runtime was made.
    pub(super) fn now(&self) -> u64 {
        self.0.scheduler().clock.timer_now()
    }

    /// For a call, which ends the run if another thread makes it than the one that drives.
    pub(super) fn simulation(&self) -> &Simulation {
        let simulation = self.0.scheduler().simulation.as_ref();
        let simulation = simulation.expect("a handle of a simulation is of a simulated runtime");
        simulation.note_caller();
        simulation
    }

    /// Adds an invariant called `name`. After each step, the simulation calls `holds`, and the run
    /// fails if `holds` returns `false`.
    ///
    /// `holds` is called between the turns of processors, outside any task. It must not block or
    /// spawn. If `holds` panics, the run fails as well.
    ///
    /// # Examples
    ///
    /// ```should_panic
    /// use std::sync::Arc;
    /// use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
    ///
    /// wsrt::sim::run(7, |sim| async move {
    ///     let leaders = Arc::new(AtomicU32::new(1));
    ///     let seen = leaders.clone();
    ///     sim.invariant("one leader at most", move || seen.load(Relaxed) <= 1);
    ///     leaders.store(2, Relaxed);
    ///     wsrt::task::yield_now().await;
    /// });
    /// ```
    pub fn invariant(&self, name: &str, holds: impl FnMut() -> bool + Send + 'static) {
        self.simulation().add_invariant(name.to_owned(), Box::new(holds));
    }

    /// Makes the run fail if it takes longer than `after`, in virtual time from its beginning.
    ///
    /// # Examples
    ///
    /// ```should_panic
    /// use std::time::Duration;
    ///
    /// wsrt::sim::run(7, |sim| async move {
    ///     sim.deadline(Duration::from_secs(60));
    ///     wsrt::time::sleep(Duration::from_secs(61)).await;
    /// });
    /// ```
    pub fn deadline(&self, after: Duration) {
        self.simulation().set_deadline(after);
    }

    /// Lets the run continue after a panic that no [`JoinHandle`](crate::task::JoinHandle) reports.
    /// A runtime with threads continues as well, after the panic hook has run.
    ///
    /// By default, the run fails once a task has panicked and its handle was dropped, in either
    /// order, so that a failed assertion in a detached task is not overlooked. Handles that still
    /// exist when the run ends do not count as dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// wsrt::sim::run(7, |sim| async move {
    ///     sim.allow_panics();
    ///     drop(wsrt::spawn(async { panic!("the handler of a request") }));
    ///     wsrt::task::yield_now().await;
    /// });
    /// ```
    pub fn allow_panics(&self) {
        self.simulation().allow_panics();
    }

    /// Returns the record of the run so far.
    ///
    /// # Examples
    ///
    /// ```
    /// let steps = wsrt::sim::run(7, |sim| async move {
    ///     wsrt::task::yield_now().await;
    ///     sim.record().steps()
    /// });
    /// assert!(steps > 0);
    /// ```
    #[must_use]
    pub fn record(&self) -> Record {
        self.0.simulation().expect("a handle of a simulation is of a simulated runtime")
    }
}

impl fmt::Debug for Sim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sim").field("record", &self.record()).finish()
    }
}
