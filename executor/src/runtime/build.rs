//! Builds a running runtime from the options of a builder.

use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;

use crate::observe::observer::Switch;
use crate::observe::timeline::TraceSettings;
use crate::runtime::services::RuntimeServices;
use crate::runtime::{Builder, LocalOptions, LocalRuntime, Runtime, environment};
use crate::scheduler::simulation::Settings;
use crate::scheduler::{Config, RuntimeFlavor, Scheduler};
use crate::util::sync::thread::{self, ThreadId, available_parallelism};
use crate::{fork_join, sync};

/// The most processors that tasks run on: half of the largest number that Linux can be built
/// for. Each processor counts its steals from each of the others.
const MOST_WORKERS: usize = 4096;

/// The processors of a simulation, if the builder has no number.
const SIMULATED_WORKERS: usize = 4;

impl Builder {
    /// Builds the runtime and starts its threads.
    ///
    /// # Errors
    ///
    /// Returns an error that describes the mistake in each of these cases:
    ///
    /// * `WSRT_WORKER_THREADS` or `WSRT_MAX_MACHINES` is used and is not a whole number above zero,
    ///   or `WSRT_SIM_SEED` is used and is not a whole number.
    /// * More than 4096 processors are requested.
    /// * A runtime with several processors is asked to start with a paused clock.
    /// * A program cannot handle the signal that is set for dumps.
    ///
    /// Returns the operating system's error if the system refuses to create a thread or a file
    /// descriptor, or to install the signal handler.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().worker_threads(2).build()?;
    /// assert_eq!(runtime.metrics().num_workers(), 2);
    /// # std::io::Result::Ok(())
    /// ```
    pub fn build(&mut self) -> io::Result<Runtime> {
        self.build_for(None)
    }

    /// Builds a [`LocalRuntime`], which stays on the current thread and can run `!Send` futures.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`build`](Self::build), and an error for a multi-thread builder.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::runtime::{Builder, LocalOptions};
    ///
    /// let runtime = Builder::new_current_thread().name("ui").build_local(LocalOptions::default())?;
    /// assert_eq!(runtime.block_on(async { wsrt::task::spawn_local(async { 7 }).await })?, 7);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn build_local(&mut self, _: LocalOptions) -> io::Result<LocalRuntime> {
        if self.config.flavor == RuntimeFlavor::MultiThread {
            return Err(invalid(
                "`build_local` needs a current-thread runtime: the tasks of a multi-thread one run on several threads",
            ));
        }
        self.build_for(Some(thread::current().id())).map(LocalRuntime::at_home)
    }

    /// `home` is the one thread that is to run the tasks.
    fn build_for(&self, home: Option<ThreadId>) -> io::Result<Runtime> {
        if self.start_paused && self.config.flavor == RuntimeFlavor::MultiThread {
            return Err(invalid(
                "`start_paused(true)` needs a current-thread runtime: on a multi-thread one the clock cannot be paused",
            ));
        }
        let scheduler = self.scheduler_for(home)?;
        sync::lend_runtime();
        if self.start_paused {
            let _ = scheduler.clock.stop();
        }
        let samples_latencies = self.latency_histograms.unwrap_or_else(environment::latency_histograms);
        scheduler.observer.sample_latencies(samples_latencies, scheduler.processors.capacity());
        let measures_sites = self.site_polls.unwrap_or_else(environment::site_polls);
        scheduler.observer.measure_polls(Switch::Sites, measures_sites, scheduler.processors.capacity());
        let measures_names = self.name_polls.unwrap_or_else(environment::name_polls);
        scheduler.observer.measure_polls(Switch::Names, measures_names, scheduler.processors.capacity());
        #[cfg(feature = "drop-in")]
        if self.config.shown_histograms.is_any_on() {
            scheduler.observer.measure_every_poll(scheduler.processors.capacity());
        }
        if self.task_stats.unwrap_or_else(environment::task_stats) {
            scheduler.observer.keep_task_stats();
        }
        // From here on the runtime's drop ends all that was started, if a later step fails.
        let mut runtime = Runtime::new_stopped(scheduler);
        self.start_timeline(&runtime)?;
        runtime.start()?;
        #[cfg(all(unix, feature = "signal"))]
        runtime.dump_on(self.dump_signal)?;
        #[cfg(not(all(unix, feature = "signal")))]
        environment::refuse_dump_signal();
        Ok(runtime)
    }

    /// Called before the first thread starts, so that the timeline shows every thread.
    fn start_timeline(&self, runtime: &Runtime) -> io::Result<()> {
        let scheduler = runtime.handle().scheduler();
        let settings = self.trace.clone().map(|path| TraceSettings { path, cpu: None });
        if let Some(settings) = settings.or_else(environment::trace) {
            scheduler.observer.trace_all(scheduler.me.clone(), &settings);
        }
        if let Some(directory) = self.trace_directory.clone().or_else(environment::trace_directory) {
            scheduler.observer.trace_into(scheduler.me.clone(), directory)?;
        }
        match self.flight_recorder.clone().or_else(environment::flight_recorder) {
            Some(recorder) => scheduler.observer.fly(scheduler.me.clone(), recorder),
            None => Ok(()),
        }
    }

    /// Makes the scheduler of a runtime that is not started yet.
    #[cfg(test)]
    pub(crate) fn scheduler(&self) -> io::Result<Arc<Scheduler>> {
        self.scheduler_for(None)
    }

    fn scheduler_for(&self, home: Option<ThreadId>) -> io::Result<Arc<Scheduler>> {
        let config = Config { home, ..self.config()? };
        Scheduler::new(config, RuntimeServices::of, fork_join::idle_work())
    }

    fn config(&self) -> io::Result<Config> {
        let (processors, may_follow) = match (self.config.flavor, self.worker_threads) {
            (RuntimeFlavor::CurrentThread, _) => (1, false),
            (RuntimeFlavor::MultiThread, Some(count)) => (count, false),
            // Not as many as this computer has: the run would be another on the next.
            (RuntimeFlavor::MultiThread, None) if self.config.simulation.is_some() => (SIMULATED_WORKERS, false),
            (RuntimeFlavor::MultiThread, None) => match environment::worker_threads()? {
                Some(count) => (count, false),
                None => (available_parallelism().map_or(1, NonZeroUsize::get), true),
            },
        };
        let follows_quota = may_follow && self.config.follows_quota;
        self.refuse_impossible(processors)?;
        let simulation = self.config.simulation.map(Settings::by_environment).transpose()?;
        let max_machines = match self.max_machines {
            Some(count) => count,
            None if self.config.simulation.is_some() => self.config.max_machines,
            None => environment::max_machines()?.unwrap_or(self.config.max_machines),
        };
        let stall_threshold = environment::stall_threshold();
        Ok(Config { processors, follows_quota, max_machines, stall_threshold, simulation, ..self.config.clone() })
    }

    /// Refuses values that no system can provide.
    fn refuse_impossible(&self, processors: usize) -> io::Result<()> {
        if processors > MOST_WORKERS {
            return Err(invalid(format!(
                "{processors} worker threads are too many: a runtime has {MOST_WORKERS} at most"
            )));
        }
        match self.config.thread_stack_size {
            Some(size) if isize::try_from(size).is_err() => {
                Err(invalid(format!("`thread_stack_size({size})`: no thread can have a stack of so many bytes")))
            }
            _ => Ok(()),
        }
    }
}

fn invalid(message: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message.into())
}
